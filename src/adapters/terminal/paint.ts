import type { Look, Span } from "./span.ts";

export interface PaintOptions {
  readonly colour: boolean;
  readonly links: boolean;
}

/** Select Graphic Rendition, ECMA-48 section 8.3.117: how to begin and end each look. */
const CODES: Record<Look, readonly [begin: string, end: string]> = {
  plain: ["", ""],
  strong: ["1", "22"],
  code: ["36", "39"],
  link: ["4", "24"],
  dim: ["2", "22"],
  neutral: ["1;34", "22;39"],
  good: ["1;32", "22;39"],
  warning: ["1;33", "22;39"],
  bad: ["1;31", "22;39"],
};

/** Spans as text for the terminal. */
export function paint(spans: readonly Span[], options: PaintOptions): string {
  let painted = "";
  let at = 0;
  while (at < spans.length) {
    const first = spans[at];
    if (first === undefined) break;
    let { text } = first;
    // Words of one look are one stretch, so that a link of several words is one link.
    for (at += 1; at < spans.length && spans[at]?.look === first.look && spans[at]?.href === first.href; at += 1) {
      text += spans[at]?.text ?? "";
    }
    painted += paintText(text, first, options);
  }
  return painted;
}

function paintText(text: string, one: Span, options: PaintOptions): string {
  const [begin, end] = CODES[one.look];
  const shown = options.colour && begin !== "" ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  // OSC 8, https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda; the address is checked by linkSpans.
  return options.links && one.href !== undefined ? `\u001B]8;;${one.href}\u001B\\${shown}\u001B]8;;\u001B\\` : shown;
}
