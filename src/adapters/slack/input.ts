/** A person or a user group right behind an option's name, as in `mention:@ops`: its id is what counts there. */
const MENTION_VALUE = /(?<=(?:^|\s)(?:[a-z][a-z-]*:|--[a-z][a-z-]* ))<(?:@|!subteam\^)([A-Z0-9]+)(?:\|[^<>]*)?>/gu;

/**
 * What somebody typed, out of what Slack made of it: with `should_escape`, names, channels and addresses come as
 * `<@U1|ann>`, `<#C1|general>`, `<http://x.y|x.y>`, and three characters as entities
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export function typedText(given: string): string {
  return given
    .replaceAll(MENTION_VALUE, "$1")
    .replaceAll(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/gu, (_all, sign: string, target: string, label?: string) => {
      if (sign === "!" && label !== undefined) return label;
      const shown = label === undefined || label === "" ? target.replace(/^mailto:/u, "") : label;
      return sign === "@" || sign === "#" ? `${sign}${shown}` : `${sign === "!" ? "@" : ""}${shown}`;
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The same without the mention of the bot, which may stand anywhere; without its id, the first mention goes. */
export function textOfMention(given: string, botUserId: string | undefined): string {
  const mention =
    botUserId === undefined ? /<@[A-Z0-9]+(?:\|[^<>]*)?>/u : new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`, "u");
  return typedText(given.replace(mention, " "))
    .replace(/^[\s:,]+/u, "")
    .trim();
}

/** Whether others could see a message there: not in direct messages with the app. */
export function isShared(channel: string | undefined, directMessages: boolean): boolean {
  return channel !== undefined && !directMessages;
}
