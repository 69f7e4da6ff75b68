import { formatUtc } from "../units/nanoseconds.ts";
import type { Inline, Text } from "./text.ts";

/** Text without any markup: for CSV cells, notifications, file names. Times in UTC. */
export function plainText(content: Text): string {
  return content.map(plainInline).join("");
}

function plainInline(inline: Inline): string {
  switch (inline.kind) {
    case "text":
    case "strong":
    case "code":
      return inline.text;
    case "link":
      return inline.text === inline.url ? inline.url : `${inline.text} (${inline.url})`;
    case "time":
      return formatUtc(inline.at);
  }
}
