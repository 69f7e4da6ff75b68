import { formatUtc } from "../units/time.ts";
import { type Inline, type Text, timeOf } from "./text.ts";

/** Text without any markup: for CSV cells, notifications, file names. Times in UTC. */
export function plainText(content: Text): string {
  let plain = "";
  for (const inline of content) plain += plainInline(inline);
  return plain;
}

function plainInline(inline: Inline): string {
  switch (inline.kind) {
    case "text":
    case "strong":
    case "number":
    case "code":
    case "person":
      return inline.text;
    case "link":
      return inline.text === inline.url ? inline.url : `${inline.text} (${inline.url})`;
    case "time":
      return formatUtc(timeOf(inline));
  }
}

/**
 * Text that can be sent and shows in its own order: no lone surrogate, no control character,
 * nothing that turns the direction of reading. Such a character becomes a visible sign.
 */
export function printable(raw: string): string {
  // Most texts are plain ASCII, and each reply has hundreds of them.
  if (/^[ -~]*$/u.test(raw)) return raw;
  return raw
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/gu, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/(?!\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");
}

/** The same on one line. */
export function oneLine(raw: string): string {
  return printable(raw).replaceAll(/\s+/gu, (blanks) => (blanks.includes("\n") ? " " : blanks));
}
