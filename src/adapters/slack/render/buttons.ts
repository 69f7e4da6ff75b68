import type { ActionsBlock, Button, ConfirmationDialog } from "@slack/types";
import { z } from "zod";

import { Ask, Document, type Immutable } from "../../../reply/document.ts";
import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import { formatAsk } from "../../../reply/full-text.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Reply } from "../../../reply/reply.ts";
import { refreshLabel } from "../../../bot/refresh-label.ts";
import { parseJson } from "../../parse-json.ts";
import {
  BUTTON_LABEL_LENGTH,
  BUTTON_URL_LENGTH,
  BUTTON_VALUE_LENGTH,
  CONFIRM_BUTTON_LENGTH,
  CONFIRM_TEXT_LENGTH,
} from "../limits.ts";
import { escapeMrkdwn, linkMarkup, renderPlain } from "./mrkdwn.ts";

/** The action of a button, encoded in its value, or stored under a key in the value: it outlives the process. */
const Press = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    effect: z.enum(["replace", "reply"]),
    /** The user who asked for the message; left out for an alert. */
    asker: z.string().optional(),
    /** The message is an error, so its files, if any, were not sent. */
    fresh: z.literal(true).optional(),
  }),
  /**
   * Posts the reply as it was shown, without its files. It runs nothing; a reply too long to keep is left out. Those of
   * earlier versions name a command instead, which is ignored.
   */
  z.object({ kind: z.literal("share"), shown: Document.optional(), files: z.int().min(0).optional() }),
  /** Runs the command again and sends the omitted content as files. */
  z.object({ kind: z.literal("files"), ask: Ask }),
  /** Opens the form of a command, with the known values filled in. */
  z.object({ kind: z.literal("form"), ask: Ask }),
]);
export type Press = Immutable<z.infer<typeof Press>>;

/** A decoded value: the press itself, or the key under which it is stored. */
type DecodedPress = Press | { readonly kind: "stored"; readonly key: string };

/** Longer values are stored, since they count towards the length of the message. */
const INLINE_PRESS_LENGTH = Math.min(600, BUTTON_VALUE_LENGTH);

/** `v` changes with the meaning of a stored press; older buttons then answer "run it again". */
const VersionedPressSchema = z.union([
  z.object({ v: z.literal(1), press: Press }),
  z.object({ v: z.literal(1), key: z.string() }),
]);

/** The press as a button's value, or undefined when it must go into the store, which keeps a shown reply for a day. */
export function encodePress(press: Press): string | undefined {
  if (press.kind === "share" && press.shown !== undefined) return undefined;
  const value = JSON.stringify(pressPayload(press));
  return value.length <= INLINE_PRESS_LENGTH ? value : undefined;
}

/** The value of a button whose press is stored under a key of at most 22 characters. */
export function storedPressValue(key: string): string {
  return JSON.stringify({ v: 1, key });
}

/** The longest of those. */
export const STORED_PRESS_VALUE_LENGTH = storedPressValue("k".repeat(22)).length;

/** The stored form of a press. */
export function pressPayload(press: Press): unknown {
  return { v: 1, press };
}

/** Undefined for a value of another version, or one that the bot did not make. */
export function decodePress(value: unknown): DecodedPress | undefined {
  const parsed = VersionedPressSchema.safeParse(typeof value === "string" ? parseJson(value) : value);
  if (!parsed.success) return undefined;
  return "key" in parsed.data ? { kind: "stored", key: parsed.data.key } : parsed.data.press;
}

/** The context of a message, beside its reply. */
export interface MessageContext {
  /** Who asked; left out for an alert. */
  readonly asker?: string;
  /** The command, for Refresh and Send as file; left out where it must not run again. */
  readonly ask?: Ask;
  /** Only the asker sees it, in a channel where others could. */
  readonly shareable?: boolean;
  /** It replaces a message; that one's files, if any, were sent with it. */
  readonly replaces?: boolean;
  /** Set if required values are missing that a form can ask for. */
  readonly form?: Ask;
}

