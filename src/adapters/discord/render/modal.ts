import {
  type APIComponentInLabel,
  type APIInteractionDataResolved,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmission,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from "discord-api-types/v10";

import type { AnyCommand } from "../../../bot/command.ts";
import { fieldLabel } from "../../../bot/form.ts";
import { type Choice, type ChoiceGroup, type Option, plainChoices } from "../../../bot/options/options.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Ask } from "../../../reply/reply.ts";
import { changeOf, COMMON_OPTIONS, formOptions, isUnchanged, wordsOfList } from "../../chat/form.ts";
import {
  CHOICE_LENGTH,
  LABEL_DESCRIPTION_LENGTH,
  LABEL_LENGTH,
  MAX_MODAL_FIELDS,
  MAX_RADIO_OPTIONS,
  MAX_SELECT_OPTIONS,
  MODAL_TITLE_LENGTH,
  SELECT_LABEL_LENGTH,
  TEXT_INPUT_LENGTH,
  TEXT_INPUT_PLACEHOLDER_LENGTH,
} from "../limits.ts";
import { cutLabel } from "../../chat/bounds.ts";

// A command's form: the options that are needed most, with the present values of the thing that the command changes.

/** The values of the fields of a form, by the name of the option; empty for a field without a value. */
export type FormValues = Readonly<Record<string, string>>;

/**
 * The options of a form, without the one that names the thing: those named `first`, then the most needed ones, else those
 * under no heading.
 */
function modalOptions(
  command: AnyCommand,
  known: FormValues,
  first: readonly string[],
): [name: string, option: Option][] {
  const others = [command.edits?.option, ...COMMON_OPTIONS];
  const options = formOptions(command, known, true).filter(([name]) => !others.includes(name));
  const usual = options.filter(([, { section }]) => section === undefined).map(([name]) => name);
  const ranks = [...(command.fields?.(known) ?? usual)];
  const names = new Set(options.map(([name]) => name));
  const shown = [...new Set([...first, ...ranks])].filter((name) => names.has(name)).slice(0, MAX_MODAL_FIELDS);
  return options.filter(([name]) => shown.includes(name)).toSorted(([a], [b]) => ranks.indexOf(a) - ranks.indexOf(b));
}

/** The present values of a thing as the fields of its form hold them. */
export function formValues({ options }: AnyCommand, present: Ask["options"]): FormValues {
  return Object.fromEntries(
    Object.entries(present).map(([name, value]) => {
      const option = options[name];
      const isMention = option?.kind === "text" && option.mention !== undefined;
      return [name, isMention ? pickedMention(String(value)) : String(value)];
    }),
  );
}

/** A stored mention (a role's id, or `user:` and a person's) as Discord writes it. */
function pickedMention(kept: string): string {
  const [, person, id] = /^(user:)?(\d{15,20})$/u.exec(kept) ?? [];
  if (id === undefined) return "";
  return person === undefined ? `<@&${id}>` : `<@${id}>`;
}

/** The values of a question as the fields of its form hold them: the word that removes a setting is an empty field. */
export function typedValues({ options }: AnyCommand, typed: Ask["options"]): FormValues {
  return Object.fromEntries(
    Object.entries(typed).map(([name, value]) => {
      const option = options[name];
      return [name, option?.kind === "text" && option.none === value ? "" : String(value)];
    }),
  );
}

export interface ModalContext {
  readonly networks: readonly string[];
  readonly customId: string;
  /** The choices of a field of which no other value is right. */
  readonly choices?: ReadonlyMap<string, readonly Choice[]>;
  /** What is wrong with a field's value. */
  readonly faults?: ReadonlyMap<string, string>;
  /** The fields that are shown before others. */
  readonly first?: readonly string[];
  /** What the thing has: a field cannot be emptied where nothing takes a value away. Left out = the values. */
  readonly held?: FormValues;
  /** In place of the fields' own. */
  readonly hints?: FormValues | undefined;
}

/** A command's form, with the values with which it opens. */
export function renderModal(
  command: AnyCommand,
  values: FormValues,
  { networks, customId, choices, faults, first = [], held = values, hints = {} }: ModalContext,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: customId,
    title: cutLabel(command.title ?? command.verb ?? command.summary, MODAL_TITLE_LENGTH).text,
    components: modalOptions(command, values, [...(faults?.keys() ?? []), ...first]).map(([name, option]) => {
      const isHeld = (held[name] ?? "") !== "";
      const field = fieldOf(name, option, { value: values[name] ?? "", isHeld, networks, choices: choices?.get(name) });
      const fault = faults?.get(name);
      const description =
        fault === undefined
          ? (hints[name] ?? field.description ?? option.hint ?? option.description)
          : `${FAULT_SIGN}${fault}`;
      return {
        type: ComponentType.Label,
        label: cutLabel(fieldLabel(name, option), LABEL_LENGTH).text,
        ...(description === "" ? {} : { description: cutLabel(description, LABEL_DESCRIPTION_LENGTH).text }),
        component: field.component,
      };
    }),
  };
}

