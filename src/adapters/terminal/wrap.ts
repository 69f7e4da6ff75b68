import { graphemes, widthOf } from "./cell-width.ts";
import type { Span } from "./span.ts";

/** One line of spans and the columns it takes. */
export interface Line {
  readonly spans: readonly Span[];
  readonly width: number;
}

/** A line that is still being put together. */
export interface OpenLine extends Line {
  readonly spans: Span[];
  width: number;
}

interface Piece {
  readonly span: Span;
  readonly width: number;
}

const PLAIN: Span = { text: "", look: "plain" };

/**
 * Breaks spans into lines of at most `width` columns, at spaces where possible. What is to be copied whole and is
 * wider than a line gets a line of its own and is left to run over the edge, since a break would be copied too:
 * the terminal wraps it without one.
 */
export function wrap(spans: readonly Span[], width: number): Line[] {
  const short = asOneLine(spans, width);
  return short === undefined ? wrapLong(spans, width) : [short];
}

/** What needs no breaking, which is nearly all: as it stands, unless it ends in spaces, which no line does. */
function asOneLine(spans: readonly Span[], width: number): Line | undefined {
  let used = 0;
  for (const { text, whole } of spans) {
    if (whole !== true && text.includes("\n")) return undefined;
    used += widthOf(text);
  }
  if (used > width || spans.at(-1)?.text.endsWith(" ") === true) return undefined;
  return { spans, width: used };
}

function wrapLong(spans: readonly Span[], width: number): Line[] {
  let current: OpenLine = { spans: [], width: 0 };
  const lines: Line[] = [current];
  let word: Piece[] = [];
  // The spaces before the next word, in the look of what they stand in.
  let space = 0;
  let spaceIn: Span | undefined;

  const newLine = (): void => {
    current = { spans: [], width: 0 };
    lines.push(current);
    space = 0;
  };
  const put = (piece: Piece): void => {
    current.spans.push(piece.span);
    current.width += piece.width;
  };
  const putBroken = (piece: Piece): void => {
    if (piece.span.whole === true) {
      if (current.width > 0 && current.width + piece.width > width) newLine();
      put(piece);
      return;
    }
    for (const part of breakable(piece, width)) {
      if (current.width > 0 && current.width + part.width > width) newLine();
      put(part);
    }
  };
  const endWord = (): void => {
    if (word.length === 0) return;
    const wordWidth = word.reduce((sum, piece) => sum + piece.width, 0);
    if (current.width + space + wordWidth > width && current.width > 0) newLine();
    if (space > 0 && current.width + space + wordWidth <= width) {
      put({ span: { ...(spaceIn ?? PLAIN), text: " ".repeat(space) }, width: space });
    }
    space = 0;
    for (const piece of word) {
      if (wordWidth <= width) put(piece);
      else putBroken(piece);
    }
    word = [];
  };

  for (const span of spans) {
    if (span.whole === true) {
      word.push({ span, width: widthOf(span.text) });
      continue;
    }
    for (const part of span.text.split(/(\n| +)/u)) {
      if (part === "") continue;
      if (part === "\n") {
        endWord();
        newLine();
      } else if (part.startsWith(" ")) {
        endWord();
        spaceIn = space === 0 || spaceIn === span ? span : undefined;
        space += part.length;
      } else {
        word.push({ span: { ...span, text: part }, width: widthOf(part) });
      }
    }
  }
  endWord();
  return lines;
}

/** A piece in parts of which each fits; neighbours that fit together stay together. */
function breakable(piece: Piece, width: number): Piece[] {
  const parts: Piece[] = [];
  let text = "";
  let used = 0;
  const end = (): void => {
    if (text !== "") parts.push({ span: { ...piece.span, text }, width: used });
    text = "";
    used = 0;
  };
  for (const character of graphemes(piece.span.text)) {
    // Some scripts let one grapheme grow without end; such a one is parted at its code points.
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

function isOneWord(text: string): boolean {
  return !text.includes(" ") && !text.includes("\n");
}

/** How wide spans are when nothing is broken, and their widest word. */
export function measure(spans: readonly Span[]): { readonly natural: number; readonly word: number } {
  let [natural, word, line, run] = [0, 0, 0, 0];
  for (const span of spans) {
    for (const part of span.whole === true || isOneWord(span.text) ? [span.text] : span.text.split(/(\n| +)/u)) {
      const breaks = span.whole !== true && (part === "\n" || part.startsWith(" "));
      const width = part === "\n" ? 0 : widthOf(part);
      line = part === "\n" && breaks ? 0 : line + width;
      run = breaks ? 0 : run + width;
      natural = Math.max(natural, line);
      word = Math.max(word, run);
    }
  }
  return { natural, word };
}
