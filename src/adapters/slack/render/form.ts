import type { KnownBlock, ModalView } from "@slack/types";
import { z } from "zod";

import type { AnyCommand } from "../../../bot/command.ts";
import { isRequired } from "../../../bot/grammar/usage.ts";
import type { Option } from "../../../bot/options/options.ts";
import type { Immutable } from "../../../reply/document.ts";
import type { Ask } from "../../../reply/reply.ts";
import { changeOf, COMMON_OPTIONS, formOptions, isUnchanged } from "../../chat/form.ts";
import { parseJson } from "../../chat/parse-json.ts";
import {
  HEADER_LENGTH,
  INPUT_HINT_LENGTH,
  INPUT_TEXT_LENGTH,
  MAX_VIEW_BLOCKS,
  MODAL_TITLE_LENGTH,
  PRIVATE_METADATA_LENGTH,
  SECTION_LENGTH,
} from "../limits.ts";
import { contextBlock, headerBlock, sectionBlock } from "./blocks.ts";
import {
  fieldsOf,
  heldIn,
  VALUE_ACTION_ID,
  type FormBlock,
  type FormState,
  optionObject,
  plainTextObject,
  readFields,
  select,
  textInput,
} from "./form-fields.ts";
import { renderText } from "./mrkdwn.ts";
import { ResponseAddress } from "../transport/response-url.ts";

// A command's options as a modal: Slack has no typed options, so the form asks for them.

/** State that a form carries as its private_metadata until it is submitted. */
const FormMetadata = z.object({
  command: z.string(),
  /** The response_url of the answer; without it, the answer goes to direct messages. */
  response: ResponseAddress.optional(),
  /** The response_url belongs to a button: an answer there appears below its message. */
  button: z.literal(true).optional(),
  /** An answer there takes the place of that message. */
  replaces: z.literal(true).optional(),
  /** That message is an offer that the bot posted for everybody. */
  taken: z.literal(true).optional(),
  channel: z.string().optional(),
  thread: z.string().optional(),
  /** Whether others could see an answer there. */
  shared: z.boolean(),
  /** The headings whose options are shown, too. */
  open: z.array(z.string()).optional(),
  /** The thing whose values the form began with. */
  begins: z.string().optional(),
  /** In place of the fields' own. */
  hints: z.record(z.string(), z.string()).optional(),
  /** Of these fields it is known that they are to be changed, whatever they held at first. */
  changed: z.array(z.string()).optional(),
});
export type FormMetadata = Immutable<z.infer<typeof FormMetadata>>;

const VersionedMetadata = FormMetadata.extend({ v: z.literal(1) });

export const FORM_CALLBACK_ID = "form";
/** The actions of the buttons that show the options under a heading. */
export const MORE_ACTION_ID = "more";
/** A form of so many fields shows all of them, without headings. */
const MAX_PLAIN_FIELDS = 3;
/** How many fields a longer one begins with: a phone shows as many at once. */
const MAX_FIRST_FIELDS = 5;