/** Precedes what is wrong with a value. */
const FAULT_SIGN = "⚠️ ";

interface FormField {
  readonly component: APIComponentInLabel;
  /** Takes the place of the option's own description. */
  readonly description?: string;
}

function fieldOf(
  name: string,
  option: Option,
  {
    value,
    isHeld,
    networks,
    choices,
  }: { value: string; isHeld: boolean; networks: readonly string[]; choices: readonly Choice[] | undefined },
): FormField {
  switch (option.kind) {
    case "text": {
      const isRequired = isHeld && option.none === undefined;
      if (choices !== undefined)
        return selectField(name, choices, { chosen: [value], isRequired: option.required === true, isList: false });
      if (option.mention !== undefined) return { ...mentionField(name, value), description: option.mention.picked };
      if (Array.isArray(option.several)) {
        const chosen = wordsOfList(value);
        return selectField(name, offeredChoices(option.several, chosen), { chosen, isRequired, isList: true });
      }
      const { example, maxLength = 200, shows = (typed: string) => typed } = option;
      return textField(name, shows(value), { isRequired, placeholder: shows(example), maxLength });
    }
    case "choice":
      return choiceField(name, option.choices, value, isHeld);
    case "network":
    case "flag":
      return choiceField(name, plainChoices(option.kind === "network" ? networks : ["yes", "no"]), value, isHeld);
    // https://docs.discord.com/developers/components/reference#file-upload
    case "file":
      return {
        component: { type: ComponentType.FileUpload, custom_id: name, required: false, min_values: 0, max_values: 1 },
      };
    case "integer":
    case "time":
      return textField(name, value, { isRequired: false, placeholder: "", maxLength: 60 });
  }
}

/** One of a few choices is picked among all of them. */
function choiceField(name: string, choices: readonly Choice[], value: string, isRequired: boolean): FormField {
  const isOffered = value === "" || choices.some((one) => one.value === value);
  if (!isOffered || choices.length < 2 || choices.length > MAX_RADIO_OPTIONS)
    return selectField(name, choices, { chosen: [value], isRequired, isList: false });
  const options = choices.map(({ label, value: offered }) => ({
    label: cutLabel(label, SELECT_LABEL_LENGTH).text,
    value: offered,
    ...(offered === value ? { default: true } : {}),
  }));
  return { component: { type: ComponentType.RadioGroup, custom_id: name, options, required: isRequired } };
}

/** The choices of a list: those that can be taken together, and those that are taken already. */
function offeredChoices(groups: readonly ChoiceGroup[], chosen: readonly string[]): Choice[] {
  return groups.flatMap(({ choices, apart }) =>
    apart === true ? choices.filter(({ value }) => chosen.includes(value)) : choices,
  );
}

/**
 * A select of at most 25 options. Of more choices, some that a set contains are left out: first those of a set that is
 * chosen already, then those of the smallest sets. Chosen options stay.
 */
