import type { TextStyle, Span } from "./span.ts";

export interface AnsiOptions {
  readonly colour: boolean;
  readonly links: boolean;
}

/** Select Graphic Rendition, ECMA-48 section 8.3.117. */
function sgr(begin: string, end: string): readonly [begin: string, end: string] {
  return [`\u001B[${begin}m`, `\u001B[${end}m`];
}

/** How to begin and end each look. */
const STYLE_CODES: ReadonlyMap<TextStyle, readonly [begin: string, end: string]> = new Map([
  ["strong", sgr("1", "22")],
  ["code", sgr("36", "39")],
  ["link", sgr("4", "24")],
  ["dim", sgr("2", "22")],
  ["neutral", sgr("1;34", "22;39")],
  ["good", sgr("1;32", "22;39")],
  ["warning", sgr("1;33", "22;39")],
  ["bad", sgr("1;31", "22;39")],
]);
const NO_CODES: readonly [begin: string, end: string] = ["", ""];

/** Spans as text for the terminal, behind what is painted already. */
export function toAnsi(spans: readonly Span[], { colour, links }: AnsiOptions, before = ""): string {
  let painted = before;
  let open: Span | undefined;
  let end = "";
  // Words of one look are one stretch, so that a link of several words is one link.
  for (const one of spans) {
    if (open?.style !== one.style || open.href !== one.href) {
      const code = (colour && one.style !== "plain" ? STYLE_CODES.get(one.style) : undefined) ?? NO_CODES;
      const linked = links && one.href !== undefined;
      // OSC 8, https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda; the address is checked by linkSpans.
      painted += end + (linked ? `\u001B]8;;${one.href}\u001B\\${code[0]}` : code[0]);
      end = linked ? `${code[1]}\u001B]8;;\u001B\\` : code[1];
      open = one;
    }
    painted += one.text;
  }
  return painted + end;
}
