import stringWidth from "string-width";

import { isPlain } from "./visible-text.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The widths of short texts: computing one costs many times a look-up, and replies repeat them. */
const widthCache = new Map<string, number>();
const MAX_CACHED = 10_000;
const MAX_CACHED_LENGTH = 32;

/** The columns that a visible text takes: wide characters two, marks none. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  const found = widthCache.get(text);
  if (found !== undefined) return found;
  let width = 0;
  if (text.length > MAX_CACHED_LENGTH) {
    for (const { segment } of segmenter.segment(text)) {
      width += segment.length > MAX_CACHED_LENGTH ? stringWidth(segment) : widthOf(segment);
    }
    return width;
  }
  width = stringWidth(text);
  if (widthCache.size >= MAX_CACHED) widthCache.clear();
  widthCache.set(text, width);
  return width;
}

/** A text as grapheme clusters, each of which a reader sees as one character. */
export function graphemes(text: string): readonly string[] {
  return isPlain(text) ? text.split("") : Array.from(segmenter.segment(text), (part) => part.segment);
}

/** The text, or as much of it as fits with an ellipsis behind it. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const part of graphemes(text)) {
    used += widthOf(part);
    if (used > width) break;
    kept += part;
  }
  return `${kept}…`;
}
