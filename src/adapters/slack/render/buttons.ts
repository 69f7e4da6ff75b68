import type { ActionsBlock, Button, ConfirmationDialog } from "@slack/types";
import { z } from "zod";

import { formatAsk } from "../../../reply/full-text.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Action, Ask, Reply } from "../../../reply/reply.ts";
import {
  BUTTON_LABEL_LENGTH,
  BUTTON_URL_LENGTH,
  BUTTON_VALUE_LENGTH,
  CONFIRM_BUTTON_LENGTH,
  CONFIRM_TEXT_LENGTH,
} from "../limits.ts";
import { escapeMrkdwn, linkMarkup, renderPlain } from "./mrkdwn.ts";

/** What a button does. It outlives the process: all of it stands in the button's value, or in the store under a key that does. */
export type Press =
  | {
      readonly kind: "ask";
      readonly ask: Ask;
      readonly effect: "replace" | "reply";
      /** The user who asked for the message; nobody for what was sent unasked. */
      readonly asker?: string | undefined;
      /** What stands there is no answer yet: its files, if any, were not sent. */
      readonly fresh?: true | undefined;
    }
  /** Asks again and posts the answer for all to see. */
  | { readonly kind: "share"; readonly ask: Ask; readonly asker?: string | undefined }
  /** Asks again and sends what did not fit as files to whoever presses. */
  | { readonly kind: "files"; readonly ask: Ask }
  /** Opens the form of a command, with what is known already filled in. */
  | { readonly kind: "form"; readonly ask: Ask };

/** What a value says: the press itself, or where it is kept. */
type DecodedPress = Press | { readonly kind: "kept"; readonly key: string };

/** Longer values are kept in the store, since they count towards the length of the whole message. */
const INLINE_PRESS_LENGTH = Math.min(600, BUTTON_VALUE_LENGTH);

const AskSchema = z.object({
  command: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
const PressSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: AskSchema,
    effect: z.enum(["replace", "reply"]),
    asker: z.string().optional(),
    fresh: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal("share"), ask: AskSchema, asker: z.string().optional() }),
  z.object({ kind: z.enum(["files", "form"]), ask: AskSchema }),
]);
/** `v` changes when the meaning of what is stored changes; older buttons then answer "run it again". */
const VersionedPressSchema = z.union([
  z.object({ v: z.literal(1), press: PressSchema }),
  z.object({ v: z.literal(1), key: z.string() }),
]);

/** The press as a button's value, or undefined when it must be kept in the store. */
export function encodePress(press: Press): string | undefined {
  const value = JSON.stringify(pressPayload(press));
  return value.length <= INLINE_PRESS_LENGTH ? value : undefined;
}

/** The value of a button whose press is kept under a key of at most 22 characters. */
export function storedPressValue(key: string): string {
  return JSON.stringify({ v: 1, key });
}

/** The longest of those. */
export const STORED_PRESS_VALUE_LENGTH = storedPressValue("k".repeat(22)).length;

/** What goes into the store for a press. */
export function pressPayload(press: Press): unknown {
  return { v: 1, press };
}

