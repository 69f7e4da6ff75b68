// https://docs.discord.com/developers/reference#message-formatting lists what Discord would make of plain text.

/** Invisible: keeps two runs of markup, or an at sign and a name, apart. */
const ZERO_WIDTH_SPACE = "\u200B";

/**
 * Data as Discord shows it to the letter: no formatting, no mention, no time stamp, no link.
 * Expects the output of `printable` or `oneLine`.
 */
export function escapeMarkdown(plain: string): string {
  return (
    plain
      .replaceAll(/[\\*_~`|<>[\]]/gu, String.raw`\$&`)
      // A colon before `//` makes a link, one before `name:` an emoji.
      .replaceAll(/:(?=\/\/|[a-z][\w+-]*:)/giu, String.raw`\:`)
      .replaceAll(/(^|\n)( *)([#+-])/gu, String.raw`$1$2\$3`)
      .replaceAll(/(^|\n)( *\d+)\.(?= |$)/gu, String.raw`$1$2\.`)
      .replaceAll(/@(?=everyone|here)/giu, `@${ZERO_WIDTH_SPACE}`)
      // Links without a scheme: Discord unfolds its own invitations.
      .replaceAll(/\b(discord(?:app)?\.(?:gg|com))\//giu, `$1${ZERO_WIDTH_SPACE}/`)
  );
}

/**
 * Inline code. A single backtick inside takes a fence of two; a longer run would end either fence, so look-alikes
 * stand for its signs. Empty text has no code.
 */
export function inlineCode(plain: string): string {
  if (plain.trim() === "") return "";
  const content = plain.replaceAll(/`{2,}/gu, (run) => "\u2035".repeat(run.length));
  if (!content.includes("`")) return `\`${content}\``;
  const before = content.startsWith("`") ? " " : "";
  const after = content.endsWith("`") ? " " : "";
  return `\`\`${before}${content}${after}\`\``;
}

/** What stands inside a fenced block: three backticks in a row would end it. */
export function insideFence(plain: string): string {
  return plain.replaceAll(/`(?=``)/gu, `\`${ZERO_WIDTH_SPACE}`);
}

/** The label of a link: Discord ends it at the first bracket, even at an escaped one, so wide look-alikes stand for them. */
export function linkLabel(plain: string): string {
  return escapeMarkdown(plain.replaceAll("[", "\uFF3B").replaceAll("]", "\uFF3D"));
}

/** The address of a link: no bracket or blank that would end it early. */
export function linkTarget(url: string): string {
  return url.replaceAll(/[()<>\s\\]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** Whether something can be linked to. */
export function isWebAddress(url: string, maxLength: number): boolean {
  return url.length <= maxLength && /^https?:\/\//iu.test(url) && URL.canParse(url);
}

/** Joins pieces of markup so that the end of one and the start of the next do not read as one sign. */
export function joinMarkup(before: string, after: string): string {
  const last = before.at(-1);
  return last !== undefined && /[*`_~|]/u.test(last) && after.startsWith(last)
    ? `${before}${ZERO_WIDTH_SPACE}${after}`
    : `${before}${after}`;
}
