import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  KnownBlock,
  Overflow,
  PlainTextOption,
  StaticSelect,
} from "@slack/types";

import type { Ask, Invalidates } from "../../../reply/document.ts";
import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import { formatAsk } from "../../../reply/full-text.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Action, Reply } from "../../../reply/reply.ts";
import { type KeptOffer, type Offer, type Offered, planButtons, SEND_FILES } from "../../chat/button-plan.ts";
import { type KeptPress, mainAction, type Press } from "../../chat/press.ts";
import {
  BUTTON_LABEL_LENGTH,
  BUTTON_URL_LENGTH,
  CONFIRM_BUTTON_LENGTH,
  CONFIRM_TEXT_LENGTH,
  MAX_OPTIONS,
  OPTION_VALUE_LENGTH,
  OVERFLOW_OPTIONS,
} from "../limits.ts";
import { ROOT_COMMAND } from "../platform.ts";
import { escapeMrkdwn, linkMarkup, plainTextElement, renderPlain, textLength } from "./mrkdwn.ts";
import {
  decodePress,
  encodePress,
  INLINE_PRESS_LENGTH,
  type MessageContext,
  placeholderKey,
  STORED_PRESS_VALUE_LENGTH,
  storedPressValue,
} from "./press.ts";
import { choiceLines, visibleLabel } from "../../chat/bounds.ts";

interface Buttons {
  readonly block: ActionsBlock | undefined;
  /** Presses too long for a value, by the placeholder of their key, until they are stored. */
  readonly unstored: ReadonlyMap<string, Press>;
  /** One line of mrkdwn for each action that is no button, and in no menu. */
  readonly overflow: readonly string[];
  /** False where a label was cut. */
  readonly whole: boolean;
  /** Where its files are sent from, in words: `⋯ Send as file`, where it is in the menu. */
  readonly sendsFiles: string;
}

/** Buttons in one row on a phone; the rest is in a menu, but for what the reply itself offers, up to two rows of it. */
const MAX_BUTTONS = 3;
const MAX_OWN_BUTTONS = 6;
/** The label of a long menu; a short one shows three dots. */
const MORE = "More";
/** The total length of all that buttons and menus of a message carry; what is beyond it becomes text. */
const BUTTONS_LENGTH = 5000;
/** Reserved for Fill in (or Other values), Details, Share, Refresh and Send as file. */
const RESERVED_BUTTONS_LENGTH = 600;
/** The value of a link in a menu: Slack opens the link, and the app has nothing to do. */
export const LINK_VALUE = "link";

/** The placeholder of the key of the kept reply. */
export const KEPT_KEY = placeholderKey("kept");

type Asked = Pick<Button, "confirm" | "style">;

/** Something to press, as a button or in a menu, whose values are shorter. */
interface Pressable {
  readonly label: string;
  readonly value: (max: number) => string;
  readonly url?: string;
  readonly asked?: Asked;
  /** The same in words, of what the reply itself offers: a button before what every message offers. */
  readonly line?: string;
  /** A button in any case. */
  readonly pinned?: true;
}

/** What a reply offers, and behind it what every message does. */
const OWN = ["form", "actions"] as const;
const COMMON = ["fold", "again", "share", "files"] as const;

/** Few buttons, choices, and a menu for the rest; lists that hold what is asked come first. */
export function renderButtons(
  reply: Reply,
  context: MessageContext,
  { kept, ...offered }: Omit<Offered, "kept"> & { readonly kept?: KeptPress | undefined },
): Buttons {
  const drawn = new DrawnOffers(context, kept, mainAction(reply, context));
  // Values of what is asked stand before the form for other ones.
  const own = reply.actions.some((action) => "choices" in action) ? OWN.toReversed() : OWN;
  const plan = planButtons(reply, context, { ...offered, kept: kept !== undefined }, [...own, ...COMMON]);
  for (const offer of plan) drawn.add(offer);
  const { pressables, selects, unstored, overflow, whole } = drawn;
  const { buttons, menu, lines } = arrange(pressables);
  const [others] = menuOf(menu.map(optionOf));
  const parts = [selects, buttons.map(buttonOf)];
  const elements = [...(reply.asks === true ? parts : parts.toReversed()).flat(), ...(others ? [others] : [])];
  const inMenu = menu.some(({ label }) => label === SEND_FILES);
  const sendsFiles = inMenu ? `${others?.type === "overflow" ? "⋯" : MORE} ${SEND_FILES}` : SEND_FILES;
  const block = elements.length === 0 ? undefined : ({ type: "actions", elements } as const);
  return { block, unstored, overflow: [...overflow, ...lines.map(({ line = "" }) => line)], whole, sendsFiles };
}

