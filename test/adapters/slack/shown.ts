import { textOf } from "../../support/fake-slack/person.ts";

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
function readable(text: string): string {
  return text
    .replaceAll(/<!date\^[^|>]*\|([^>]*)>/gu, "$1")
    .replaceAll(/<(https?:[^|>]*)\|([^>]*)>/gu, "$2 ($1)")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** All that a message or a view says, as a person reads it. */
export function said(message: Parameters<typeof textOf>[0]): string {
  return readable(textOf(message)).replaceAll("\u200B", "");
}

/** All that a message shows, as one text. */
export function shownText(blocks: unknown): string {
  return strings(blocks)
    .map(({ text }) => readable(text))
    .join("\n");
}

/** What stands between angle brackets, which Slack reads as mentions, links and dates. */
const CONTROL = /<([^<>]*)>/gu;

/**
 * What of a payload would ping somebody or lead somewhere, other than what may: mentions of these alone, and links to
 * where `source`, as JSON, leads itself.
 */
export function forgedIn(payload: unknown, source: unknown, mentions: readonly string[] = []): string[] {
  const links = JSON.stringify(source, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part));
  return strings(payload).flatMap(({ text }) => [
    ...[...text.matchAll(CONTROL)].flatMap(([all, inside = ""]) => {
      if (/^!date\^\d+\^[^|]*\|/u.test(inside) || mentions.includes(inside)) return [];
      const target = inside.slice(0, inside.indexOf("|")).replaceAll("&amp;", "&");
      return /^https?:/u.test(target) && links.includes(new URL(target).host) ? [] : [all];
    }),
    // No bracket may be left over that could pair with something later.
    ...(/[<>]/u.test(text.replaceAll(CONTROL, "")) ? [`a bracket left over: ${text}`] : []),
  ]);
}
