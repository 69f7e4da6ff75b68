import { type APIActionRowComponent, type APIButtonComponent, ButtonStyle, ComponentType } from "discord-api-types/v10";
import { z } from "zod";

import { Ask, type Immutable } from "../../../reply/document.ts";
import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Action, Reply } from "../../../reply/reply.ts";
import { refreshLabel } from "../../../bot/refresh-label.ts";
import { parseJson } from "../../parse-json.ts";
import { BUTTON_LABEL_LENGTH, BUTTON_URL_LENGTH, BUTTONS_PER_ROW, CUSTOM_ID_LENGTH, MAX_BUTTONS } from "../limits.ts";
import { escapeMarkdown, isWebAddress, linkLabel, linkTarget, type ShortenedId } from "./markdown.ts";

/** The context of a message, beside its reply. */
export interface MessageContext {
  /** The user who asked; left out for an alert. */
  readonly asker?: string;
  /** The command, for Refresh; left out where it must not run again. */
  readonly ask?: Ask;
  /** The reply is the question before an action: its buttons say yes. */
  readonly confirms?: true;
  /** Only the asker sees it, in a place where others could. */
  readonly shareable?: boolean;
}

export type ActionRows = APIActionRowComponent<APIButtonComponent>[];

interface Buttons {
  readonly rows: ActionRows;
  /** Presses too long for a button, by a temporary custom_id until they are stored. */
  readonly unstored: ReadonlyMap<string, Press>;
  /** False where a label was cut. */
  readonly whole: boolean;
}

/** Reserved for the buttons that any message may have: Refresh, Full ids and Share. */
const COMMON_BUTTONS = 3;

/** Splits actions into buttons and, beyond the limit, lines of markdown. */
export function splitActions(actions: readonly Action[]): { shown: readonly ButtonAction[]; left: readonly string[] } {
  const shown: ButtonAction[] = [];
  const left: string[] = [];
  for (const action of asButtons(actions)) {
    const possible = !("url" in action) || isWebAddress(linkTarget(action.url), BUTTON_URL_LENGTH);
    if (possible && shown.length < MAX_BUTTONS - COMMON_BUTTONS) shown.push(action);
    else left.push(actionLine(action));
  }
  return { shown, left };
}

/** Renders actions as buttons, followed by Refresh, Full ids and Share where they apply. */
export function renderButtons(
  actions: readonly ButtonAction[],
  reply: Reply,
  ids: readonly ShortenedId[],
  context: MessageContext,
): Buttons {
  const buttons: APIButtonComponent[] = [];
  const unstored = new Map<string, Press>();
  let whole = true;
  const add = (label: string, press: Press, style: ButtonStyle.Secondary | ButtonStyle.Danger): void => {
    const index = buttons.length;
    const encoded = encodePress(press, index);
    const customId = encoded ?? `unkept:${index}`;
    if (encoded === undefined) unstored.set(customId, press);
    buttons.push({ type: ComponentType.Button, style, label, custom_id: customId });
  };
  for (const action of actions) {
    const label = labelOf(action);
    whole &&= label.whole;
    if ("url" in action) {
      const url = linkTarget(action.url);
      buttons.push({ type: ComponentType.Button, style: ButtonStyle.Link, label: label.text, url });
    } else {
      const { asker } = context;
      const { confirm, invocation: ask, effect } = action;
      const style = confirm === undefined ? ButtonStyle.Secondary : ButtonStyle.Danger;
      const answered = context.confirms === true ? "confirmed" : effect;
      add(label.text, { kind: "ask", ask, effect: answered, asker, confirm }, style);
    }
  }
  const { ask, asker } = context;
  const again = refreshLabel(reply, ask);
  if (ask !== undefined && again !== undefined) {
    add(again, { kind: "ask", ask, effect: "replace", asker }, ButtonStyle.Secondary);
  }
  if (ids.length > 0) add(ids.length === 1 ? "Full id" : "Full ids", { kind: "ids", ids }, ButtonStyle.Secondary);
  if (context.shareable === true && reply.failure === undefined) add("Share", { kind: "share" }, ButtonStyle.Secondary);

  const rows: ActionRows = [];
  for (let start = 0; start < buttons.length; start += BUTTONS_PER_ROW) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(start, start + BUTTONS_PER_ROW) });
  }
  return { rows, unstored, whole };
}

function labelOf(action: ButtonAction): { text: string; whole: boolean } {
  const given = oneLine(action.label).trim();
  // Discord refuses a label without a visible character.
  const shown = /[\p{L}\p{N}\p{P}\p{S}]/u.test(given)
    ? given
    : "url" in action
      ? "Open"
      : oneLine(action.invocation.command).trim() || "Run";
  if (shown.length <= BUTTON_LABEL_LENGTH) return { text: shown, whole: true };
  return {
    text: `${shown
      .slice(0, BUTTON_LABEL_LENGTH - 1)
      .toWellFormed()
      .replace(/\uFFFD$/u, "")}…`,
    whole: false,
  };
}

