/** Every string that a payload shows, with the kind of object it stands in. */
export function strings(value: unknown, kind = ""): { kind: string; text: string }[] {
  if (typeof value === "string") return [{ kind, text: value }];
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && typeof value.type === "string" ? value.type : kind;
  return Object.entries(value).flatMap(([key, part]) =>
    ["type", "value", "url", "action_id", "block_id", "style", "align"].includes(key) ? [] : strings(part, own),
  );
}

/** What a person reads of a text, with links as label and target. */
export function readable(text: string): string {
  return text
    .replaceAll(/<!date\^[^|>]*\|([^>]*)>/gu, "$1")
    .replaceAll(/<(https?:[^|>]*)\|([^>]*)>/gu, "$2 ($1)")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** All that a message shows, as one text. */
export function shownText(blocks: unknown): string {
  return strings(blocks)
    .map(({ text }) => readable(text))
    .join("\n");
}
