import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from "@slack/types";
import { z } from "zod";

import type { AnyCommand } from "../../../bot/command.ts";
import { isRequired } from "../../../bot/grammar/usage.ts";
import type { Option } from "../../../bot/options/options.ts";
import type { Immutable } from "../../../reply/document.ts";
import type { Ask } from "../../../reply/reply.ts";
import { parseJson } from "../../parse-json.ts";
import {
  INPUT_HINT_LENGTH,
  INPUT_TEXT_LENGTH,
  MAX_OPTIONS,
  MODAL_TITLE_LENGTH,
  OPTION_TEXT_LENGTH,
  OPTION_VALUE_LENGTH,
  PLACEHOLDER_LENGTH,
  PRIVATE_METADATA_LENGTH,
  SECTION_LENGTH,
} from "../limits.ts";
import { sectionBlock } from "./blocks.ts";
import { renderPlain, renderText } from "./mrkdwn.ts";

// A command's options as a modal: Slack has no typed options, so the form asks for them.

/** State that a form carries as its private_metadata until it is submitted. */
const FormMetadata = z.object({
  command: z.string(),
  /** The response_url of the answer; without it, the answer goes to direct messages. */
  response: z.object({ url: z.url(), since: z.number(), used: z.number() }).exactOptional(),
  /** The response_url belongs to a button: an answer there appears below its message. */
  button: z.literal(true).exactOptional(),
  channel: z.string().exactOptional(),
  thread: z.string().exactOptional(),
  /** Whether others could see an answer there. */
  shared: z.boolean(),
});
export type FormMetadata = Immutable<z.infer<typeof FormMetadata>>;

const VersionedMetadata = FormMetadata.extend({ v: z.literal(1) });

export const FORM_CALLBACK_ID = "form";
/** The element that holds an option's value, in the block that bears the option's name. */
const VALUE_ACTION_ID = "value";
const BLOCK_ID_PREFIX = "option:";

/** Of a form with all of these, they come first; the others are behind "More options". */
const FIRST_OPTIONS: readonly string[] = ["kinds", "severity", "style", "quiet", "mention"];
/** The action of that button. */
export const MORE_ACTION_ID = "more";

/** What the button says that sends the form of a command which changes something, by the command's last word. */
const VERBS: Readonly<Record<string, string>> = {
  ack: "Acknowledge",
  add: "Subscribe",
  drill: "Begin",
  edit: "Save",
  export: "Export",
  forget: "Forget",
  party: "Save",
  pause: "Pause",
  remove: "Remove",
  resume: "Resume",
  set: "Save",
  silence: "Silence",
  unsilence: "End silence",
};

/** A command's form; `all` shows the options that are otherwise behind "More options". */
export function renderForm(
  command: AnyCommand,
  given: Ask["options"],
  networks: readonly string[],
  metadata: FormMetadata,
  all = false,
): ModalView {
  const json = JSON.stringify({ v: 1, ...metadata });
  const options = Object.entries(command.options);
  const isLong = FIRST_OPTIONS.every((name) => name in command.options);
  const isFirst = ([name, option]: (typeof options)[number]): boolean =>
    all || !isLong || isRequired(option) || name in given || FIRST_OPTIONS.includes(name);
  const rank = ([name, option]: (typeof options)[number]): number => {
    const at = FIRST_OPTIONS.indexOf(name);
    return isRequired(option) ? -1 : at === -1 ? FIRST_OPTIONS.length : at;
  };
  const shown = options.filter(isFirst);
  const ordered = isLong ? shown.toSorted((a, b) => rank(a) - rank(b)) : shown;
  const more: KnownBlock[] = [
    {
      type: "actions",
      elements: [
        { type: "button", action_id: MORE_ACTION_ID, text: plainTextObject("More options", 75), value: MORE_ACTION_ID },
      ],
    },
  ];
  const verb = VERBS[command.name.split(" ").at(-1) ?? ""] ?? "Ask";
  const blocks: KnownBlock[] = [
    sectionBlock(renderText([{ kind: "text", text: `${command.summary}.` }], { max: SECTION_LENGTH }).mrkdwn),
    ...ordered.map(([name, option]) => inputOf(name, option, given[name], networks)),
    ...(shown.length < options.length ? more : []),
  ];
  return {
    type: "modal",
    callback_id: FORM_CALLBACK_ID,
    title: plainTextObject(command.name, MODAL_TITLE_LENGTH),
    submit: plainTextObject(verb, MODAL_TITLE_LENGTH),
    close: plainTextObject("Cancel", MODAL_TITLE_LENGTH),
    // Without a response_url that is too long to carry, the answer comes as a direct message.
    private_metadata:
      json.length <= PRIVATE_METADATA_LENGTH ? json : JSON.stringify({ v: 1, ...metadata, response: undefined }),
    blocks,
  };
}

