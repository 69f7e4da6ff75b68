import stringWidth from "string-width";

import { oneLine, plainText, printable } from "../../../reply/plain-text.ts";
import type { Ask } from "../../../reply/reply.ts";
import { type Inline, type Person, shortenId, type Text, timeOf, type TimeStyle } from "../../../reply/text.ts";
import { formatUtc, toSeconds } from "../../../units/time.ts";
import { boundedText } from "../../chat/bounds.ts";
import type { CommandMention } from "../command-mentions.ts";
import { discordPlatform } from "../platform.ts";

/** Bounded markup; `whole` is false where something was omitted. */
export interface Markup {
  readonly markdown: string;
  readonly whole: boolean;
  /** Set for a table with rows, columns or addresses that only its CSV has. */
  readonly csv?: true;
}

/** An identifier shown by its ends, for the button that gives the whole one. */
export interface ShortenedId {
  /** The name of the field it stands in, in plain text; may be empty. */
  readonly name: string;
  readonly value: string;
}

export interface InlineOptions {
  /** The longest markup allowed, in UTF-16 units as Discord's own libraries count; without it there is no bound. */
  readonly max?: number;
  /** Keep line breaks; otherwise they become blanks. */
  readonly lines?: true;
  /** All plain runs in bold. */
  readonly bold?: true;
  /** Called with each identifier that is shortened. */
  readonly onId?: ((value: string) => void) | undefined;
  /** Shortens no identifier. */
  readonly wholeIds?: boolean | undefined;
  /** Mentions commands; without it, and for one without a mention, the line as it is typed. */
  readonly mention?: CommandMention | undefined;
  /** Times in one form, and no longer than a phone's line has room for. */
  readonly shortTimes?: boolean;
  /** A time of day to the second, where it has one. */
  readonly seconds?: true;
}

/** The last time that Discord shows; https://docs.discord.com/developers/reference#message-formatting-timestamp-styles. */
const LAST_SECOND = 8_640_000_000_000n;
/** Longer addresses are only in the file with the whole reply. */
const LINK_LENGTH = 1500;

/** Text as Discord's markdown, every leaf of it escaped. */
export function renderText(content: Text, options: InlineOptions = {}): Markup {
  const { markup, whole } = boundedText(content, {
    max: options.max ?? Number.POSITIVE_INFINITY,
    bold: options.bold,
    render: (inline) => renderInline(inline, options),
    join: joinMarkup,
    canMention,
    isLong: ({ url }) => linkTarget(url).length > LINK_LENGTH,
    canCut: ({ id, command, names }) => (id ?? command) !== true && names === undefined,
  });
  return { markdown: markup, whole };
}

/** Text on one line without any markup: for titles of code blocks, cells of a grid, labels. */
export function flatText(content: Text, onId?: (value: string) => void): string {
  return oneLine(plainText(flatRuns(content, onId))).trim();
}

/** Runs without any markup; times stay. */
export function flatRuns(content: Text, onId?: (value: string) => void): Text {
  return content.map((inline) => {
    if (inline.kind === "time") return inline;
    const isId = inline.kind === "code" && inline.id === true;
    return { kind: "text", text: isId ? shownId(inline.text, onId) : plainText([inline]) };
  });
}

/** Text in which each character takes one column of a fixed-width font: Latin, Greek, Cyrillic. */
export const FIXED_WIDTH = /^[\u0020-\u007E\u00A1-\u024F\u0370-\u052F\u2010-\u2026\u2190-\u2193\u2212]*$/u;

/** The width of each cell of a table: several layouts ask for it. */
const widths = new WeakMap<Text, number>();

/** The columns that text takes on a line, with short times as long as Discord writes them in English. */
export function shownWidth(content: Text): number {
  const known = widths.get(content);
  if (known !== undefined) return known;
  const flat = flatText(content.map(asShown));
  const width = FIXED_WIDTH.test(flat) ? flat.length : stringWidth(flat);
  widths.set(content, width);
  return width;
}

/** "11/22/2026 1:00:00 PM", "12 minutes ago", "1:00 PM", "2026-11-22 13:00:00 UTC". */
const TIME_WIDTHS: Record<TimeStyle, number> = { absolute: 21, relative: 14, both: 21, clock: 8, utc: 23 };

/** A time as long as it is shown, a command with the slash before it. */
function asShown(inline: Inline): Inline {
  if (inline.kind === "time") return { kind: "text", text: "0".repeat(TIME_WIDTHS[inline.style]) };
  return "command" in inline ? { kind: "text", text: `/${inline.text}` } : inline;
}

function shownId(value: string, onId: ((value: string) => void) | undefined): string {
  const short = shortenId(value);
  if (short !== value) onId?.(value);
  return short;
}

