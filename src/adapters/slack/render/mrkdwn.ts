import type { PlainTextElement } from "@slack/types";

import { oneLine, plainText, printable } from "../../../reply/plain-text.ts";
import { type Inline, type Person, type Text, timeOf } from "../../../reply/text.ts";
import { formatUtc, toSeconds } from "../../../units/time.ts";
import { boundedText, mostThat } from "../../chat/bounds.ts";
import { BUTTON_URL_LENGTH } from "../limits.ts";
import { slackPlatform } from "../platform.ts";

/** Markup within a bound; `whole` is false where something was left out. */
export interface Markup {
  readonly mrkdwn: string;
  readonly whole: boolean;
}

interface InlineOptions {
  /** The longest markup allowed, in UTF-16 units. */
  readonly max: number;
  /** Preserves line breaks; otherwise they become blanks. */
  readonly lines?: boolean;
  /** All plain runs in bold. */
  readonly bold?: boolean;
  /** A time of day to the second, where it has one. */
  readonly seconds?: boolean;
}

const ELLIPSIS = "…";
/** Longer addresses are only in the file with the whole reply. */
const LINK_LENGTH = BUTTON_URL_LENGTH / 2;
/** Slack reads times up to here; the year 2286 is far enough. */
export const LAST_SECOND = 9_999_999_999n;

/** Text as mrkdwn, every leaf of it escaped. */
export function renderText(content: Text, options: InlineOptions): Markup {
  const { markup, whole } = boundedText(content, {
    ...options,
    render: (inline) => renderInline(inline, options),
    join,
    canMention,
    isLong: ({ url }) => url.length > LINK_LENGTH,
  });
  return { mrkdwn: markup, whole };
}

/** One line of escaped text without markup, within a bound: for headers, labels and notifications. */
export function renderPlain(content: Text, max: number): { text: string; whole: boolean } {
  const points = Array.from(oneLine(plainText(content)).trim());
  const full = escapeText(points.join(""));
  if (full.length <= max) return { text: full, whole: true };
  const beginning = (count: number): string => `${escapeText(points.slice(0, count).join(""))}${ELLIPSIS}`;
  return { text: beginning(mostThat(points.length - 1, (count) => beginning(count).length <= max)), whole: false };
}

/** Escaped text as Slack's object, in which no code becomes an emoji. */
export function plainTextElement(text: string): PlainTextElement {
  return { type: "plain_text", text, emoji: false };
}

/** Markup acts only beside a blank or punctuation; a zero-width space makes the border where two runs touch. */
function join(before: string, after: string): string {
  const touch = /[\p{L}\p{N}*_~`]$/u.test(before) && /^[*`]/u.test(after);
  const touched = /[*`]$/u.test(before) && /^[\p{L}\p{N}*_~`]/u.test(after);
  return touch || touched ? `${before}\u200B${after}` : before + after;
}

function renderInline(inline: Inline, { lines = false, seconds = false }: InlineOptions): string {
  const clean = lines ? printable : oneLine;
  switch (inline.kind) {
    case "text":
    case "number":
      return escapeMrkdwn(clean(inline.text));
    case "strong":
      return bold(clean(inline.text));
    case "code":
      return isSlackChannel(inline) ? `<#${inline.text}>` : inlineCode(oneLine(inline.text));
    case "link": {
      const label = oneLine(inline.text).trim();
      if (inline.url.length > LINK_LENGTH) return escapeMrkdwn(label);
      return linkMarkup(label === "" ? new URL(inline.url).host : label, inline.url);
    }
    case "time":
      return timeMarkup(inline, seconds);
    case "person":
      return `<@${inline.id}>`;
  }
}

/** Whether it is somebody on Slack; an id that was erased is none. */
function canMention({ platform, id }: Person): boolean {
  return platform === slackPlatform.id && slackPlatform.kindOfId(id) === "person";
}

/** Whether it is a channel on Slack. A mention of a group or a person would notify them. */
export function isSlackChannel(inline: Inline): inline is SlackChannel {
  if (inline.kind !== "code") return false;
  const { names, text } = inline;
  return names?.what === "channel" && names.platform === slackPlatform.id && /^[CG][A-Z0-9]{8,}$/u.test(text);
}

type SlackChannel = Extract<Inline, { kind: "code" }> & { readonly names: object };

/** Bold does not reach over a line break, nor over blanks at its ends. */
function bold(plain: string): string {
  return plain
    .split("\n")
    .map((line) => {
      const inner = line.trim();
      if (inner === "") return line;
      const [before, after] = [line.slice(0, line.indexOf(inner)), line.slice(line.indexOf(inner) + inner.length)];
      return `${before}*${escapeMrkdwn(inner)}*${after}`;
    })
    .join("\n");
}

/** A time in the reader's own zone: https://docs.slack.dev/messaging/formatting-message-text#date-formatting. */
function timeMarkup(inline: Extract<Inline, { kind: "time" }>, toSecond: boolean): string {
  const at = timeOf(inline);
  const seconds = toSeconds(at);
  const fallback = formatUtc(at);
  if (seconds < 1n || seconds > LAST_SECOND) return escapeMrkdwn(fallback);
  const clock = seconds % 60n === 0n ? "time" : "time_secs";
  const moment = `{date_short_pretty} {${clock}}`;
  const mark = (format: string): string => `<!date^${seconds}^${format}|${fallback}>`;
  switch (inline.style) {
    case "absolute":
      return mark(moment);
    case "relative":
      return mark("{ago}");
    case "both":
      // In one mark: where times are not drawn, as on a lock screen, its words are said once.
      return mark(`${moment} ({ago})`);
    case "clock":
      return mark(`{${toSecond ? clock : "time"}}`);
    case "utc":
      return escapeMrkdwn(fallback);
  }
}

// https://docs.slack.dev/messaging/formatting-message-text lists what Slack would make of plain text.

/** The three characters that Slack takes for control characters, everywhere. Expects printable text. */
export function escapeText(plain: string): string {
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Replacements for formatting signs where they would act: mrkdwn has no escape for them, and these look alike. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { "*": "\u2217", _: "\uFF3F", "~": "\u223C", "`": "\u02CB" };

/** What a colon on both sides makes an emoji: a word with a letter, or one of a few without. */
const EMOJI_NAME = /[a-z]|^(?:[+-]1|100|1234)$/iu;

/** Data as mrkdwn: no mention, no link, no formatting. Signs inside words act nowhere and stay as they are. */
export function escapeMrkdwn(plain: string): string {
  return escapeText(plain)
    .replaceAll(
      // A sign acts only where it touches a word on one side and none on the other.
      /(?<=^|[\s\p{P}\p{S}])[*_~`](?=\S)|(?<=\S)[*_~`](?=$|[\s\p{P}\p{S}])/gmu,
      (sign) => LOOK_ALIKES[sign] ?? sign,
    )
    .replaceAll(/(^|\n)(&gt;|•|-|\d+\.)(?= )/gu, "$1\u200B$2")
    .replaceAll(/:(?=([\w+'-]+):)/gu, (colon, name: string) => (EMOJI_NAME.test(name) ? `${colon}\u200B` : colon));
}

/** Inline code; a backtick would end it, so a look-alike replaces it. Empty text has no code. */
export function inlineCode(plain: string): string {
  const content = escapeText(plain).replaceAll("`", "\u02CB");
  return content.trim() === "" ? content : `\`${content}\``;
}

/** The inside of a fence: three backticks would end it. */
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

/** Characters of all strings in a block, shown or carried. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0);
}