export const ASK_CALLBACK_ID = "ask";
/** The blocks of "Ask Bellwether". */
export const ASK_BLOCKS = { line: "ask:line", command: "ask:command" } as const;

/** "Ask Bellwether": a question as it would be typed, or one to choose, whose own form follows. */
export function renderAskForm(root: string, commands: readonly AnyCommand[]): ModalView {
  const label = (words: string) => plainTextObject(words, 100);
  return {
    type: "modal",
    callback_id: ASK_CALLBACK_ID,
    title: plainTextObject("Ask Bellwether", MODAL_TITLE_LENGTH),
    submit: plainTextObject("Ask", MODAL_TITLE_LENGTH),
    close: plainTextObject("Cancel", MODAL_TITLE_LENGTH),
    blocks: [
      {
        type: "input",
        block_id: ASK_BLOCKS.line,
        optional: true,
        label: label("Question"),
        hint: plainTextObject(
          `As you would type it behind ${root}. The answer comes as a direct message.`,
          INPUT_HINT_LENGTH,
        ),
        element: textInput(plainTextObject("market show BTC/USDT", PLACEHOLDER_LENGTH), undefined, INPUT_TEXT_LENGTH),
      },
      {
        type: "input",
        block_id: ASK_BLOCKS.command,
        optional: true,
        label: label("Or choose one"),
        element: select(
          commands.map(({ name, summary }) => optionObject(`${name}: ${summary}`, name)),
          undefined,
        ),
      },
    ],
  };
}

/** Undefined for metadata of another version, or of another app. */
export function readFormMetadata(metadata: string): FormMetadata | undefined {
  return VersionedMetadata.safeParse(parseJson(metadata)).data;
}

function inputOf(
  name: string,
  option: Option,
  given: string | number | boolean | undefined,
  networks: readonly string[],
): InputBlock {
  const hint = hintOf(option);
  return {
    type: "input",
    block_id: `${BLOCK_ID_PREFIX}${name}`,
    optional: !isRequired(option),
    label: plainTextObject(labelFor(name), 100),
    hint: plainTextObject(hint, INPUT_HINT_LENGTH),
    element: elementOf(name, option, given, networks),
  };
}

