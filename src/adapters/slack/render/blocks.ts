import type { KnownBlock } from "@slack/types";

import { columnCount } from "../../../reply/columns.js";
import { type Block, type Field, hasRows, type Table } from "../../../reply/block.ts";
import { shortIds } from "../../../reply/fold.ts";
import { plainText, printable } from "../../../reply/plain-text.ts";
import { type Inline, type Text, toText } from "../../../reply/text.ts";
import { FOLDED_ROWS, mostThat, shownOf, timeColumn } from "../../chat/bounds.ts";
import type { Press } from "../../chat/press.ts";
import { SECTION_LENGTH } from "../limits.ts";
import { renderChoice } from "./buttons.ts";
import { escapeMrkdwn, insideFence, type Markup, plainTextElement, renderText } from "./mrkdwn.ts";
import {
  choiceLengths,
  mostImportant,
  type RenderedTable,
  renderTableBlock,
  rowLabel,
  type TableBounds,
} from "./table.ts";

/** What one block of a reply becomes, within a bound of characters and of Slack's blocks. */
export interface RenderedBlocks {
  readonly blocks: readonly KnownBlock[];
  /** Characters of text in them. */
  readonly length: number;
  /** False where something is neither shown nor in a CSV. */
  readonly whole: boolean;
  /** The CSV of this table must be attached. */
  readonly csv?: true;
  /** A choice of the rows shown, until it is stored. */
  readonly unstored?: readonly [key: string, press: Press];
}

export interface Bounds {
  readonly length: number;
  readonly blocks: number;
}

/** How a table is shown. */
export interface TableForm extends Omit<TableBounds, "paged"> {
  /** It may use the one table block of its message. */
  readonly asTable: boolean;
  /** Which file has how much of it: `all of it in stake.csv`. */
  readonly held: string;
  /** It is shown in a modal, which takes no table block. */
  readonly inView: boolean;
  /** Who asked; left out for an alert. */
  readonly asker: string | undefined;
  /** The placeholder of the key of its choice. */
  readonly key: string;
}

const NOTHING: RenderedBlocks = { blocks: [], length: 0, whole: true };
const OMITTED: RenderedBlocks = { blocks: [], length: 0, whole: false };

/** A block without any room; a CSV has the rows of a table, and not its title. */
function omitted(block: Block): RenderedBlocks {
  return hasRows(block) ? { ...OMITTED, whole: block.title === undefined, csv: true } : OMITTED;
}

/** One block of a reply. */
export function renderBlock(block: Block, bounds: Bounds, form: TableForm): RenderedBlocks {
  if (bounds.blocks < 1 || bounds.length < 1) return omitted(block);
  switch (block.kind) {
    case "paragraph":
      return sections(undefined, [block.text], bounds, "");
    case "fields":
      return sections(block.title, block.fields.map(fieldLine), bounds, "");
    case "list":
      return sections(block.title, block.items, bounds, "• ");
    case "table":
      return renderTable(block, bounds, form);
    case "code":
      return renderCode(block.text, bounds);
    // Where it was drawn, the picture stands in place of the block. The heading has its title.
    case "chart":
      return sections(undefined, [toText(block.alt.replace(`${block.scene.title}. `, ""))], bounds, "");
  }
}

/** A section of mrkdwn that Slack takes as it stands: bare addresses and names make no links. */
export function sectionBlock(mrkdwn: string): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text: mrkdwn, verbatim: true } };
}

/** Empty where nothing would be visible: Slack refuses a text of blanks. */
function titleLine(title: Text = []): Markup {
  const shown = renderText(title, { max: 300, bold: true });
  return shown.mrkdwn.trim() === "" ? { mrkdwn: "", whole: shown.whole } : shown;
}

/** Lines packed into as few sections as hold them. */
function sections(title: Text | undefined, items: readonly Text[], bounds: Bounds, bullet: string): RenderedBlocks {
  const head = titleLine(title);
  const packed: string[] = [];
  let open = head.mrkdwn;
  let length = open.length;
  let whole = head.whole;
  for (const item of items) {
    const room = Math.min(SECTION_LENGTH, bounds.length - length) - bullet.length - 1;
    const line = renderText(item, { max: Math.max(1, room), lines: bullet === "" });
    if (line.mrkdwn.trim() === "" && bullet === "") continue;
    if (room < 20 && !line.whole) {
      whole = false;
      break;
    }
    whole &&= line.whole;
    const shown = `${bullet}${line.mrkdwn.trim() === "" ? "–" : line.mrkdwn}`;
    if (open !== "" && open.length + 1 + shown.length > SECTION_LENGTH) {
      if (packed.length + 1 >= bounds.blocks) {
        whole = false;
        break;
      }
      packed.push(open);
      open = shown;
    } else {
      open = open === "" ? shown : `${open}\n${shown}`;
    }
    length += seen(shown).length + 1;
  }
  if (open.trim() !== "") packed.push(open);
  return { blocks: packed.map(sectionBlock), length, whole };
}

