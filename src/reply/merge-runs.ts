import type { Inline, Text } from "./text.ts";

/**
 * Neighbours of one kind become one leaf, so that no markup can be put together from two harmless halves.
 * With `bold`, plain runs become strong ones.
 */
export function mergeRuns(content: Text, bold: boolean): Inline[] {
  const merged: Inline[] = [];
  for (const given of content) {
    const inline: Inline = bold && given.kind === "text" ? { kind: "strong", text: given.text } : given;
    const last = merged.at(-1);
    if (last !== undefined && (inline.kind === "text" || inline.kind === "strong") && last.kind === inline.kind) {
      merged[merged.length - 1] = { kind: inline.kind, text: last.text + inline.text };
    } else {
      merged.push(inline);
    }
  }
  return merged;
}