/** What a message offers, as far as the length of its buttons allows; the rest becomes text. */
class DrawnOffers {
  readonly pressables: Pressable[] = [];
  readonly selects: StaticSelect[] = [];
  readonly unstored = new Map<string, Press>();
  readonly overflow: string[] = [];
  whole = true;
  #room = BUTTONS_LENGTH;
  readonly #asker: string | undefined;
  readonly #command: string;
  readonly #kept: KeptPress | undefined;
  readonly #main: Action | undefined;

  constructor({ asker, command = ROOT_COMMAND }: MessageContext, kept: KeptPress | undefined, main?: Action) {
    this.#main = main;
    this.#asker = asker;
    this.#command = command;
    this.#kept = kept;
  }

  add(offer: Offer): void {
    if (offer.kind === "press") this.#press(offer.label, offer.press);
    else if (offer.kind === "kept") this.#keep(offer);
    else if ("choices" in offer.action) this.#choice(offer.action);
    else this.#action(offer.action);
  }

  /** The length left for the actions of the reply. */
  get #free(): number {
    return this.#room - RESERVED_BUTTONS_LENGTH;
  }

  #press(label: string, press: Press, rest: Pick<Pressable, "asked" | "line"> = {}): void {
    const key = placeholderKey(String(this.pressables.length));
    const longest = Math.max(STORED_PRESS_VALUE_LENGTH, this.#free);
    const value = (max: number): string => {
      const inline = encodePress(press, Math.min(max, longest));
      if (inline === undefined) this.unstored.set(key, press);
      return inline ?? storedPressValue({ key });
    };
    const length = encodePress(press, Math.min(INLINE_PRESS_LENGTH, longest))?.length ?? STORED_PRESS_VALUE_LENGTH;
    this.#room -= label.length + length + textLength(rest.asked);
    this.pressables.push({ label, value, ...rest });
  }

  #keep({ label, show }: KeptOffer): void {
    if (this.#kept !== undefined) this.unstored.set(KEPT_KEY, this.#kept);
    const value = storedPressValue({ key: KEPT_KEY, show });
    this.pressables.push({ label, value: () => value, ...(show === undefined ? {} : { pinned: true }) });
  }

  #choice(action: Extract<Action, { choices: unknown }>): void {
    const place = this.selects.length;
    const key = placeholderKey(`choice${place}`);
    const choice = renderChoice(action, { key, action: `choose:${place}`, asker: this.#asker });
    const fits = choice !== undefined && textLength(choice.select) <= this.#free;
    const inWords = asButtons([action]).slice(fits ? MAX_OPTIONS : 0);
    this.overflow.push(...inWords.map((one) => actionLine(one, this.#command)));
    if (!fits) return;
    this.selects.push(choice.select);
    this.unstored.set(key, choice.press);
    this.#room -= textLength(choice.select);
    this.whole &&= choice.whole;
  }

  #action(action: ButtonAction): void {
    const label = labelOf(action);
    const line = actionLine(action, this.#command);
    const href = "url" in action ? linkable(action.url) : "";
    const question = "url" in action ? undefined : action.confirm;
    const asked = question === undefined ? {} : dangerStyle(question, label.text);
    const least = label.text.length + textLength(asked) + STORED_PRESS_VALUE_LENGTH;
    if (href === undefined || least + href.length > this.#free) {
      this.overflow.push(line);
      return;
    }
    this.whole &&= label.whole;
    if ("url" in action) {
      this.#room -= label.text.length + href.length;
      this.pressables.push({ label: label.text, value: () => LINK_VALUE, url: href, line });
      return;
    }
    const { effect, form, hints, invocation, invalidates } = action;
    const style = action === this.#main && question === undefined ? ({ style: "primary" } as const) : asked;
    const press: Press =
      form === true
        ? { kind: "form", ask: invocation, invalidates, hints }
        : { kind: "ask", ask: invocation, effect, asker: this.#asker, invalidates };
    this.#press(label.text, press, { asked: style, line });
  }
}

/**
 * Divides what can be pressed into buttons, entries of the menu and lines of text. A menu cannot ask for a confirmation,
 * and a long menu has no links.
 */
function arrange(all: readonly Pressable[]): Record<"buttons" | "menu" | "lines", readonly Pressable[]> {
  const asking = all.filter(({ asked }) => asked?.confirm !== undefined);
  const rank = (one: Pressable): number =>
    one.pinned === true ? 0 : asking.includes(one) ? 1 : one.line !== undefined ? 2 : 3;
  const needed = all.filter((one) => rank(one) < 3).length;
  const most = Math.max(MAX_BUTTONS, Math.min(needed, MAX_OWN_BUTTONS));
  // A menu has two options at least.
  const places = all.length === most + 1 ? most + (needed < most ? -1 : 1) : most;
  const first = new Set(all.toSorted((a, b) => rank(a) - rank(b)).slice(0, places));
  const rest = all.filter((one) => !first.has(one));
  const inWords = rest.filter(
    (one) => asking.includes(one) || (one.url !== undefined && rest.length > OVERFLOW_OPTIONS.max),
  );
  return {
    buttons: all.filter((one) => first.has(one)),
    menu: rest.filter((one) => !inWords.includes(one)),
    lines: inWords,
  };
}

function buttonOf({ label, value, url, asked }: Pressable, index: number): Button {
  const text = plainTextElement(label);
  return url === undefined
    ? { type: "button", action_id: `press:${index}`, text, value: value(INLINE_PRESS_LENGTH), ...asked }
    : { type: "button", action_id: `link:${index}`, text, url };
}

function optionOf({ label, value, url }: Pressable): PlainTextOption {
  return { text: plainTextElement(label), value: value(OPTION_VALUE_LENGTH), ...(url === undefined ? {} : { url }) };
}

function menuOf(options: PlainTextOption[]): (Overflow | StaticSelect)[] {
  if (options.length === 0) return [];
  const { min, max } = OVERFLOW_OPTIONS;
  if (options.length >= min && options.length <= max) return [{ type: "overflow", action_id: "menu", options }];
  return [{ type: "static_select", action_id: "menu", placeholder: plainTextElement(MORE), options }];
}

/** A button's URL; undefined for one that Slack would reject. */
function linkable(url: string): string | undefined {
  const href = /^https?:\/\//iu.test(url) ? URL.parse(url)?.href : undefined;
  return href !== undefined && href.length <= BUTTON_URL_LENGTH ? href : undefined;
}

function labelOf({ label, invocation }: { readonly label: string; readonly invocation?: Ask }) {
  return labelText([label, invocation?.command ?? "Open", "Run"]);
}

/** The first of these that is seen; as long as a button and an option take. */
function labelText(offered: readonly string[]): ReturnType<typeof renderPlain> {
  return renderPlain([{ kind: "text", text: visibleLabel(offered) }], BUTTON_LABEL_LENGTH);
}

/** What can be chosen from. */
export type Choice = Omit<Extract<Action, { choices: unknown }>, "invalidates"> & {
  readonly invalidates?: Invalidates | undefined;
};

/** A select of as many choices as one takes, and what it means; `key` is its placeholder. Undefined without a choice. */
export function renderChoice(
  { label, choices, effect, invalidates }: Choice,
  { key, action, asker }: { readonly key: string; readonly action: string; readonly asker: string | undefined },
): { readonly select: StaticSelect; readonly press: Press; readonly whole: boolean } | undefined {
  const offered = choices.slice(0, MAX_OPTIONS);
  if (offered.length === 0) return undefined;
  const placeholder = labelText([label, "Choose"]);
  const lines = offered.map((one) => {
    const [label, below] = choiceLines(one.label, BUTTON_LABEL_LENGTH);
    const text = labelOf({ ...one, label });
    return below === undefined ? { text } : { text, description: labelText([below]) };
  });
  return {
    select: {
      type: "static_select",
      action_id: action,
      placeholder: plainTextElement(placeholder.text),
      options: lines.map((line, at) => ({
        text: plainTextElement(line.text.text),
        ...(line.description && { description: plainTextElement(line.description.text) }),
        value: storedPressValue({ key, at }),
      })),
    },
    press: { kind: "choice", asks: offered.map(({ invocation }) => invocation), effect, asker, invalidates },
    whole: [placeholder, ...lines.flatMap((line) => Object.values(line))].every((one) => one.whole),
  };
}

/** The buttons of a message, and the options of its menus. */
export function pressablesIn(blocks: readonly KnownBlock[]): Pick<Button, "value" | "confirm">[] {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  return elements.flatMap((element): Pick<Button, "value" | "confirm">[] =>
    element.type === "button" ? [element] : "options" in element ? (element.options ?? []) : [],
  );
}

/** A block with the keys of its stored presses in place; undefined where nothing of it remains. */
export function withKeys(block: KnownBlock, keys: ReadonlyMap<string, string>): KnownBlock | undefined {
  if (block.type !== "actions") return block;
  const valueOf = (value: string | undefined): string | undefined => {
    const press = decodePress(value);
    if (press?.kind !== "stored") return value ?? "";
    const key = keys.get(press.key);
    return key === undefined ? undefined : storedPressValue({ ...press, key });
  };
  const elements = block.elements.flatMap((element): ActionsBlockElement[] => {
    if (element.type === "button") {
      if (element.value === undefined) return [element];
      const value = valueOf(element.value);
      return value === undefined ? [] : [{ ...element, value }];
    }
    if (element.type !== "static_select" && element.type !== "overflow") return [element];
    const options = (element.options ?? []).flatMap((option) => {
      const value = valueOf(option.value);
      return value === undefined ? [] : [{ ...option, value }];
    });
    if (element.type === "static_select") return options.length === 0 ? [] : [{ ...element, options }];
    return menuOf(options);
  });
  return elements.length === 0 ? undefined : { ...block, elements };
}

/** A destructive button: it asks first, and looks dangerous. */
export function dangerStyle(question: string, label: string): Pick<Button, "confirm" | "style"> {
  const text = renderPlain(
    [{ kind: "text", text: oneLine(question).trim() === "" ? "Are you sure?" : question }],
    CONFIRM_TEXT_LENGTH,
  );
  const cut = label
    .slice(0, CONFIRM_BUTTON_LENGTH)
    .toWellFormed()
    .replace(/&[a-z]*$/u, "");
  const confirm = {
    title: plainTextElement("Are you sure?"),
    text: plainTextElement(text.text),
    confirm: plainTextElement(cut === "" ? "Yes" : cut),
    deny: plainTextElement("Cancel"),
  };
  return { style: "danger", confirm };
}

function actionLine(action: ButtonAction, command: string): string {
  const label = oneLine(action.label).trim();
  if (!("url" in action)) return escapeMrkdwn(oneLine(`${label}: ${command} ${formatAsk(action.invocation)}`));
  return linkable(action.url) !== undefined
    ? linkMarkup(label === "" ? "link" : label, action.url)
    : escapeMrkdwn(oneLine(`${label}: ${action.url}`));
}