/** Undefined for what another version, or nobody, has made. */
export function decodePress(value: unknown): DecodedPress | undefined {
  const parsed = VersionedPressSchema.safeParse(typeof value === "string" ? parseJson(value) : value);
  if (!parsed.success) return undefined;
  return "key" in parsed.data ? { kind: "kept", key: parsed.data.key } : parsed.data.press;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the adapter knows of the message that a reply becomes. */
export interface MessageContext {
  /** Who asked; left out for what is sent unasked. */
  readonly asker?: string;
  /** What was asked, for Refresh and Share. */
  readonly ask?: Ask;
  /** Only the asker sees it, in a place where others could. */
  readonly shareable?: boolean;
  /** It takes the place of a message whose files, if any, were sent with that. */
  readonly replaces?: boolean;
  /** What was asked lacks something that a form can ask for. */
  readonly form?: Ask;
}

interface Buttons {
  readonly block: ActionsBlock | undefined;
  /** Presses too long for a button, by the action_id of the button that waits for their key. */
  readonly unstored: ReadonlyMap<string, Press>;
  /** One line of mrkdwn for each action that is not a button. */
  readonly overflow: readonly string[];
  /** False where a label was cut. */
  readonly whole: boolean;
}

/** Asked before something is shared that takes a while to make. */
const SHARE_QUESTION = "The file is made again and posted where everybody here can see it.";

/** More buttons than this are not looked at; the rest is said in words. */
const MAX_ACTION_BUTTONS = 10;
/** What the buttons of a message may carry together; the longest values beyond it are kept in the store. */
const BUTTONS_LENGTH = 6000;
/** A button that asks first, beside what it carries. */
const LONGEST_BUTTON_LENGTH =
  BUTTON_LABEL_LENGTH + CONFIRM_TEXT_LENGTH + CONFIRM_BUTTON_LENGTH + STORED_PRESS_VALUE_LENGTH + 30;
/** Kept free for those that every message has: Refresh, Fill in, Send as file, Share. */
const RESERVED_BUTTONS_LENGTH = 600;

/** The actions of a reply as buttons, with those that every message has. */
export function renderButtons(reply: Reply, context: MessageContext, more: { files: boolean }): Buttons {
  const { ask, asker, form } = context;
  const elements: Button[] = [];
  const unkept = new Map<string, Press>();
  const left: string[] = [];
  let whole = true;
  let room = BUTTONS_LENGTH;
  const put = (button: Button, kept = 0): void => {
    elements.push(button);
    room -= textLength(button) + kept;
  };
  const add = (label: string, press: Press, asked: Pick<Button, "confirm" | "style"> = {}): void => {
    const actionId = `press:${elements.length}`;
    const text = { type: "plain_text", text: label, emoji: false } as const;
    const value = encodePress(press);
    if (value !== undefined && value.length <= Math.max(STORED_PRESS_VALUE_LENGTH, room - RESERVED_BUTTONS_LENGTH)) {
      put({ type: "button", action_id: actionId, text, value, ...asked });
    } else {
      unkept.set(actionId, press);
      put({ type: "button", action_id: actionId, text, ...asked }, STORED_PRESS_VALUE_LENGTH);
    }
  };
  for (const action of reply.actions) {
    const href = "url" in action ? linkable(action.url) : "";
    const length = LONGEST_BUTTON_LENGTH + (href?.length ?? 0);
    if (elements.length >= MAX_ACTION_BUTTONS || href === undefined || length > room - RESERVED_BUTTONS_LENGTH) {
      left.push(actionLine(action));
      continue;
    }
    const label = labelOf(action);
    whole &&= label.whole;
    if ("url" in action) {
      const text = { type: "plain_text", text: label.text, emoji: false } as const;
      put({ type: "button", action_id: `link:${elements.length}`, text, url: href });
    } else {
      const { confirm: question, effect, invocation } = action;
      const asked = question === undefined ? {} : dangerStyle(question, label.text);
      add(label.text, { kind: "ask", ask: invocation, effect, asker }, asked);
    }
  }
  if (ask !== undefined && mayRefresh(reply, ask)) {
    const press = { kind: "ask", ask, effect: "replace", asker } as const;
    if (reply.failure === undefined) add("Refresh", press);
    else add("Try again", { ...press, fresh: true });
  }
  if (form !== undefined) add("Fill in", { kind: "form", ask: form });
  if (ask !== undefined && more.files) add("Send as file", { kind: "files", ask });
  if (ask !== undefined && context.shareable === true && reply.failure === undefined) {
    const again = reply.attachments.length === 0 ? {} : { confirm: confirmation(SHARE_QUESTION, "Share") };
    add("Share", { kind: "share", ask, asker }, again);
  }
  const block = elements.length === 0 ? undefined : ({ type: "actions", elements } as const);
  return { block, unstored: unkept, overflow: left, whole };
}

/** The same question again, where the reply does not offer that itself and asking again costs little. */
function mayRefresh(reply: Reply, ask: Ask): boolean {
  if (ask.command === "help" || reply.attachments.length > 0 || reply.failure === "caller") return false;
  return !reply.actions.some((action) => "invocation" in action && action.label === "Refresh");
}

/** The address as a button takes it; undefined where none does. */
function linkable(url: string): string | undefined {
  const href = /^https?:\/\//iu.test(url) ? URL.parse(url)?.href : undefined;
  return href !== undefined && href.length <= BUTTON_URL_LENGTH ? href : undefined;
}

function labelOf(action: Action): { text: string; whole: boolean } {
  const offered = [action.label, "url" in action ? "Open" : action.invocation.command, "Run"];
  const text = offered.find((label) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(oneLine(label))) ?? "Run";
  return renderPlain([{ kind: "text", text }], BUTTON_LABEL_LENGTH);
}

/** What makes a button one that destroys: it asks first, and looks like it. */
export function dangerStyle(question: string, label: string): Pick<Button, "confirm" | "style"> {
  return { style: "danger", confirm: confirmation(question, label) };
}

function confirmation(question: string, label: string): ConfirmationDialog {
  const text = renderPlain(
    [{ kind: "text", text: oneLine(question).trim() === "" ? "Are you sure?" : question }],
    CONFIRM_TEXT_LENGTH,
  );
  const cut = label
    .slice(0, CONFIRM_BUTTON_LENGTH)
    .toWellFormed()
    .replace(/&[a-z]*$/u, "");
  return {
    title: { type: "plain_text", text: "Are you sure?", emoji: false },
    text: { type: "plain_text", text: text.text, emoji: false },
    confirm: { type: "plain_text", text: cut === "" ? "Yes" : cut, emoji: false },
    deny: { type: "plain_text", text: "Cancel", emoji: false },
  };
}

function actionLine(action: Action): string {
  const label = oneLine(action.label).trim();
  if (!("url" in action)) return escapeMrkdwn(oneLine(`${label}: ${formatAsk(action.invocation)}`));
  return linkable(action.url) !== undefined
    ? linkMarkup(label === "" ? "link" : label, action.url)
    : escapeMrkdwn(oneLine(`${label}: ${action.url}`));
}

/** Characters of all strings that a block shows or carries. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0);
}
