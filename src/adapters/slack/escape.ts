// https://docs.slack.dev/messaging/formatting-message-text lists what Slack would make of plain text.

/** The three characters that Slack takes for control characters, everywhere. Expects printable text. */
export function escapeText(plain: string): string {
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Data as mrkdwn shows it to the letter: no mention, no link, no formatting. mrkdwn knows no escape for its formatting
 * signs; a date that cannot be read shows its fallback as plain text, so one stands for each sign that could act.
 */
export function escapeMrkdwn(plain: string): string {
  return (
    escapeText(plain)
      .replaceAll(
        // A sign acts only where it touches a word on one side and none on the other.
        /(?<=^|[\s\p{P}\p{S}])[*_~`](?=\S)|(?<=\S)[*_~`](?=$|[\s\p{P}\p{S}])/gmu,
        (sign) => `<!date^0^{_}|${sign}>`,
      )
      .replaceAll(/(^|\n)(&gt;|•|-|\d+\.)(?= )/gu, "$1\u200B$2")
      // A colon on both sides of a word makes an emoji.
      .replaceAll(/:(?=(?:[\w+'-]*[a-z][\w+'-]*|[+-]1|100|1234):)/giu, ":\u200B")
  );
}

/** Inline code; a backtick would end it, so a look-alike stands for it. Empty text has no code. */
export function inlineCode(plain: string): string {
  const content = escapeText(plain).replaceAll("`", "\u02CB");
  return content.trim() === "" ? content : `\`${content}\``;
}

/** What stands inside a fence: three backticks would end it. */
export function insideFence(plain: string): string {
  return escapeText(plain).replaceAll("`", "\u02CB");
}

/** A link; neither its address nor its label can end it early. */
export function linkMarkup(label: string, url: string): string {
  const target = url.replaceAll(/[<>|\s`"]/gu, (sign) => encodeURIComponent(sign)).replaceAll("&", "&amp;");
  const shown = escapeText(label)
    .replaceAll("|", "\u2223")
    .replaceAll(/[*_~`]/gu, (sign) => `\u200B${sign}`);
  return `<${target}|${shown}>`;
}
