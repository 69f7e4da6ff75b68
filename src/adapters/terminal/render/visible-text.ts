import stringWidth from "string-width";

/**
 * Characters that act on a terminal, hide or deceive: control characters, lone surrogates, line and paragraph separators,
 * bidirectional controls and invisible characters. Joiners stay where a script or an emoji needs them; more than four
 * marks on one letter would overlap the lines above.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u200C\u200D\p{Variation_Selector}]]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}])[\u200C\u200D]|(?<=\p{M}{4})\p{M}/gv;

/** All but printable ASCII, a middle dot, and the dashes, quotes and bullets of U+2010 to U+2027. */
const UNUSUAL = /[^ -~·\u2010-\u2027]/u;

/** Whether each character is certainly visible as itself and one column wide, as in nearly every text. */
export function isPlain(text: string): boolean {
  return !UNUSUAL.test(text);
}

/**
 * Data escaped for a terminal: nothing in it moves the cursor, colours, hides or reorders; such characters are shown as a
 * picture (`␛`) or by number (`<U+202E>`). With `lines: "keep"`, line breaks stay; else they are shown as `␤`.
 */
export function visibleText(data: string, lines: "keep" | "show" = "show"): string {
  if (isPlain(data)) return data;
  return (
    data
      .replaceAll("\r\n", "\n")
      .replaceAll(HIDDEN, (character) => show(character, lines))
      // A mark without a letter would combine with the character before this text.
      .replaceAll(/(?<!\S)\p{M}/gu, "◌$&")
  );
}

function show(character: string, lines: "keep" | "show"): string {
  if (character === "\n") return lines === "keep" ? "\n" : "␤";
  if (character === "\t") return "  ";
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "␡";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}

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
