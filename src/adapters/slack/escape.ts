// https://docs.slack.dev/messaging/formatting-message-text lists what Slack would make of plain text.

/** The three characters that Slack takes for control characters, everywhere. Expects printable text. */
export function escapeText(plain: string): string {
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What stands for a formatting sign where that would act: mrkdwn knows no escape for it, and this looks alike. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { "*": "\u2217", _: "\uFF3F", "~": "\u223C", "`": "\u02CB" };

/** Data as mrkdwn: no mention, no link, no formatting. Signs inside words act nowhere and stay as they are. */
export function escapeMrkdwn(plain: string): string {
  return (
    escapeText(plain)
      .replaceAll(
        // A sign acts only where it touches a word on one side and none on the other.
        /(?<=^|[\s\p{P}\p{S}])[*_~`](?=\S)|(?<=\S)[*_~`](?=$|[\s\p{P}\p{S}])/gmu,
        (sign) => LOOK_ALIKES[sign] ?? sign,
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
