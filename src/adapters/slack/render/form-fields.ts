import type { InputBlock, PlainTextElement, PlainTextOption } from "@slack/types";

import { z } from "zod";

import { fieldLabel } from "../../../bot/form.ts";
import { isRequired } from "../../../bot/grammar/usage.ts";
import { formatCount } from "../../../units/format-number.ts";
import type { ChoiceGroup, Option, TextOption } from "../../../bot/options/options.ts";
import { wordsOfList } from "../../chat/form.ts";
import {
  INPUT_HINT_LENGTH,
  INPUT_TEXT_LENGTH,
  MAX_OPTIONS,
  OPTION_TEXT_LENGTH,
  OPTION_VALUE_LENGTH,
  PLACEHOLDER_LENGTH,
} from "../limits.ts";
import { plainTextElement, renderPlain } from "./mrkdwn.ts";

// The fields of a form: one for each option, and a picker beside it where it takes a time or a person. Their values are
// read as the option would be typed.

/** The element that holds an option's value, in the block that bears the option's name. */
export const VALUE_ACTION_ID = "value";
/** `option:<name>`, or `option:<name>@<stamp>`; `pick:` for the picker beside it. */
const BLOCK_ID = /^(?<what>option|pick):(?<name>[a-z][a-z\d-]{0,31})(?:@.*)?$/su;

type Element = InputBlock["element"];
type Picker = Extract<Element, { readonly type: keyof typeof PICKED }>;

/** What a picker beside a field asks for. */
const PICKED = {
  datepicker: "pick a day",
  datetimepicker: "pick day and time",
  users_select: "pick a person",
} as const;

/** How the field of an option is shown. */
export interface FieldContext {
  readonly networks: readonly string[];
  /** In place of the option's own. */
  readonly hint?: string | undefined;
  /**
   * Fields with another stamp are other fields: Slack keeps what stands in a field that an update shows again, and shows
   * nothing new in it (https://docs.slack.dev/reference/methods/views.update#preserving-input-entry).
   */
  readonly stamp?: string | undefined;
  /** A choice is told at once. */
  readonly dispatches?: boolean;
  /** It cannot be emptied. */
  readonly mandatory?: boolean;
}

/** The blocks that ask for one option: its field, and a picker of a day, a moment or a person where it takes one. */
export function fieldsOf(
  name: string,
  option: Option,
  given: string | number | boolean | undefined,
  context: FieldContext,
): InputBlock[] {
  const typed = given === undefined ? undefined : String(given);
  const stamp = context.stamp === undefined ? "" : `@${context.stamp}`;
  const label = fieldLabel(name, option);
  const picker = pickerOf(option, typed);
  const hint = context.hint ?? hintOf(option);
  const isPicked = picker !== undefined && initialOf(picker) !== "";
  const field: InputBlock = {
    type: "input",
    block_id: `option:${name}${stamp}`,
    optional: !isRequired(option) && context.mandatory !== true,
    label: plainTextObject(label, 100),
    ...(hint === "" ? {} : { hint: plainTextObject(hint, INPUT_HINT_LENGTH) }),
    element: elementOf(name, option, isPicked ? undefined : typed, context.networks),
    ...(context.dispatches === true ? { dispatch_action: true } : {}),
  };
  if (picker === undefined) return [field];
  const beside = plainTextObject(`${label} (${PICKED[picker.type]})`, 100);
  return [field, { type: "input", block_id: `pick:${name}${stamp}`, optional: true, label: beside, element: picker }];
}

/** Nobody types more: a higher bound says nothing. */
const MOST_NAMED = 1_000_000;

function hintOf(option: Option): string {
  const hint = option.hint ?? option.description;
  const hasBound = option.kind === "integer" && option.max < MOST_NAMED;
  return hasBound ? `${hint} (${formatCount(option.min)} to ${formatCount(option.max)})` : hint;
}

function elementOf(name: string, option: Option, typed: string | undefined, networks: readonly string[]): Element {
  switch (option.kind) {
    case "text":
      return textElement(option, typed);
    case "integer":
      // A field for numbers would refuse `1,000` and `1.5k`.
      return textInput(formatCount(option.min), typed, 60);
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
    // A form leaves it out: Slack gives no file to a command.
    case "file":
    case "time":
      return textInput("7d, last month, 2023-05-01 12:30", typed, 60);
    case "network":
      return select(
        networks.map((network) => optionObject(network, network)),
        typed ?? (option.narrows === true ? undefined : networks[0]),
      );
  }
}

