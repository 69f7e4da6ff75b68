import { type Block, mapValues, type Table, valuesOf } from "./block.ts";
import type { Action, Reply } from "./reply.ts";
import { plainText } from "./plain-text.ts";
import { type Inline, shortenId, type Text } from "./text.ts";

/** Whether a reply says more below the fold than above it. */
export function isFolded({ blocks }: Reply): boolean {
  return blocks.some((block) => "detail" in block || isCut(block) || valuesOf(block).some(saysMore));
}

/** Whether a text says more below the fold than above it. */
function saysMore(content: Text): boolean {
  return content.some((inline) => isDetail(inline) || (inline.kind === "number" && !isWhole(inline)));
}

/**
 * What people read first: the reply without its details, its numbers short. Its tables keep the columns that say something
 * and, of a table that does not say how many rows stand above the fold, so many.
 */
export function aboveFold(reply: Reply, rows = Number.POSITIVE_INFINITY): Reply {
  const blocks = reply.blocks.filter((block) => !("detail" in block));
  const first = blocks.map((block) => withoutEmptyColumns(withFirstRows(mapValues(block, shortText), rows)));
  return { ...unfolded(reply), blocks: first };
}

/** One page of all that a reply says, and the places of its blocks in the reply. */
export interface DetailPage {
  /** Undefined where it is the only one. */
  readonly name: string | undefined;
  readonly reply: Reply;
  readonly places: readonly number[];
}

/** All that a reply says: on one page, or on as many as its details name. What names no page stands on the first. */
export function detailPages(reply: Reply): readonly DetailPage[] {
  const names = [...new Set(reply.blocks.flatMap(({ page }) => (page === undefined ? [] : [page])))];
  return (names.length === 0 ? [undefined] : names).map((name) => {
    const places = [...reply.blocks.keys()].filter((at) => (reply.blocks[at]?.page ?? names[0]) === name);
    return { name, places, reply: { ...reply, blocks: reply.blocks.filter((_, at) => places.includes(at)) } };
  });
}

function isCut(block: Block, most = Number.POSITIVE_INFINITY): block is Table {
  return block.kind === "table" && (block.fold ?? most) < block.rows.length;
}

/** So many rows to choose from fit into a menu of every chat platform. */
const MAX_CHOICES = 25;

/** A table with the rows that stand above the fold. */
function withFirstRows(block: Block, most: number): Block {
  if (!isCut(block, most)) return block;
  const { fold = most, rows, rowAction, total = 0 } = block;
  // A choice names rows below the fold, too.
  const chosen = rowAction && {
    rowAction: {
      ...rowAction,
      invocations: rowAction.invocations.slice(0, Math.max(fold, MAX_CHOICES)),
      labels: rows.slice(0, MAX_CHOICES).map(([first = []]) => plainText(shortText(shortIds(first)))),
    },
  };
  return { ...block, ...chosen, rows: rows.slice(0, fold), total: Math.max(total, rows.length) };
}

/** A table without the columns that have nothing in any row, or the same in all where that says nothing. */
function withoutEmptyColumns(block: Block): Block {
  if (block.kind !== "table" || block.rows.length === 0) return block;
  const says = (_: unknown, at: number): boolean =>
    at === 0 ||
    (block.rows.some((row) => (row[at] ?? []).some((one) => !isBlank(one))) &&
      (block.columns[at]?.varies !== true || new Set(block.rows.map((row) => plainText(row[at] ?? []))).size > 1));
  if (block.columns.every(says)) return block;
  const kept = block.columns.map(says);
  return {
    ...block,
    columns: block.columns.filter((_, at) => kept[at]),
    rows: block.rows.map((row) => row.filter((_, at) => kept[at] ?? true)),
  };
}

function isBlank(inline: Inline): boolean {
  return inline.kind === "text" && ["", "–"].includes(inline.text.trim());
}

/** The whole reply, its numbers exact but for the headline's; one that is whole when short has its thousands apart. */
export function unfolded(reply: Reply): Reply {
  return {
    ...reply,
    title: shortText(reply.title),
    blocks: reply.blocks.map((block) => withoutEmptyColumns(mapValues(block, wholeText))),
    ...(reply.footer === undefined ? {} : { footer: wholeText(reply.footer) }),
  };
}

/** A reply whose words name UTC, with their clocks as times: for a platform that draws them in the reader's zone. */
export function withDrawnClocks(told: Reply): Reply {
  const footer = told.footer === undefined ? {} : { footer: drawnClocks(told.footer) };
  return {
    ...told,
    title: drawnClocks(told.title),
    blocks: told.blocks.map((one) => mapValues(one, drawnClocks)),
    ...footer,
  };
}

function drawnClocks(content: Text): Text {
  const isUtc = content.some((one) => one.kind === "text" && one.at !== undefined && one.text.endsWith(" UTC"));
  if (!isUtc) return content;
  return content.map((one) => {
    if (one.kind !== "text" || one.at === undefined || !/\d:\d\d/u.test(one.text)) return one;
    return { kind: "time", at: one.at, style: /^\d{4}-/u.test(one.text) ? "absolute" : "clock" };
  });
}

type NumberInline = Extract<Inline, { kind: "number" }>;

/** All digits of a number, their thousands apart where they are so in the short one. */
export function wholeNumber(number: NumberInline): string {
  return isWhole(number) ? number.short : number.text;
}

/** Whether the short number has all digits of the exact one, with or without commas. */
function isWhole({ text, short }: NumberInline): boolean {
  let at = 0;
  for (const digit of short) {
    if (digit === ",") continue;
    while (text[at] === ",") at += 1;
    if (text[at] !== digit) return false;
    at += 1;
  }
  return at === text.length;
}

function isDetail(inline: Inline): boolean {
  return "detail" in inline;
}

/** Text with its numbers as short as people read them, and without its details. */
export function shortText(content: Text): Text {
  const short = readText(content, () => true);
  return short.some(isDetail) ? short.filter((inline) => !isDetail(inline)) : short;
}

function wholeText(content: Text): Text {
  return readText(content, isWhole);
}

function readText(content: Text, isShort: (number: NumberInline) => boolean): Text {
  // Most texts have none, and stay the same object: renderers measure each once.
  if (!content.some((inline) => inline.kind === "number" && isShort(inline))) return content;
  return content.map((inline) =>
    inline.kind === "number" && isShort(inline) ? { kind: "text", text: inline.short } : inline,
  );
}

/** An action that is a button: a choice as one button for each of what can be chosen. */
export type ButtonAction = Exclude<Action, { choices: unknown }>;

export function asButtons(actions: readonly Action[]): readonly ButtonAction[] {
  return actions.flatMap((action): readonly ButtonAction[] => {
    if (!("choices" in action)) return [action];
    const { choices, label: _, ...how } = action;
    return choices.map((one) => ({ ...one, ...how }));
  });
}

/** Ids by their ends. */
export function shortIds(content: Text): Text {
  return content.map((inline) =>
    inline.kind === "code" && inline.id === true ? { kind: "text", text: shortenId(inline.text) } : inline,
  );
}
