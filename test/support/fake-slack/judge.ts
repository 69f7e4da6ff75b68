import { readFileSync } from "node:fs";

import { Ajv, type ValidateFunction } from "ajv";

// Says what Slack would refuse. The shapes and limits come from block-schema.json, which is made from what Slack
// publishes (see make-block-schema.ts); beside them stand the few rules that only Slack's pages and its answers tell.

interface Definition {
  readonly properties?: { readonly type?: { readonly const?: string } };
}

const schema = JSON.parse(readFileSync(new URL("block-schema.json", import.meta.url), "utf8")) as {
  readonly definitions: Readonly<Record<string, Definition>>;
};
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addSchema(schema, "slack");
/** The kinds of block that messages, modals and home tabs take. */
const blockNames = new Map(
  Object.entries(schema.definitions).flatMap(([name, { properties }]) =>
    name.endsWith("Block") && properties?.type?.const !== undefined ? [[properties.type.const, name] as const] : [],
  ),
);

/** https://docs.slack.dev/reference/block-kit/blocks: blocks in a message, and in a modal or home tab. */
const MESSAGE_BLOCKS = 50;
const VIEW_BLOCKS = 100;
/** What chat.postMessage refuses with `msg_blocks_too_long`: seen at about 13,000 characters, documented nowhere. */
const MESSAGE_CHARACTERS = 13_000;
/** https://docs.slack.dev/reference/block-kit/blocks/table-block and markdown-block. */
const TABLE_CHARACTERS = 10_000;
/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating */
const TEXT_CHARACTERS = 40_000;
/** https://docs.slack.dev/reference/views: of a whole view as JSON. */
const VIEW_BYTES = 250_000;

/** What is wrong with a message; empty when Slack takes it. */
export function judgeMessage(message: { readonly text?: unknown; readonly blocks?: unknown }): string[] {
  const { text, blocks = [] } = message;
  const faults: string[] = [];
  if (typeof text !== "string" || text.trim() === "") faults.push("a message without text");
  else if (text.length > TEXT_CHARACTERS) faults.push(`text of ${text.length} characters`);
  if (!Array.isArray(blocks)) return [...faults, "blocks is no list"];
  if (blocks.length > MESSAGE_BLOCKS) faults.push(`${blocks.length} blocks`);
  faults.push(...judgeBlocks(blocks));
  const tables = blocks.filter((block) => ["table", "data_table"].includes(typeOf(block)));
  if (tables.length > 1) faults.push("more than one table");
  if (blocks.some((block) => typeOf(block) === "input")) faults.push("an input in a message");
  const characters = charactersIn(blocks);
  if (characters > MESSAGE_CHARACTERS) faults.push(`msg_blocks_too_long: ${characters} characters`);
  return faults;
}

/** How many characters something shows and carries, as its whole message is measured. */
export function charactersIn(value: unknown): number {
  return stringsIn(value).reduce((sum, part) => sum + part.length, 0);
}

/** What is wrong with a modal or a home tab. */
export function judgeView(view: unknown): string[] {
  const name = { modal: "JudgedModalView", home: "JudgedHomeView" }[typeOf(view)];
  if (name === undefined) return [`a view of the type ${typeOf(view)}`];
  const { blocks } = view as { blocks: unknown };
  if (!Array.isArray(blocks)) return ["a view without blocks"];
  const bytes = Buffer.byteLength(JSON.stringify(view));
  return [
    // Each block is judged by itself, so that what is said about it names its kind.
    ...errorsOf(name, { ...(view as object), blocks: [] }),
    ...judgeBlocks(blocks),
    ...(blocks.length > VIEW_BLOCKS ? [`${blocks.length} blocks`] : []),
    // https://docs.slack.dev/reference/block-kit/blocks/table-block: in messages alone.
    ...(blocks.some((block) => ["table", "data_table"].includes(typeOf(block))) ? ["a table in a view"] : []),
    ...(bytes > VIEW_BYTES ? [`a view of ${bytes} bytes`] : []),
    ...(name === "JudgedModalView" &&
    blocks.some((block) => typeOf(block) === "input") &&
    !("submit" in (view as object))
      ? ["a modal with inputs and without submit"]
      : []),
  ];
}