/** A field in a line of its own: half of a phone's width has no room for an amount or a time. */
function fieldLine({ name, value }: Field): Text {
  const bold = name.map((one): Inline => (one.kind === "text" ? { kind: "strong", text: one.text } : one));
  const shown: Text = plainText(value).trim() === "" ? [{ kind: "text", text: "–" }] : value;
  return plainText(name).trim() === ""
    ? shown
    : [...bold, { kind: "strong", text: ":" }, { kind: "text", text: " " }, ...shown];
}

function renderTable(table: Table, bounds: Bounds, form: TableForm): RenderedBlocks {
  const head = titleLine(table.title);
  const titled: KnownBlock[] = head.mrkdwn === "" ? [] : [sectionBlock(head.mrkdwn)];
  if (table.rows.length === 0) {
    const empty = renderText(table.empty ?? [{ kind: "text", text: "Nothing." }], {
      max: Math.min(500, bounds.length),
    });
    const content = empty.mrkdwn.trim() === "" ? "–" : empty.mrkdwn;
    return {
      blocks: [sectionBlock(head.mrkdwn === "" ? content : `${head.mrkdwn}\n${content}`)],
      length: head.mrkdwn.length + content.length + 1,
      whole: head.whole && empty.whole,
    };
  }
  const room = bounds.length - head.mrkdwn.length - NOTE_LENGTH - form.held.length;
  const noted = titled.length + (table.rowAction === undefined ? 2 : 3);
  if (room < 50 || bounds.blocks < noted) return omitted(table);
  const shown = renderRows(table, { length: room, blocks: bounds.blocks - noted + 1 }, form);
  const isCut = shown.rows < table.rows.length || shown.columns < columnCount(table) || !shown.whole;
  const note = truncationNote(table, shown.rows, isCut, form.held);
  const chosen = rowChoice(table, shown.rows, form);
  return {
    blocks: [
      ...titled,
      ...shown.blocks,
      ...(note === "" ? [] : [contextBlock(note)]),
      ...(chosen === undefined ? [] : [{ type: "actions" as const, elements: [chosen.select] }]),
    ],
    length: head.mrkdwn.length + shown.length + note.length,
    whole: head.whole,
    ...(isCut ? { csv: true } : {}),
    ...(chosen === undefined ? {} : { unstored: [form.key, chosen.press] }),
  };
}

/** Reserved for the line that says what of a table is shown. */
const NOTE_LENGTH = 127;

/**
 * As a table block, else in lines, if as many have room: also where each row is a story, and where few rows would lose a
 * column.
 */
function renderRows(table: Table, bounds: Bounds, form: TableForm): RenderedTable {
  const inBlock =
    form.asTable && !form.inView
      ? renderTableBlock(table, bounds.length, { ...form, paged: form.asker !== undefined })
      : undefined;
  const isFew = form.folded && table.rows.length <= FEW_ROWS;
  const loses = isFew && (inBlock?.columns ?? 0) < mostImportant(table, form).length;
  if (inBlock !== undefined && !isStory(table) && !loses) return inBlock;
  const inLines = renderCards(table, bounds, form);
  return inBlock !== undefined && inLines.rows < inBlock.rows ? inBlock : inLines;
}

/** So many lines are read as soon as a table of them. */
const FEW_ROWS = 5;

/** Whether each row has a name, a time that matters and more: a phone has no room for their columns, and wraps lines. */
function isStory(table: Table): boolean {
  return table.rows.length <= FOLDED_ROWS && columnCount(table) > 2 && timeColumn(table) !== undefined;
}

/** What can be done with each row that is shown. */
function rowChoice({ rowAction, rows }: Table, count: number, { key, asker, asTable, folded }: TableForm) {
  // Above the fold one choice is enough, and its length is bounded.
  if (rowAction === undefined || (folded && !asTable)) return undefined;
  const { label, effect, invocations, invalidates, labels = rows.slice(0, count).map(rowLabel) } = rowAction;
  const choices = labels.flatMap((one, index) => {
    const invocation = invocations[index];
    return invocation === undefined ? [] : [{ label: one, invocation }];
  });
  return renderChoice({ label: `${label} one`, choices, effect, invalidates }, { key, action: "choose:row", asker });
}

/**
 * A table without a table block: one line a row. The few columns above the fold, or of a story, are named once, above;
 * elsewhere each value stands behind its column's name.
 */