function textElement(option: TextOption, typed: string | undefined): Element {
  const { example, maxLength = 200, mention, saved, several, shows = (value: string) => value, suggest } = option;
  const plain = (): Element => textInput(example, typed, Math.min(maxLength, INPUT_TEXT_LENGTH));
  const words = several === undefined ? [] : wordsOfList(typed ?? "");
  const suggesting = {
    action_id: VALUE_ACTION_ID,
    min_query_length: 0,
    placeholder: plainTextObject(shows(example), PLACEHOLDER_LENGTH),
  };
  if (several === "suggested") {
    const initial = words.map((word) => optionObject(word.trim(), word.trim()));
    const carried = initial.filter((one) => one !== undefined);
    // A list cannot carry every value.
    if (carried.length < initial.length || carried.length > MAX_OPTIONS) return plain();
    return {
      type: "multi_external_select",
      ...suggesting,
      ...(carried.length === 0 ? {} : { initial_options: carried }),
    };
  }
  if (several !== undefined) return listOf(several, words) ?? plain();
  if (suggest === undefined && saved === undefined && mention === undefined) return plain();
  const initial = typed === undefined ? undefined : optionObject(shows(typed), typed);
  return { type: "external_select", ...suggesting, ...(initial === undefined ? {} : { initial_option: initial }) };
}

/** Several of those in the list; undefined where there is none, or where a value is there that it does not offer. */
function listOf(groups: readonly ChoiceGroup[], words: readonly string[]): Element | undefined {
  const offered = groups
    .slice(0, MAX_OPTIONS)
    .map(({ heading, choices }) => ({
      label: plainTextObject(heading, OPTION_TEXT_LENGTH),
      options: choices.flatMap(({ label, value }) => optionObject(label, value) ?? []).slice(0, MAX_OPTIONS),
    }))
    .filter(({ options }) => options.length > 0);
  const all = offered.flatMap(({ options }) => options);
  const initial = words.map((word) => all.find(({ value }) => value === word.trim().toLowerCase()));
  const known = initial.filter((one) => one !== undefined);
  if (all.length === 0 || known.length < initial.length) return undefined;
  return {
    type: "multi_static_select",
    action_id: VALUE_ACTION_ID,
    option_groups: offered,
    ...(known.length === 0 ? {} : { initial_options: [...new Set(known)] }),
  };
}

/** A person as a mention is stored, or as Slack sends one that was typed. */
const PICKED_PERSON = /^(?:user:)?([UW][A-Z\d]{5,})$/u;

/** A day as a picker takes it. */
const Day = z.iso.date();

/** With what was picked before. A time that was typed in another way stays typed. */
function pickerOf(option: Option, typed: string | undefined): Picker | undefined {
  if (option.kind === "time") {
    const initial = Day.safeParse(typed).data;
    const day = initial === undefined ? {} : { initial_date: initial };
    return { type: "datepicker", action_id: VALUE_ACTION_ID, ...day };
  }
  if (option.kind !== "text") return undefined;
  if (option.mention !== undefined) {
    const user = PICKED_PERSON.exec(typed ?? "")?.[1];
    return { type: "users_select", action_id: VALUE_ACTION_ID, ...(user === undefined ? {} : { initial_user: user }) };
  }
  if (option.moment !== true) return undefined;
  const at = typed !== undefined && /^[1-9]\d{9}$/u.test(typed) ? { initial_date_time: Number(typed) } : {};
  return { type: "datetimepicker", action_id: VALUE_ACTION_ID, ...at };
}

export function textInput(placeholder: string, typed: string | undefined, max: number): Element {
  const shown = (typed ?? "").toWellFormed().slice(0, max).toWellFormed();
  return {
    type: "plain_text_input",
    action_id: VALUE_ACTION_ID,
    max_length: max,
    placeholder: plainTextObject(placeholder, PLACEHOLDER_LENGTH),
    // Slack refuses an empty one.
    ...(shown.trim() === "" ? {} : { initial_value: shown }),
  };
}