/** `quiet-hours` as people read it. */
function labelFor(name: string): string {
  if (name === "private") return "Who sees the answer";
  const words = name.replaceAll("-", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function hintOf(option: Option): string {
  if (option.kind === "integer") return `${option.description} (${option.min} to ${option.max})`;
  return option.description;
}

function elementOf(
  name: string,
  option: Option,
  given: string | number | boolean | undefined,
  networks: readonly string[],
): InputBlock["element"] {
  const typed = given === undefined ? undefined : String(given);
  switch (option.kind) {
    case "text": {
      const placeholder = plainTextObject(option.example, PLACEHOLDER_LENGTH);
      if (option.suggest === undefined && option.saved === undefined) {
        const max = Math.min(option.maxLength ?? 200, INPUT_TEXT_LENGTH);
        return textInput(placeholder, typed, max);
      }
      const initial = typed === undefined ? undefined : optionObject(typed, typed);
      return {
        type: "external_select",
        action_id: VALUE_ACTION_ID,
        min_query_length: 0,
        placeholder,
        ...(initial === undefined ? {} : { initial_option: initial }),
      };
    }
    case "integer": {
      const usable =
        typed !== undefined && /^-?\d+$/u.test(typed) && Number(typed) >= option.min && Number(typed) <= option.max;
      return {
        type: "number_input",
        action_id: VALUE_ACTION_ID,
        is_decimal_allowed: false,
        min_value: String(option.min),
        max_value: String(option.max),
        ...(usable ? { initial_value: typed } : {}),
      };
    }
    case "choice":
      return select(
        option.choices.map(({ label, value }) => optionObject(label, value)),
        typed,
      );
    case "flag":
      // Default: only the asker sees the answer, unless the question or the workspace says otherwise.
      return name === "private"
        ? select([optionObject("Only me", "yes"), optionObject("Everybody here", "no")], yesNo(typed) ?? "yes")
        : select(
            [optionObject("Yes", "yes"), optionObject("No", "no")],
            yesNo(typed) ?? (option.default ? "yes" : "no"),
          );
    case "time":
      return textInput(plainTextObject("2023-05-01, 2023-05-01 12:30, 7d, last month", PLACEHOLDER_LENGTH), typed, 60);
    case "network":
      return select(
        networks.map((network) => optionObject(network, network)),
        typed ?? networks[0],
      );
  }
}

function textInput(
  placeholder: ReturnType<typeof plainTextObject>,
  typed: string | undefined,
  max: number,
): InputBlock["element"] {
  return {
    type: "plain_text_input",
    action_id: VALUE_ACTION_ID,
    max_length: max,
    placeholder,
    ...(typed === undefined || typed.trim() === ""
      ? {}
      : { initial_value: typed.toWellFormed().slice(0, max).toWellFormed() }),
  };
}

function select(options: readonly (PlainTextOption | undefined)[], chosen: string | undefined): InputBlock["element"] {
  const offered = options.filter((option) => option !== undefined).slice(0, MAX_OPTIONS);
  // Slack refuses an empty list.
  if (offered.length === 0)
    return textInput(plainTextObject("Type a value", PLACEHOLDER_LENGTH), chosen, INPUT_TEXT_LENGTH);
  const initial = offered.find(({ value }) => value === chosen);
  return {
    type: "static_select",
    action_id: VALUE_ACTION_ID,
    options: offered,
    ...(initial === undefined ? {} : { initial_option: initial }),
  };
}

function yesNo(typed: string | undefined): "yes" | "no" | undefined {
  if (typed === undefined) return undefined;
  return /^(?:true|yes|on|1|y)$/iu.test(typed) ? "yes" : "no";
}

/** An option of a list; undefined for a value that Slack cannot carry. */
export function optionObject(label: string, value: string): PlainTextOption | undefined {
  if (value.trim() === "" || value.length > OPTION_VALUE_LENGTH || !value.isWellFormed()) return undefined;
  return { text: plainTextObject(label.trim() === "" ? value : label, OPTION_TEXT_LENGTH), value };
}

function plainTextObject(text: string, max: number): { type: "plain_text"; text: string; emoji: false } {
  const shown = renderPlain([{ kind: "text", text }], max).text;
  return { type: "plain_text", text: shown === "" ? "–" : shown, emoji: false };
}

/** The values of a form's elements, as Slack sends them. */
export type FormState = Readonly<
  Record<
    string,
    Readonly<
      Record<string, { readonly value?: string | null; readonly selected_option?: { readonly value?: string } | null }>
    >
  >
>;

/** The values filled in; empty fields are left out. */
export function readForm(state: FormState): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [block, elements] of Object.entries(state)) {
    if (!block.startsWith(BLOCK_ID_PREFIX)) continue;
    const element = elements[VALUE_ACTION_ID];
    const value = element?.selected_option?.value ?? element?.value ?? "";
    if (value.trim() !== "") values[block.slice(BLOCK_ID_PREFIX.length)] = value.trim();
  }
  return values;
}

export function blockIdOf(option: string): string {
  return `${BLOCK_ID_PREFIX}${option}`;
}

/** The option that a block asks for; undefined for a block that asks for none. */
export function optionNameOf(block: string): string | undefined {
  return block.startsWith(BLOCK_ID_PREFIX) ? block.slice(BLOCK_ID_PREFIX.length) : undefined;
}

/** The required options that a question lacks. */
export function missingOptions(command: AnyCommand, ask: Ask): string[] {
  return Object.entries(command.options)
    .filter(([name, option]) => isRequired(option) && !(name in ask.options))
    .map(([name]) => name);
}