function actionLine(action: ButtonAction): string {
  if ("url" in action) {
    const label = linkLabel(oneLine(action.label)).trim();
    return `[${label === "" ? "link" : label}](${linkTarget(action.url)})`;
  }
  const label = escapeMarkdown(oneLine(action.label));
  return `${label}: ${escapeMarkdown(oneLine(commandLine(action.invocation)))}`;
}

/** An invocation as one would type it. */
export function commandLine(ask: Ask): string {
  return [`/${ask.command}`, ...Object.entries(ask.options).map(([name, value]) => `${name}:${value}`)].join(" ");
}

/** An effect as the number in a custom_id; `confirmed` takes the place of the question that it answers. */
const EFFECTS = ["reply", "replace", "confirmed"] as const;

/** The action of a button, encoded in its custom_id, or stored under a key in it: it outlives the process. */
const Press = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    effect: z.enum(EFFECTS),
    /** The user who asked for the message; left out for an alert. */
    asker: z.string().optional(),
    /** The question to confirm first. */
    confirm: z.string().optional(),
  }),
  z.object({ kind: z.literal("ids"), ids: z.array(z.object({ name: z.string(), value: z.string() })) }),
  z.object({ kind: z.literal("share") }),
]);
export type Press = Immutable<z.infer<typeof Press>>;

/** A decoded custom_id: the press itself, or the key under which it is stored. */
type DecodedPress = Press | { readonly kind: "stored"; readonly key: string };

/** Raised when the meaning of a stored press changes; older buttons then answer "run it again". */
const SCHEMA_VERSION = "1";

const PressPayloadSchema = z.object({ v: z.literal(SCHEMA_VERSION), press: Press });

/**
 * Encodes a press as a custom_id; undefined when it does not fit. `index` is the button's position in its message,
 * since two buttons of one message must not share an id.
 */
export function encodePress(press: Press, index: number): string | undefined {
  const content = (() => {
    switch (press.kind) {
      case "ask": {
        const { command, options } = press.ask;
        return JSON.stringify([
          EFFECTS.indexOf(press.effect),
          press.asker ?? 0,
          command,
          Object.keys(options).length === 0 ? 0 : options,
          ...(press.confirm === undefined ? [] : [press.confirm]),
        ]).slice(1, -1);
      }
      case "ids":
        return JSON.stringify(press.ids.map(({ name, value }) => [name, value])).slice(1, -1);
      case "share":
        return "";
    }
  })();
  const customId = `${SCHEMA_VERSION}${KIND_LETTERS[press.kind]}${index}:${content}`;
  // JSON escapes lone surrogates, so the content survives the round trip.
  return customId.length <= CUSTOM_ID_LENGTH ? customId : undefined;
}

/** The custom_id of a stored press. */
export function storedPressId(key: string, index: number): string {
  return `${SCHEMA_VERSION}k${index}:${key}`;
}

/** Decodes a custom_id; undefined for one of another version or of no version of ours. */
export function decodePress(customId: string): DecodedPress | undefined {
  const match = /^(\w)([aisk])\d+:(.*)$/su.exec(customId);
  if (match === null || match[1] !== SCHEMA_VERSION) return undefined;
  const content = match[3] ?? "";
  if (match[2] === "k") return { kind: "stored", key: content };
  if (match[2] === "s") return { kind: "share" };
  const values = parseJson(`[${content}]`);
  if (match[2] === "i") {
    const ids = z.array(z.tuple([z.string(), z.string()])).safeParse(values);
    return ids.success ? { kind: "ids", ids: ids.data.map(([name, value]) => ({ name, value })) } : undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const [effect, asker, command, options, confirm] = values as unknown[];
  const parsed = Press.safeParse({
    kind: "ask",
    ask: { command, options: options === 0 ? {} : options },
    effect: typeof effect === "number" ? EFFECTS[effect] : undefined,
    ...(asker === 0 ? {} : { asker }),
    ...(confirm === undefined ? {} : { confirm }),
  });
  return parsed.success ? parsed.data : undefined;
}

/** The stored form of a press. */
export function pressPayload(press: Press): unknown {
  return { v: SCHEMA_VERSION, press };
}

/** The press in a stored payload; undefined for one of another version. */
export function parsePressPayload(payload: unknown): Press | undefined {
  const parsed = PressPayloadSchema.safeParse(payload);
  return parsed.success ? parsed.data.press : undefined;
}

const KIND_LETTERS: Record<Press["kind"], string> = { ask: "a", ids: "i", share: "s" };
