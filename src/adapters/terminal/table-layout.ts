import type { Column } from "../../reply/block.ts";
import { withText, type Span } from "./span.ts";
import { naturalWidth, wordWidth } from "./wrap.ts";

/** Columns of space between two columns of a table. */
export const GAP = 2;
/** A column of text wider than this may be wrapped down to it before a column gives way. */
const COMFORTABLE = 24;
/** Words longer than this do not widen a column. */
const LONG_WORD = 44;
/** Below this, text in a column is no longer readable. */
const NARROWEST = 8;

/** How a table fits: which columns stand side by side and how wide each is; or not at all. */
export type Layout =
  | {
      readonly kind: "columns";
      readonly shown: readonly { readonly index: number; readonly width: number }[];
      /** Whether ids stand shortened. */
      readonly short: boolean;
    }
  | { readonly kind: "records" };

interface Need {
  readonly index: number;
  readonly priority: number;
  readonly wraps: boolean;
  readonly long: number;
  readonly short: number;
  readonly shortWord: number;
}

/** A cell's spans for a table: nothing in it is kept whole, since a line of a table cannot run over. */
export function cellSpans(spans: readonly Span[], short: boolean): readonly Span[] {
  if (!spans.some((span) => span.whole || span.short !== undefined)) return spans;
  return spans.map((span) => {
    if (short && span.short !== undefined) return withText(span, span.short);
    return span.whole ? withText(span, span.text, span.width) : span;
  });
}

/**
 * The layout that shows most: whole ids if all fits, else shortened ones, else wrapped text, else without the columns
 * that may give way, the last of the highest priority first; and records when even those that may not do not fit.
 */
export function layoutTable(
  columns: readonly Column[],
  titles: readonly (readonly Span[])[],
  rows: readonly (readonly (readonly Span[])[])[],
  width: number,
): Layout {
  const widths = titles.map((title, index) => {
    let widest = wider(1, naturalWidth(title));
    for (const row of rows) widest = wider(widest, naturalWidth(row[index] ?? []));
    return widest;
  });
  if (total(widths) <= width)
    return { kind: "columns", shown: widths.map((one, index) => ({ index, width: one })), short: false };
  return layoutTight(columns, widths, titles, rows, width);
}

/** Like Math.max, whose result may be a double to V8: with whole numbers alone, reading a width costs a third. */
function wider(a: number, b: number): number {
  return a > b ? a : b;
}

function layoutTight(
  columns: readonly Column[],
  widths: readonly number[],
  titles: readonly (readonly Span[])[],
  rows: readonly (readonly (readonly Span[])[])[],
  width: number,
): Layout {
  const needs = widths.map((long, index): Need => {
    let [short, shortWord] = [1, 1];
    for (const cells of [titles, ...rows]) {
      const cell = cellSpans(cells[index] ?? [], true);
      short = Math.max(short, naturalWidth(cell));
      shortWord = Math.max(shortWord, wordWidth(cell));
    }
    const column = columns[index];
    return { index, priority: column?.priority ?? 1, wraps: column?.align !== "right", long, short, shortWord };
  });

  for (let shown = needs; ; shown = withoutLast(shown)) {
    for (const short of [false, true]) {
      const widths = shown.map((need) => (short ? need.short : need.long));
      if (total(widths) <= width) return place(shown, widths, short);
    }
    const mustStay = shown.length <= 1 || shown.every((need) => need.priority === 1);
    const least = shown.map((need) => leastWidth(need, COMFORTABLE, LONG_WORD));
    if (total(least) <= width) return place(shown, grow(shown, least, width), true);
    if (mustStay) {
      const tight = shown.map((need) => leastWidth(need, NARROWEST, COMFORTABLE));
      return total(tight) <= width ? place(shown, grow(shown, tight, width), true) : { kind: "records" };
    }
  }
}

/** Numbers are never broken; text down to its longest word within bounds. */
function leastWidth(need: Need, floor: number, longWord: number): number {
  if (!need.wraps || need.short <= floor) return need.short;
  return Math.min(need.short, Math.max(floor, Math.min(need.shortWord, longWord)));
}

/** Shares out the space that is left, evenly among those who can use it. */
function grow(shown: readonly Need[], least: readonly number[], width: number): number[] {
  const widths = [...least];
  let left = width - total(widths);
  while (left > 0) {
    const wanting = shown.flatMap((need, at) => ((widths[at] ?? 0) < need.short ? [at] : []));
    if (wanting.length === 0) break;
    const share = Math.max(1, Math.floor(left / wanting.length));
    for (const at of wanting) {
      const more = Math.min(share, left, (shown[at]?.short ?? 0) - (widths[at] ?? 0));
      widths[at] = (widths[at] ?? 0) + more;
      left -= more;
    }
  }
  return widths;
}

function withoutLast(shown: readonly Need[]): Need[] {
  const lowest = Math.max(...shown.map((need) => need.priority));
  const last = shown.findLastIndex((need) => need.priority === lowest);
  return shown.filter((_, at) => at !== last);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP * Math.max(0, widths.length - 1);
}

function place(shown: readonly Need[], widths: readonly number[], short: boolean): Layout {
  return {
    kind: "columns",
    shown: shown.map((need, at) => ({ index: need.index, width: widths[at] ?? 0 })),
    short,
  };
}
