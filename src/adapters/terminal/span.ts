import { shortenId, type Inline, type Text } from "../../reply/text.ts";
import { formatDuration } from "../../units/duration.ts";
import { formatUtc, toMillis, type Nanoseconds } from "../../units/nanoseconds.ts";
import { visibleText } from "./visible-text.ts";

export type Look = "plain" | "strong" | "code" | "link" | "dim" | "neutral" | "good" | "warning" | "bad";

/** A run of visible text in one look. Nothing in it acts on the terminal any more. */
export interface Span {
  readonly text: string;
  readonly look: Look;
  /** Where a terminal's hyperlink leads. */
  readonly href?: string;
  /** Is copied as one, so that it is never broken over lines where that can be helped. */
  readonly whole?: true;
  /** The same, where space is short. */
  readonly short?: string;
}

export interface SpanOptions {
  /** Whether links become hyperlinks of the terminal; else their address is written out. */
  readonly links: boolean;
  readonly now: Nanoseconds;
  /** Whether a line break in data breaks the line; in titles and names it is shown instead. Default: "show". */
  readonly lines?: "keep" | "show";
}

/** Escapes every inline at the leaf. */
export function toSpans(content: Text, options: SpanOptions): Span[] {
  const [first] = content;
  if (first === undefined) return [];
  let spans = visibleSpans(first, options);
  for (let at = 1; at < content.length; at += 1) {
    const inline = content[at];
    if (inline !== undefined) spans = spans.concat(visibleSpans(inline, options));
  }
  return spans;
}

function visibleSpans(inline: Inline, options: SpanOptions): Span[] {
  const spans = inlineSpans(inline, options);
  return spans.length === 1 && spans[0]?.text === "" ? [] : spans;
}

export function span(text: string, look: Look = "plain"): Span {
  return { text, look };
}

function inlineSpans(inline: Inline, options: SpanOptions): Span[] {
  switch (inline.kind) {
    case "text":
      return [span(visibleText(inline.text, options.lines))];
    case "strong":
      return [span(visibleText(inline.text, options.lines), "strong")];
    case "code": {
      const text = visibleText(inline.text);
      const short = inline.id === true ? visibleText(shortenId(inline.text)) : text;
      return [{ text, look: "code", whole: true, ...(short === text ? {} : { short }) }];
    }
    case "link":
      return linkSpans(visibleText(inline.text), inline.url, options.links);
    case "time":
      return [span(timeText(inline.at, inline.style, options.now))];
  }
}

/** Addresses as the URL parser writes them; anything else could end the escape sequence that carries it. */
const SAFE_URL = /^https?:\/\/[\u0021-\u007E]+$/u;

/** A label and where it leads. A label that looks like another address does not hide the real one. */
export function linkSpans(label: string, url: string, links: boolean): Span[] {
  const address: Span = { text: visibleText(url), look: "link", whole: true };
  if (label.trim() === "" || label === url) {
    return [links && SAFE_URL.test(url) ? { ...address, href: url } : address];
  }
  if (links && SAFE_URL.test(url) && !/:\/\/|\w\.\w/u.test(label)) return [{ text: label, look: "link", href: url }];
  return [span(label, "link"), span(" ("), address, span(")")];
}

function timeText(at: Nanoseconds, style: "absolute" | "relative" | "both", now: Nanoseconds): string {
  switch (style) {
    case "absolute":
      return formatUtc(at);
    case "relative":
      return ageText(at, now);
    case "both":
      return `${formatUtc(at)} (${ageText(at, now)})`;
  }
}

/** `4 min 10 s ago`, `in 2 h`, `now`. */
function ageText(at: Nanoseconds, now: Nanoseconds): string {
  const millis = toMillis(now) - toMillis(at);
  if (Math.abs(millis) < 1000) return "now";
  return millis > 0 ? `${formatDuration(millis)} ago` : `in ${formatDuration(-millis)}`;
}
