import { graphemes, widthOf } from "./visible-text.ts";
import { blank, lineBreak, type Span, withText } from "./span.ts";

/** One line of spans and the columns it takes. */
export interface Line {
  readonly spans: readonly Span[];
  readonly width: number;
}

/** A line under construction. */
export interface OpenLine extends Line {
  readonly spans: Span[];
  width: number;
}

/**
 * Breaks spans into lines of at most `width` columns, at spaces where possible. An unbreakable span wider than a line
 * gets a line of its own and overflows it, since a break would be copied too: the terminal wraps it without one.
 */
export function wrap(spans: readonly Span[], width: number): Line[] {
  let used = 0;
  for (const one of spans) used += one === lineBreak ? Infinity : one.width;
  const isLong = used > width || spans.at(-1)?.text.endsWith(" ") === true;
  return isLong ? wrapLong(spans, width) : [{ spans, width: used }];
}

/** The columns that spans take side by side. */
export function totalWidth(spans: readonly Span[]): number {
  let width = 0;
  for (const one of spans) width += one.width;
  return width;
}

/** The spans of both, one after the other. */
export function joined(first: readonly Span[], second: readonly Span[]): Span[] {
  // Not as [...first, ...second]: V8 copies only the first spread of a list at once.
  const spans = [...first];
  for (const one of second) spans.push(one);
  return spans;
}

function wrapLong(spans: readonly Span[], width: number): Line[] {
  let current: OpenLine = { spans: [], width: 0 };
  const lines: Line[] = [current];
  let word: Span[] = [];
  // The spaces before the next word, in the style of their span.
  let space = 0;
  let spaceIn: Span | undefined;

  const newLine = (): void => {
    current = { spans: [], width: 0 };
    lines.push(current);
    space = 0;
  };
  const put = (piece: Span): void => {
    current.spans.push(piece);
    current.width += piece.width;
  };
  const putBroken = (piece: Span): void => {
    for (const part of piece.whole ? [piece] : breakable(piece, width)) {
      if (current.width > 0 && current.width + part.width > width) newLine();
      put(part);
    }
  };
  const endWord = (): void => {
    if (word.length === 0) return;
    const wordWidth = totalWidth(word);
    if (current.width + space + wordWidth > width && current.width > 0) newLine();
    if (space > 0 && current.width + space + wordWidth <= width) {
      put(spaceIn === undefined ? blank(space) : withText(spaceIn, " ".repeat(space)));
    }
    space = 0;
    for (const piece of word) {
      if (wordWidth <= width) put(piece);
      else putBroken(piece);
    }
    word = [];
  };

  for (const one of spans) {
    if (one === lineBreak) {
      endWord();
      newLine();
      continue;
    }
    if (one.whole) {
      word.push(one);
      continue;
    }
    for (const part of one.text.split(/( +)/u)) {
      if (part === "") continue;
      if (part.startsWith(" ")) {
        endWord();
        spaceIn = space === 0 || spaceIn === one ? one : undefined;
        space += part.length;
      } else {
        word.push(withText(one, part));
      }
    }
  }
  endWord();
  return lines;
}

/** Splits a span into the longest parts that fit a line. */
function breakable(piece: Span, width: number): Span[] {
  const parts: Span[] = [];
  let text = "";
  let used = 0;
  const end = (): void => {
    if (text !== "") parts.push(withText(piece, text));
    text = "";
    used = 0;
  };
  for (const character of graphemes(piece.text)) {
    // In some scripts a grapheme can be wider than a line; such a one is split at its code points.
    for (const unit of widthOf(character) > width ? character : [character]) {
      const unitWidth = widthOf(unit);
      if (used + unitWidth > width) end();
      text += unit;
      used += unitWidth;
    }
  }
  end();
  return parts;
}

/** The width of spans that are broken at line breaks only. */
export function naturalWidth(spans: readonly Span[]): number {
  let widest = 0;
  let line = 0;
  for (const one of spans) {
    line = one === lineBreak ? 0 : line + one.width;
    if (line > widest) widest = line;
  }
  return widest;
}

/** The width of the widest word. */
export function wordWidth(spans: readonly Span[]): number {
  let widest = 0;
  let run = 0;
  for (const one of spans) {
    if (one === lineBreak) run = 0;
    else if (one.whole || !one.text.includes(" ")) run += one.width;
    else {
      for (const part of one.text.split(/( +)/u)) {
        run = part.startsWith(" ") ? 0 : run + widthOf(part);
        if (run > widest) widest = run;
      }
    }
    if (run > widest) widest = run;
  }
  return widest;
}