function renderCards(table: Table, given: Bounds, form: TableForm): RenderedTable {
  let rendered: RenderedBlocks = NOTHING;
  const chosen = mostImportant(table, form);
  const choiceLength = choiceLengths(table, form);
  const titles = escapeMrkdwn(chosen.map((index) => printable(table.columns[index]?.title ?? "").trim()).join(" · "));
  const named =
    (form.folded || isStory(table)) && given.blocks > 1 && /[^\s·]/u.test(titles) && titles.length <= MAX_TITLES_LENGTH;
  const head = named ? [contextBlock(titles)] : [];
  const bounds = { blocks: given.blocks - head.length, length: given.length - (named ? titles.length : 0) };
  let whole = true;
  const lines = table.rows.slice(0, form.maxRows).map((row): Text => {
    if (named) {
      const cells = chosen.map((index) => row[index] ?? []);
      const short = form.folded ? cells.map(shortIds) : cells;
      whole &&= short.every((cell, at) => plainText(cell) === plainText(cells[at] ?? []));
      return shortLine(short);
    }
    return chosen
      .map((index): Text => {
        const cell = row[index] ?? [];
        const title = table.columns[index]?.title ?? "";
        const value: Text = plainText(cell).trim() === "" ? [{ kind: "text", text: "–" }] : cell;
        return [{ kind: "text", text: `${index === 0 ? "" : " · "}${title === "" ? "" : `${title} `}` }, ...value];
      })
      .flat();
  });
  const rows = mostThat(lines.length, (count) => {
    const room = bounds.length - choiceLength(count);
    const attempt = sections(undefined, lines.slice(0, count), { ...bounds, length: room }, "• ");
    const fits = attempt.whole && room > 0;
    if (fits) rendered = attempt;
    return fits;
  });
  const length = rendered.length + choiceLength(rows) + given.length - bounds.length;
  return { blocks: [...head, ...rendered.blocks], length, rows, columns: chosen.length, whole };
}

/** Longer titles would take more than a line. */
const MAX_TITLES_LENGTH = 80;

/** `*AAVE/USDC* · 157.98 · 158.01`: without the dashes at its end. */
function shortLine(cells: readonly Text[]): Text {
  const says = (cell: Text): boolean => !/^[\s–]*$/u.test(plainText(cell));
  return cells.slice(0, Math.max(1, cells.findLastIndex(says) + 1)).flatMap((cell, index): Text => {
    const shown: Text = says(cell) ? cell : [{ kind: "text", text: "–" }];
    if (index > 0) return [{ kind: "text", text: " · " }, ...shown];
    return shown.map((one) => (one.kind === "text" ? { kind: "strong", text: one.text } : one));
  });
}

/** Counts the rows left out, and names the file with all that is; without one, Details shows it. */
function truncationNote(table: Table, rows: number, isCut: boolean, held: string): string {
  const part = shownOf(table, rows);
  const words = [
    ...(part === "" ? [] : [held === "" ? part : `${part} shown`]),
    ...(isCut && held !== "" ? [held] : []),
  ];
  return escapeMrkdwn(words.join("; "));
}

export function headerBlock(text: string): KnownBlock {
  return { type: "header", text: plainTextElement(text) };
}

/** Small print. */
export function contextBlock(mrkdwn: string): KnownBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text: mrkdwn, verbatim: true }] };
}

function renderCode(content: string, bounds: Bounds): RenderedBlocks {
  const lines = printable(content).split("\n").map(insideFence);
  const max = Math.min(SECTION_LENGTH, bounds.length) - 8;
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    const room = max - used - 1;
    if (line.length > room) {
      // Cut between characters, not inside an escape.
      if (kept.length === 0 && room > 20)
        kept.push(`${line.slice(0, room - 1).replace(/&[a-z]*$|[\uD800-\uDBFF]$/u, "")}…`);
      break;
    }
    kept.push(line);
    used += line.length + 1;
  }
  const body = kept.join("\n");
  const whole = used > 0 && kept.length === lines.length;
  if (body.trim() === "") return { ...NOTHING, whole };
  return { blocks: [sectionBlock(`\`\`\`\n${body}\n\`\`\``)], length: body.length + 8, whole };
}

/** The members of a block that do not count for its length, and those that people do not see. */
export const UNCOUNTED_MEMBERS = ["type", "action_id", "block_id", "style", "align"];
export const UNSHOWN_MEMBERS = [...UNCOUNTED_MEMBERS, "value", "url", "format"];

/** Mrkdwn as long as people see it: the markup of a time is four times as long as the time. */
export function seen(mrkdwn: string): string {
  return mrkdwn.replaceAll(/<!date\^[^|>]*\|([^>]*)>/gu, "$1");
}

/** The texts in a block, or in anything within one, without those of some members. */
export function textsOf(value: unknown, unseen: readonly string[]): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([member, part]) => (unseen.includes(member) ? [] : textsOf(part, unseen)));
}