export function select(options: readonly (PlainTextOption | undefined)[], chosen: string | undefined): Element {
  const offered = options.filter((option) => option !== undefined).slice(0, MAX_OPTIONS);
  // Slack refuses an empty list.
  if (offered.length === 0) return textInput("Type a value", chosen, INPUT_TEXT_LENGTH);
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

export function plainTextObject(text: string, max: number): PlainTextElement {
  const shown = renderPlain([{ kind: "text", text }], max).text;
  return plainTextElement(shown === "" ? "–" : shown);
}

interface Chosen {
  readonly value?: string;
}

/** What a field holds, as Slack sends it. */
interface FieldState {
  readonly value?: string | null;
  readonly selected_option?: Chosen | null;
  readonly selected_options?: readonly Chosen[] | null;
  readonly selected_date?: string | null;
  readonly selected_date_time?: number | null;
  readonly selected_user?: string | null;
  readonly selected_conversation?: string | null;
}

/** The values of a form's elements, as Slack sends them. */
export type FormState = Readonly<Record<string, Readonly<Record<string, FieldState>>>>;

/** A block of a form, as Slack sends it back. */
export interface FormBlock {
  readonly block_id?: string;
  readonly element?: object;
}

/** What a field holds, as the option would be typed; empty where it holds nothing. */
function valueOf(state: FieldState | undefined): string {
  if (state === undefined) return "";
  const { selected_options: several, selected_date_time: at, selected_user: user } = state;
  const list = several?.map(({ value = "" }) => value).join(",");
  return (
    list ??
    state.selected_option?.value ??
    state.selected_date ??
    state.selected_conversation ??
    (typeof user === "string" ? `user:${user}` : undefined) ??
    (typeof at === "number" ? String(at) : (state.value ?? ""))
  ).trim();
}

/** What the element of a block holds; empty where it holds nothing. */
export function heldIn(elements: FormState[string] | undefined): string {
  return valueOf(elements?.[VALUE_ACTION_ID]);
}

/** What a field held at first. */
function initialOf(element: object): string {
  const initial = element as {
    initial_value?: string;
    initial_option?: Chosen;
    initial_options?: readonly Chosen[];
    initial_date?: string;
    initial_date_time?: number;
    initial_user?: string;
  };
  return valueOf({
    selected_options: initial.initial_options ?? null,
    selected_option: initial.initial_option ?? null,
    selected_date: initial.initial_date ?? null,
    selected_date_time: initial.initial_date_time ?? null,
    selected_user: initial.initial_user ?? null,
    value: initial.initial_value ?? null,
  });
}

/** What the fields of an option hold, and held at first. */
export interface FilledField {
  readonly value: string;
  readonly initial: string;
  /** The block of its picker, where something else was picked than what stands in its field. */
  readonly twice?: string;
}

/** What stands in a form, by option. */
export function readFields(state: FormState, blocks: readonly FormBlock[] = []): Map<string, FilledField> {
  const initials = new Map(blocks.map(({ block_id: id = "", element = {} }) => [id, initialOf(element)]));
  const fields = new Map<string, FilledField>();
  for (const [block, elements] of Object.entries(state)) {
    const { name, what } = BLOCK_ID.exec(block)?.groups ?? {};
    if (name === undefined) continue;
    const value = valueOf(elements[VALUE_ACTION_ID]);
    const initial = initials.get(block) ?? "";
    const other = fields.get(name);
    const both = other !== undefined && other.value !== "" && value !== "" && other.value !== value;
    const picker =
      what === "pick" ? block : Object.keys(state).find((id) => id.startsWith("pick:") && optionNameOf(id) === name);
    fields.set(name, {
      value: other === undefined || other.value === "" ? value : other.value,
      initial: other === undefined || other.initial === "" ? initial : other.initial,
      ...(both && picker !== undefined ? { twice: picker } : {}),
    });
  }
  return fields;
}

/** The values filled in; empty fields are left out. */
export function readForm(state: FormState): Record<string, string> {
  const filled = [...readFields(state)].filter(([, { value }]) => value !== "");
  return Object.fromEntries(filled.map(([name, { value }]) => [name, value]));
}

/** The option that a block asks for; undefined for a block that asks for none. */
export function optionNameOf(block: string): string | undefined {
  return BLOCK_ID.exec(block)?.groups?.["name"];
}