interface Buttons {
  readonly block: ActionsBlock | undefined;
  /** Presses too long for a button, by the action_id of their button, until they are stored. */
  readonly unstored: ReadonlyMap<string, Press>;
  /** One line of mrkdwn for each action that is not a button. */
  readonly overflow: readonly string[];
  /** False where a label was cut. */
  readonly whole: boolean;
}

/** A longer reply is not kept for Share; the store's own limit leaves room for the rest of a press. */
const MAX_SHOWN_LENGTH = 65_000;

/** Further actions become lines of text. */
const MAX_ACTION_BUTTONS = 10;
/** The total length of all button values of a message; values beyond it are stored. */
const BUTTONS_LENGTH = 6000;
/** The length of a button with confirmation and a stored press. */
const LONGEST_BUTTON_LENGTH =
  BUTTON_LABEL_LENGTH + CONFIRM_TEXT_LENGTH + CONFIRM_BUTTON_LENGTH + STORED_PRESS_VALUE_LENGTH + 30;
/** Reserved for Refresh, Fill in, Send as file and Share. */
const RESERVED_BUTTONS_LENGTH = 600;

/** Renders the actions of a reply as buttons, followed by the common ones. */
export function renderButtons(reply: Reply, context: MessageContext, more: { files: boolean }): Buttons {
  const { ask, asker, form } = context;
  const elements: Button[] = [];
  const unstored = new Map<string, Press>();
  const overflow: string[] = [];
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
      unstored.set(actionId, press);
      put({ type: "button", action_id: actionId, text, ...asked }, STORED_PRESS_VALUE_LENGTH);
    }
  };
  for (const action of asButtons(reply.actions)) {
    const href = "url" in action ? linkable(action.url) : "";
    const length = LONGEST_BUTTON_LENGTH + (href?.length ?? 0);
    if (elements.length >= MAX_ACTION_BUTTONS || href === undefined || length > room - RESERVED_BUTTONS_LENGTH) {
      overflow.push(actionLine(action));
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
  const again = refreshLabel(reply, ask);
  if (ask !== undefined && again !== undefined) {
    const press = { kind: "ask", ask, effect: "replace", asker } as const;
    add(again, reply.failure === undefined ? press : { ...press, fresh: true });
  }
  if (form !== undefined) add("Fill in", { kind: "form", ask: form });
  if (ask !== undefined && more.files) add("Send as file", { kind: "files", ask });
  if (context.shareable === true && reply.failure === undefined) {
    const files = reply.attachments.length + (reply.picture === undefined ? 0 : 1);
    add("Share", { kind: "share", shown: shownOf(reply), ...(files === 0 ? {} : { files }) });
  }
  const block = elements.length === 0 ? undefined : ({ type: "actions", elements } as const);
  return { block, unstored, overflow, whole };
}

/** The part of a reply that Share keeps: no files, and of the actions only links. */
function shownOf({ picture: _picture, attachments: _files, ...document }: Reply): Document | undefined {
  const shown = { ...document, actions: document.actions.filter((action) => "url" in action) };
  return JSON.stringify(shown).length <= MAX_SHOWN_LENGTH ? shown : undefined;
}

/** A button's URL; undefined for one that Slack would reject. */
function linkable(url: string): string | undefined {
  const href = /^https?:\/\//iu.test(url) ? URL.parse(url)?.href : undefined;
  return href !== undefined && href.length <= BUTTON_URL_LENGTH ? href : undefined;
}

function labelOf(action: ButtonAction): { text: string; whole: boolean } {
  const offered = [action.label, "url" in action ? "Open" : action.invocation.command, "Run"];
  const text = offered.find((label) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(oneLine(label))) ?? "Run";
  return renderPlain([{ kind: "text", text }], BUTTON_LABEL_LENGTH);
}

/** A destructive button: it asks first, and looks dangerous. */
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

function actionLine(action: ButtonAction): string {
  const label = oneLine(action.label).trim();
  if (!("url" in action)) return escapeMrkdwn(oneLine(`${label}: ${formatAsk(action.invocation)}`));
  return linkable(action.url) !== undefined
    ? linkMarkup(label === "" ? "link" : label, action.url)
    : escapeMrkdwn(oneLine(`${label}: ${action.url}`));
}

/** Characters of all strings in a block, shown or carried. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0);
}