function renderInline(inline: Inline, options: InlineOptions): string {
  const clean = options.lines === true ? printable : oneLine;
  switch (inline.kind) {
    case "text":
    case "number":
      return escapeMarkdown(clean(inline.text));
    case "strong": {
      const escaped = escapeMarkdown(clean(inline.text));
      return escaped.trim() === "" ? escaped : `**${escaped}**`;
    }
    case "code": {
      if (inline.command === true) return commandMarkup(inline.text, options.mention);
      if (inline.names?.platform === discordPlatform.id && ID.test(inline.text)) {
        return inline.names.what === "channel" ? `<#${inline.text}>` : `<@&${inline.text}>`;
      }
      const short = inline.id === true && options.wholeIds !== true;
      const value = short ? shownId(inline.text, options.onId) : inline.text;
      return inlineCode(oneLine(value));
    }
    case "link": {
      const label = linkLabel(oneLine(inline.text)).trim();
      const target = linkTarget(inline.url);
      if (target.length > LINK_LENGTH) return label;
      return `[${label === "" ? linkLabel(hostOf(inline.url)) : label}](${target})`;
    }
    case "time":
      return timeMarkup(inline, options);
    case "person":
      return `<@${inline.id}>`;
  }
}

/** A command line as a mention, or as it is typed on Discord. */
function commandMarkup(line: string, mention: CommandMention | undefined): string {
  const typed = oneLine(line).trim();
  return typed === "" ? "" : (mention?.(typed) ?? inlineCode(`/${typed}`));
}

/** A command as a mention, or as it is typed on Discord. */
export function askMarkup(ask: Ask, mention: CommandMention | undefined): string {
  return mention?.(ask) ?? inlineCode(oneLine(`/${ask.command} ${typedOptions(ask.options)}`).trim());
}

/** Options as Discord shows them where a command is typed. */
export function typedOptions(options: Ask["options"]): string {
  return oneLine(
    Object.entries(options)
      .map(([name, value]) => `${name}:${value}`)
      .join(" "),
  ).trim();
}

/** Whether Discord can mention this person: not one of another platform, nor one whose id was erased. */
function canMention({ platform, id }: Person): boolean {
  return platform === discordPlatform.id && ID.test(id);
}

/** https://docs.discord.com/developers/reference#snowflakes */
const ID = /^\d{15,20}$/u;

/** A time in the reader's own zone: https://docs.discord.com/developers/reference#message-formatting. */
function timeMarkup(inline: Extract<Inline, { kind: "time" }>, options: InlineOptions): string {
  const at = timeOf(inline);
  const seconds = toSeconds(at);
  if (seconds > LAST_SECOND || seconds < -LAST_SECOND) return escapeMarkdown(formatUtc(at));
  const age = `<t:${seconds}:R>`;
  // Date and time with seconds, unless they say nothing: a story may be shorter than a minute.
  const { shortTimes: short = false } = options;
  const isFull = seconds % 60n === 0n;
  const moment = `<t:${seconds}:d> <t:${seconds}:${!short && isFull ? "t" : "T"}>`;
  switch (inline.style) {
    case "absolute":
      return moment;
    case "relative":
      return age;
    case "both":
      return short ? moment : `${moment} (${age})`;
    case "clock":
      return `<t:${seconds}:${options.seconds === true && !isFull ? "T" : "t"}>`;
    case "utc":
      return escapeMarkdown(formatUtc(at));
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "link";
}

// Escaping: https://docs.discord.com/developers/reference#message-formatting lists all that Discord reads into plain text.

/** Invisible: separates two runs of markup, or an at sign and a name. */
const ZERO_WIDTH_SPACE = "\u200B";

/**
 * Data as Discord shows it to the letter: no formatting, no mention, no time stamp, no link.
 * Expects the output of `printable` or `oneLine`.
 */
export function escapeMarkdown(plain: string): string {
  // Most texts have no sign that means anything to Discord, and each reply has hundreds of them.
  if (/^[A-Za-z0-9 ,%()/…–·]*$/u.test(plain)) return plain;
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

/** Text inside a fenced block: three backticks in a row would end it. */
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

/** Whether Discord takes it as the address of a link. */
export function isWebAddress(url: string, maxLength: number): boolean {
  return url.length <= maxLength && /^https?:\/\//iu.test(url) && URL.canParse(url);
}

/** Joins pieces of markup so that the end of one and the start of the next do not read as one sign. */
function joinMarkup(before: string, after: string): string {
  const last = before.at(-1);
  return last !== undefined && /[*`_~|]/u.test(last) && after.startsWith(last)
    ? `${before}${ZERO_WIDTH_SPACE}${after}`
    : `${before}${after}`;
}