/** A command's form, with the values known. A long one shows the options that are needed less heading by heading. */
export function renderForm(
  command: AnyCommand,
  given: Ask["options"],
  networks: readonly string[],
  metadata: FormMetadata,
): ModalView {
  const json = JSON.stringify({ v: 1, ...metadata });
  const { edits } = command;
  const options = formOptions(command, given);
  // First the thing; its values then follow.
  const chooses = edits !== undefined && !(edits.option in given) && edits.option in command.options;
  const first = chooses
    ? options.filter(([name]) => name === edits.option)
    : firstOptions(command, options, { given, networks, metadata });
  const others = Map.groupBy(chooses ? [] : options.filter((one) => !first.includes(one)), ([, option]) =>
    headingOf(option),
  );
  const isOpen = ([section]: readonly [string, Options]): boolean => metadata.open?.includes(section) === true;
  const fields = (shown: Options): KnownBlock[] =>
    shown.flatMap(([name, option]) =>
      fieldsOf(name, option, given[name], {
        networks,
        hint: metadata.hints?.[name],
        stamp: metadata.begins,
        dispatches: name === edits?.option || isDeciding(option),
        mandatory: metadata.begins !== undefined && isGiven(given, name) && !("none" in option),
      }),
    );
  const blocks: readonly KnownBlock[] = [
    ...fields(first),
    ...Array.from(others)
      .filter(isOpen)
      .flatMap(([section, shown]): KnownBlock[] => [{ type: "divider" }, headerBlock(section), ...fields(shown)]),
    ...moreButtons(
      Array.from(others).filter((one) => !isOpen(one)),
      given,
      networks,
    ),
  ];
  const title = command.title ?? command.verb ?? command.name;
  return {
    type: "modal",
    callback_id: FORM_CALLBACK_ID,
    title: plainTextObject(title, MODAL_TITLE_LENGTH),
    submit: plainTextObject(command.verb ?? "Ask", MODAL_TITLE_LENGTH),
    close: plainTextObject("Cancel", MODAL_TITLE_LENGTH),
    // Without a response_url that is too long to carry, the answer comes as a direct message.
    private_metadata:
      json.length <= PRIVATE_METADATA_LENGTH ? json : JSON.stringify({ v: 1, ...metadata, response: undefined }),
    blocks: [
      // A title of its own says all of it, and what is chosen.
      ...(command.title !== undefined || command.summary === title || isDecided(options, given)
        ? []
        : [sectionBlock(renderText([{ kind: "text", text: `${command.summary}.` }], { max: SECTION_LENGTH }).mrkdwn)]),
      ...placeBlock(metadata),
      ...blocks,
    ].slice(0, MAX_VIEW_BLOCKS),
  };
}

type Options = ReturnType<typeof formOptions>;

/** The options that a form begins with: the most needed ones, and those that were given or changed. */
function firstOptions(
  command: AnyCommand,
  options: Options,
  { given, networks, metadata }: { given: Ask["options"]; networks: readonly string[]; metadata: FormMetadata },
): Options {
  if (options.length <= MAX_PLAIN_FIELDS) return options;
  const { begins, changed = [], open = [] } = metadata;
  const isChanged = ([name]: Options[number]): boolean => changed.includes(name);
  // Of what it tells besides, other kinds may take nothing: then all that is set is shown.
  const showsSet = begins === undefined || options.some((one) => isDeciding(one[1]) && isChanged(one));
  // Once it is known what it is about, what that needs most is shown at once, beside what was shown before.
  const usual = options.filter(([, { section }]) => section === undefined).map(([name]) => name);
  const before = begins === undefined ? usual : [command.edits?.option];
  const needed = isDecided(options, given) ? command.fields?.(given) : undefined;
  const shown = needed === undefined ? usual : [...new Set([...before, ...needed])].slice(0, MAX_FIRST_FIELDS);
  const first = options.filter((one) => {
    const [name, option] = one;
    const isSet = isGiven(given, name) && !isDefault(option, given[name], networks);
    if (shown.includes(name) || (isSet && COMMON_OPTIONS.includes(name))) return true;
    // What was filled in under its heading stays there.
    const isBelow = open.includes(headingOf(option));
    return isRequired(option) || (!isBelow && (isChanged(one) || (showsSet && isSet)));
  });
  return first.length === 0 ? options : first;
}

function isDeciding(option: Option): boolean {
  return option.kind === "text" && option.decides === true;
}

/** Whether it is chosen what it is about. */
function isDecided(options: Options, given: Ask["options"]): boolean {
  return options.some(([name, option]) => isDeciding(option) && isGiven(given, name));
}

function isGiven(given: Ask["options"], name: string): boolean {
  return (given[name] ?? "") !== "";
}

/** The network that is asked anyway. */
function isDefault(option: Option, value: Ask["options"][string] | undefined, networks: readonly string[]): boolean {
  return option.kind === "network" && value === networks[0];
}

/** The heading of options that have none, once what is chosen needs others first. */
const MAIN = "Further settings";

function headingOf({ section = MAIN }: Option): string {
  return plainTextObject(section, HEADER_LENGTH).text;
}

/** A button for each heading that is not opened, with how many of its options are set. */
function moreButtons(
  closed: readonly (readonly [section: string, options: Options])[],
  given: Ask["options"],
  networks: readonly string[],
): KnownBlock[] {
  const elements = closed.map(([section, options], index) => {
    const set = options.filter(
      ([name, option]) => isGiven(given, name) && !isDefault(option, given[name], networks) && name !== "private",
    ).length;
    const label = plainTextObject(`${section}${set === 0 ? "" : ` (${set})`} …`, 75);
    return { type: "button" as const, action_id: `${MORE_ACTION_ID}:${index}`, text: label, value: section };
  });
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
}