function selectField(
  name: string,
  offered: readonly Choice[],
  { chosen, isRequired, isList }: { chosen: readonly string[]; isRequired: boolean; isList: boolean },
): FormField {
  const known = new Set(offered.map(({ value }) => value));
  // A value of another version, for instance, stays chosen.
  const unknown = [...new Set(chosen)]
    .filter((value) => !known.has(value) && isOptionValue(value))
    .map((value) => ({ label: value, value }));
  const all: Choice[] = [...unknown, ...offered];
  const sets = all.flatMap(({ covers }) => (covers === undefined ? [] : [covers]));
  const already = new Set(all.flatMap(({ value, covers = [] }) => (chosen.includes(value) ? covers : [])));
  /** First the chosen options, then those that no set contains, then the sets (the largest first), then the rest. */
  const rankOf = ({ value, covers }: Choice): number => {
    if (chosen.includes(value)) return 0;
    if (covers !== undefined) return 2 + 1 / (1 + covers.length);
    const sizes = sets.flatMap((set) => (set.includes(value) ? [set.length] : []));
    if (sizes.length === 0) return 1;
    return (already.has(value) ? 4 : 3) + 1 / Math.min(...sizes);
  };
  const kept = new Set(all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_SELECT_OPTIONS));
  const options = all
    .filter((one) => kept.has(one))
    .map(({ label, value }) => ({
      label: cutLabel(label, SELECT_LABEL_LENGTH).text,
      value,
      ...(chosen.includes(value) ? { default: true } : {}),
    }));
  const most = isList ? options.length : 1;
  const cut =
    options.length < all.length ? { description: "A group stands for its kinds, also those that are not listed" } : {};
  return {
    component: {
      type: ComponentType.StringSelect,
      custom_id: name,
      options,
      required: isRequired,
      min_values: isRequired ? 1 : 0,
      max_values: most,
    },
    ...cut,
  };
}

function isOptionValue(value: string): boolean {
  return value.trim() !== "" && value.length <= CHOICE_LENGTH && value.isWellFormed();
}

function mentionField(name: string, value: string): FormField {
  const [, sign, id] = /^<@(&?)(\d+)>$/u.exec(value) ?? [];
  const type = sign === "&" ? SelectMenuDefaultValueType.Role : SelectMenuDefaultValueType.User;
  return {
    component: {
      type: ComponentType.MentionableSelect,
      custom_id: name,
      required: false,
      min_values: 0,
      max_values: 1,
      ...(id === undefined ? {} : { default_values: [{ id, type }] }),
    },
  };
}

function textField(
  name: string,
  value: string,
  { isRequired, placeholder, maxLength }: { isRequired: boolean; placeholder: string; maxLength: number },
): FormField {
  const most = Math.min(maxLength, TEXT_INPUT_LENGTH);
  const shown = oneLine(value).slice(0, most).toWellFormed();
  return {
    component: {
      type: ComponentType.TextInput,
      custom_id: name,
      style: TextInputStyle.Short,
      required: isRequired,
      max_length: most,
      ...(placeholder === "" ? {} : { placeholder: cutLabel(placeholder, TEXT_INPUT_PLACEHOLDER_LENGTH).text }),
      ...(shown === "" ? {} : { value: shown }),
    },
  };
}

/** The values that somebody sent in the fields of a form. */
export function readModal({ components, resolved }: APIModalSubmission): FormValues {
  const values: Record<string, string> = {};
  for (const one of components) {
    if (one.type !== ComponentType.Label) continue;
    const { component } = one;
    if (component.type === ComponentType.TextInput) values[component.custom_id] = component.value.trim();
    if (component.type === ComponentType.RadioGroup) values[component.custom_id] = component.value ?? "";
    if (component.type === ComponentType.FileUpload) values[component.custom_id] = component.values[0] ?? "";
    if (component.type === ComponentType.StringSelect) values[component.custom_id] = component.values.join(",");
    if (component.type === ComponentType.MentionableSelect) {
      const [id] = component.values;
      values[component.custom_id] = id === undefined ? "" : mentionOf(id, resolved);
    }
  }
  return values;
}

/** Somebody who was picked, as Discord writes the mention: https://docs.discord.com/developers/reference#message-formatting. */
export function mentionOf(id: string, resolved: APIInteractionDataResolved | undefined): string {
  return resolved?.users?.[id] === undefined ? `<@&${id}>` : `<@${id}>`;
}

/**
 * The options that a form changes. An unchanged field is left out, so that nobody else's change is undone; an emptied
 * field removes the value.
 */
export function changedOptions({ options }: AnyCommand, before: FormValues, after: FormValues): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries(after)) {
    const option = options[name];
    if (option === undefined || isUnchanged(option, before[name] ?? "", value)) continue;
    const sent = changeOf(option, value);
    if (sent !== undefined) changed[name] = sent;
  }
  return changed;
}