/** What is wrong with the options that an external select is answered with. */
export function judgeOptions(options: unknown): string[] {
  if (!Array.isArray(options)) return ["options is no list"];
  return [
    ...(options.length > 100 ? [`${options.length} options`] : []),
    ...options.flatMap((option) => errorsOf("JudgedOption", option)),
  ];
}

function judgeBlocks(blocks: readonly unknown[]): string[] {
  const ids = blocks.flatMap((block) => (hasText(block, "block_id") ? [block.block_id] : []));
  return [
    ...(new Set(ids).size < ids.length ? ["a block_id twice"] : []),
    ...blocks.flatMap((block, index) => judgeBlock(block).map((fault) => `blocks/${index}: ${fault}`)),
  ];
}

function judgeBlock(block: unknown): string[] {
  const type = typeOf(block);
  const name = blockNames.get(type);
  if (name === undefined) return [`no block is called ${type}`];
  const faults = errorsOf(name, block);
  const strings = stringsIn(block);
  if (strings.some((part) => part.trim() === "")) faults.push("an empty text");
  if (strings.some((part) => !part.isWellFormed())) faults.push("half a character");
  const own = block as {
    type: string;
    text?: unknown;
    fields?: unknown[];
    elements?: unknown[];
    element?: unknown;
    rows?: unknown[][];
    page_size?: number;
  };
  if (type === "input") faults.push(...judgeInput(own.element as Input));
  if (type === "section" && own.text === undefined && (own.fields ?? []).length === 0) faults.push("an empty section");
  if ((type === "actions" || type === "context") && (own.elements ?? []).length === 0) faults.push(`an empty ${type}`);
  if (type === "actions") {
    faults.push(...(own.elements ?? []).flatMap((one) => judgeMenu(one as Input)));
    const ids = (own.elements ?? []).flatMap((one) => (hasText(one, "action_id") ? [one.action_id] : []));
    if (new Set(ids).size < ids.length) faults.push("an action_id twice");
  }
  if (type === "table" || type === "data_table") {
    const rows = own.rows ?? [];
    if (rows.length === 0) faults.push("a table without rows");
    if (new Set(rows.map((row) => row.length)).size > 1) faults.push("rows of different lengths");
    const length = charactersIn(rows);
    if (length > TABLE_CHARACTERS) faults.push(`a table of ${length} characters`);
  }
  if (type === "data_table") faults.push(...judgePagedTable(own));
  return faults;
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-table-block; 101 rows in its first versions, 201 later. */
function judgePagedTable({ rows = [], page_size: size = 5 }: { rows?: unknown[][]; page_size?: number }): string[] {
  const [head = []] = rows;
  return [
    ...(rows.length < 2 || rows.length > 101 ? [`a table with pages of ${rows.length} rows`] : []),
    ...(head.length === 0 || head.length > 20 ? [`${head.length} columns`] : []),
    ...(head.some((cell) => typeOf(cell) === "rich_text") ? ["markup in the head of a table"] : []),
    ...(Number.isInteger(size) && size >= 1 && size <= 100 ? [] : [`pages of ${size} rows`]),
  ];
}

/** What a field holds at first must be what it takes: https://docs.slack.dev/reference/block-kit/block-elements. */
interface Input {
  readonly type: string;
  readonly options?: readonly object[];
  readonly option_groups?: readonly {
    readonly label: { readonly text: string };
    readonly options: readonly object[];
  }[];
  readonly initial_option?: object;
  readonly initial_options?: readonly object[];
  readonly initial_date?: string;
  readonly initial_date_time?: number;
  readonly initial_value?: string;
  readonly max_length?: number;
  readonly min_value?: string;
  readonly max_value?: string;
}

/** Fewer than five options, once two at least: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element. */
function judgeMenu({ type, options = [] }: Input): string[] {
  if (type === "overflow" && (options.length < 2 || options.length > 5)) return [`a menu of ${options.length} options`];
  return type === "static_select" && options.length === 0 ? ["a list that offers nothing"] : [];
}

/** The longest text that a field takes: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element. */
const FIELD_CHARACTERS = 3000;

function judgeInput(input: Input): string[] {
  const { initial_option: option, initial_value: value, max_length: most = FIELD_CHARACTERS } = input;
  switch (input.type) {
    case "static_select": {
      const offered = (input.options ?? []).map((one) => JSON.stringify(one));
      if (offered.length === 0) return ["a list that offers nothing"];
      return option === undefined || offered.includes(JSON.stringify(option)) ? [] : ["a choice that is not offered"];
    }
    case "multi_static_select":
      return judgeList(input);
    case "multi_external_select":
      return input.initial_options?.length === 0 ? ["a list that begins with nothing"] : [];
    case "datepicker": {
      const { initial_date: day } = input;
      return day === undefined || isDay(day) ? [] : [`${day} is no day`];
    }
    case "datetimepicker": {
      // https://docs.slack.dev/reference/block-kit/block-elements/datetime-picker-element: Unix seconds of ten digits.
      const { initial_date_time: at } = input;
      return at === undefined || /^[1-9]\d{9}$/u.test(String(at)) ? [] : [`${at} is no moment of ten digits`];
    }
    case "external_select":
    case "users_select":
    case "conversations_select":
      return [];
    case "plain_text_input": {
      const allowed = Number.isInteger(most) && most >= 1 && most <= FIELD_CHARACTERS;
      if (!allowed) return [`a field for ${most} characters`];
      return (value ?? "").length <= most ? [] : ["more than the field takes"];
    }
    case "number_input": {
      const [least, largest] = [Number(input.min_value ?? -Infinity), Number(input.max_value ?? Infinity)];
      if (least > largest) return ["a field that takes no number"];
      if (value === undefined) return [];
      return Number(value) >= least && Number(value) <= largest ? [] : ["a number that the field does not take"];
    }
    default:
      return [`a field of the type ${input.type}, which nothing judges`];
  }
}

/** https://docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element, option-group-object. */
function judgeList({ options, option_groups: groups, initial_options: initial }: Input): string[] {
  const offered = (options ?? groups?.flatMap((group) => group.options) ?? []).map((one) => JSON.stringify(one));
  const chosen = (initial ?? []).map((one) => JSON.stringify(one));
  return [
    ...(offered.length === 0 ? ["a list that offers nothing"] : []),
    ...(options !== undefined && groups !== undefined ? ["a list with and without headings"] : []),
    ...(groups ?? []).flatMap((group) => [
      ...(group.options.length === 0 || group.options.length > 100 ? [`${group.options.length} under a heading`] : []),
      ...(group.label.text.length > 75 ? [`a heading of ${group.label.text.length} characters`] : []),
    ]),
    ...(initial?.length === 0 ? ["a list that begins with nothing"] : []),
    ...(chosen.some((one) => !offered.includes(one)) ? ["a choice that is not offered"] : []),
    ...(new Set(chosen).size < chosen.length ? ["a choice twice"] : []),
  ];
}

function isDay(day: string): boolean {
  const at = Date.parse(day);
  return /^\d{4}-\d{2}-\d{2}$/u.test(day) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const validators = new Map<string, ValidateFunction>();

function errorsOf(definition: string, value: unknown): string[] {
  const validate = validators.get(definition) ?? ajv.compile({ $ref: `slack#/definitions/${definition}` });
  validators.set(definition, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? "is wrong"}`);
}

function typeOf(value: unknown): string {
  return hasText(value, "type") ? value.type : "";
}

function hasText<K extends string>(value: unknown, key: K): value is Record<K, string> {
  return typeof value === "object" && value !== null && typeof (value as Record<K, unknown>)[key] === "string";
}

/** Every string in it that is shown or carried, without the names of kinds and settings. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const unseen = ["type", "action_id", "block_id", "style", "align"];
  return Object.entries(value).flatMap(([key, part]) => (unseen.includes(key) ? [] : stringsIn(part)));
}