/** The channel that a form is about, where it was not opened there. */
function placeBlock({ channel = "", response }: FormMetadata): KnownBlock[] {
  return response === undefined && /^[CG][A-Z\d]+$/u.test(channel) ? [contextBlock(`For <#${channel}>`)] : [];
}

/**
 * What stands in a form. One that began with what a thing has asks for its changes alone: `changed` names them. What stands
 * there as it stood at first is left out, so that nobody else's change is undone, and an emptied field takes away what is
 * set. `twice`: the blocks of pickers where another time was picked than typed.
 */
export function readQuestion(
  command: AnyCommand,
  metadata: FormMetadata,
  view: { readonly blocks: readonly FormBlock[]; readonly state?: { readonly values: FormState } },
) {
  const fields = readFields(view.state?.values ?? {}, view.blocks);
  const twice = [...fields.values()].flatMap((field) => field.twice ?? []);
  const options: Record<string, string> = {};
  const changed: string[] = [];
  for (const [name, { value, initial }] of fields) {
    const option = command.options[name];
    if (metadata.begins === undefined || name === command.edits?.option || COMMON_OPTIONS.includes(name)) {
      if (value !== "") options[name] = value;
      continue;
    }
    if (isUnchanged(option, initial, value) && metadata.changed?.includes(name) !== true) continue;
    changed.push(name);
    const sent = changeOf(option, value);
    if (sent !== undefined) options[name] = sent;
  }
  return { options, changed, twice };
}

export const ASK_CALLBACK_ID = "ask";
/** The blocks of "Ask Bellwether". */
export const ASK_BLOCKS = {
  line: "ask:line",
  command: "ask:command",
  channel: "ask:channel",
  network: "ask:network",
} as const;

/** "Ask Bellwether": a question as it would be typed, or one to choose, whose own form follows; and where it counts. */
export function renderAskForm(root: string, commands: readonly AnyCommand[], networks: readonly string[]): ModalView {
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
        hint: plainTextObject(`In plain words, or as you would type it behind ${root}.`, INPUT_HINT_LENGTH),
        element: textInput("is the network healthy", undefined, INPUT_TEXT_LENGTH),
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
      {
        type: "input",
        block_id: ASK_BLOCKS.channel,
        optional: true,
        label: label("Channel"),
        hint: plainTextObject("For questions about its alerts. Empty: your direct messages.", INPUT_HINT_LENGTH),
        element: {
          type: "conversations_select",
          action_id: VALUE_ACTION_ID,
          default_to_current_conversation: true,
          filter: { include: ["public", "private"], exclude_bot_users: true },
        },
      },
      ...networkField(networks),
    ],
  };
}

/** Nobody is asked for the only network. */
function networkField(networks: readonly string[]): KnownBlock[] {
  if (networks.length < 2) return [];
  const options = networks.map((network) => optionObject(network, network));
  const element = select(options, networks[0]);
  return [
    { type: "input", block_id: ASK_BLOCKS.network, optional: true, label: plainTextObject("Network", 100), element },
  ];
}

/** What stands in "Ask Bellwether". */
export function readAskForm(state: FormState) {
  const { line, command, channel, network } = ASK_BLOCKS;
  const [typed = "", ...chosen] = [line, command, channel, network].map((id) => heldIn(state[id]));
  const [name, place, asked] = chosen.map((value) => (value === "" ? undefined : value));
  return { line: typed, chosen: name, channel: place, network: asked };
}

/** Undefined for metadata of another version, or of another app. */
export function readFormMetadata(metadata: string): FormMetadata | undefined {
  return VersionedMetadata.safeParse(parseJson(metadata)).data;
}

/** Whether a question is asked with a form: it lacks a value, or it names a thing to change and nothing to change in it. */
export function wantsForm(command: AnyCommand, ask: Ask): boolean {
  const { edits, options } = command;
  const lacks =
    command.lacks?.(ask.options) === true ||
    Object.entries(options).some(([name, option]) => isRequired(option) && !(name in ask.options));
  const named = Object.keys(ask.options).filter((name) => !COMMON_OPTIONS.includes(name));
  return lacks || (edits !== undefined && named.join() === edits.option);
}
