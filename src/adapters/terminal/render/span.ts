import { wholeNumber } from "../../../reply/fold.ts";
import { type Moment, momentWords } from "../../../reply/reply.ts";
import { shortenId, type Text, timeOf } from "../../../reply/text.ts";
import { formatDuration, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { isPlain, visibleText, widthOf } from "./visible-text.ts";

type TextStyle = "plain" | "strong" | "code" | "link" | "dim" | "neutral" | "good" | "warning" | "bad";

/** A run of visible text in one style, escaped for the terminal. */
export interface Span {
  readonly text: string;
  readonly style: TextStyle;
  /** Columns that the text takes. */
  readonly width: number;
  /** Unbreakable, since it is copied as one. */
  readonly whole: boolean;
  /** A shortened text for narrow columns. */
  readonly short: string | undefined;
  /** The address of the terminal's hyperlink. */
  readonly href: string | undefined;
}

/** Makes every span: V8 reads objects of one shape several times as fast as those of several shapes. */
function spanOf(text: string, style: TextStyle, width: number, whole: boolean, short?: string, href?: string): Span {
  return { text, style, width, whole, short, href };
}

export function span(text: string, style: TextStyle = "plain"): Span {
  return spanOf(text, style, widthOf(text), false);
}

/** An unbreakable span, to be copied as one. */
export function wholeSpan(text: string, style: TextStyle, short?: string): Span {
  return spanOf(text, style, widthOf(text), true, short);
}

/** Data made visible, on one line. */
export function dataSpan(data: string, style: TextStyle = "plain"): Span {
  return isPlain(data) ? spanOf(data, style, data.length, false) : span(visibleText(data), style);
}

/** A line break in data. */
export const lineBreak = spanOf("\n", "plain", 0, false);

/** Another text in the same style with the same link, breakable. */
export function withText({ style, href }: Span, text: string): Span {
  return spanOf(text, style, widthOf(text), false, undefined, href);
}

export interface SpanOptions {
  /** Whether links become hyperlinks of the terminal; else their address is written out. */
  readonly links: boolean;
  readonly now: Nanoseconds;
  /** By whose clock times stand, since a terminal draws none in the zone of whoever reads; left out: UTC. */
  readonly zone?: string | undefined;
  /** Whether something else names that zone: the head of a column. Elsewhere each time does. */
  readonly zoneNamed?: boolean;
}

/** Whether a line break in data breaks the line; in titles and names it is shown instead. */
type LineBreaks = "keep" | "show";

/** Escapes every inline at the leaf. Plain and strong words take the given style, if any. */
export function toSpans(content: Text, options: SpanOptions, lines: LineBreaks = "show", words?: TextStyle): Span[] {
  const spans: Span[] = [];
  for (const inline of content) {
    switch (inline.kind) {
      case "number":
        pushWords(spans, wholeNumber(inline), words ?? "plain", lines);
        break;
      case "text":
      case "person":
        pushWords(spans, inline.text, words ?? "plain", lines);
        break;
      case "strong":
        pushWords(spans, inline.text, words ?? "strong", lines);
        break;
      case "code":
        if (inline.text !== "") spans.push(codeSpan(inline.text, inline.id === true));
        break;
      case "time":
        spans.push(span(timeText(inline, options), words));
        break;
      case "link":
        if (inline.text !== "" || inline.url !== "")
          spans.push(...linkSpans(visibleText(inline.text), inline.url, options.links, words));
        break;
    }
  }
  return spans;
}

/** Wider gaps and lines are rare. */
const MAX_KEPT = 200;

/** One character as often as asked. */
function repeated(character: string, style: TextStyle): (columns: number) => Span {
  const repeat = (columns: number): Span => spanOf(character.repeat(columns), style, columns, false);
  const kept = Array.from({ length: MAX_KEPT }, (_, columns) => repeat(columns));
  return (columns) => kept[columns] ?? repeat(columns);
}

/** A gap of 0 or more columns. */
export const blank = repeated(" ", "plain");
/** The line below a table's heading. */
export const rule = repeated("─", "dim");

function pushWords(spans: Span[], data: string, style: TextStyle, lines: LineBreaks): void {
  if (isPlain(data)) {
    if (data !== "") spans.push(spanOf(data, style, data.length, false));
    return;
  }
  for (const [at, line] of visibleText(data, lines).split("\n").entries()) {
    if (at > 0) spans.push(lineBreak);
    if (line !== "") spans.push(span(line, style));
  }
}

function codeSpan(data: string, isId: boolean): Span {
  if (!isId && isPlain(data)) return spanOf(data, "code", data.length, true);
  const visible = visibleText(data);
  const short = isId ? visibleText(shortenId(data)) : visible;
  return wholeSpan(visible, "code", short === visible ? undefined : short);
}

/** Addresses as the URL parser writes them; anything else could end the escape sequence around it. */
const SAFE_URL = /^https?:\/\/[\u0021-\u007E]+$/u;

/** A label with its address. A label that looks like another address does not hide the real one. */
export function linkSpans(label: string, url: string, links: boolean, words?: TextStyle): Span[] {
  const shown = visibleText(url);
  const href = links && SAFE_URL.test(url) ? url : undefined;
  if (label.trim() === "" || label === url) return [spanOf(shown, "link", widthOf(shown), true, undefined, href)];
  if (href !== undefined && !/:\/\/|\w\.\w/u.test(label)) {
    return [spanOf(label, "link", widthOf(label), false, undefined, href)];
  }
  return [span(label, "link"), span(" (", words), wholeSpan(shown, "link"), span(")", words)];
}

function timeText(shown: Moment, { now, zone = "UTC", zoneNamed = false }: SpanOptions): string {
  const at = timeOf(shown);
  if (shown.style === "relative") return ageText(at, now);
  const clock = momentWords(shown, zone);
  const words = zoneNamed ? clock : `${clock} ${zone}`;
  return shown.style === "both" ? `${words} (${ageText(at, now)})` : words;
}

/** `4 min 10 s ago`, `in 2 h`, `now`. */
function ageText(at: Nanoseconds, now: Nanoseconds): string {
  const millis = toMillis(now) - toMillis(at);
  if (Math.abs(millis) < 1000) return "now";
  return millis > 0 ? `${formatDuration(millis)} ago` : `in ${formatDuration(-millis)}`;
}

interface AnsiOptions {
  readonly colour: boolean;
  readonly links: boolean;
}

/** Select Graphic Rendition, ECMA-48 section 8.3.117. */
function sgr(begin: string, end: string): readonly [begin: string, end: string] {
  return [`\u001B[${begin}m`, `\u001B[${end}m`];
}

/** The codes that begin and end each style. */
const STYLE_CODES: ReadonlyMap<TextStyle, readonly [begin: string, end: string]> = new Map([
  ["strong", sgr("1", "22")],
  ["code", sgr("36", "39")],
  ["link", sgr("4", "24")],
  ["dim", sgr("2", "22")],
  ["neutral", sgr("1;34", "22;39")],
  ["good", sgr("1;32", "22;39")],
  ["warning", sgr("1;33", "22;39")],
  ["bad", sgr("1;31", "22;39")],
]);
const NO_CODES: readonly [begin: string, end: string] = ["", ""];

/** Spans as text with ANSI codes. */
export function toAnsi(spans: readonly Span[], { colour, links }: AnsiOptions): string {
  let ansi = "";
  let open: Span | undefined;
  let end = "";
  // Adjacent spans of one style share its codes, so that a link of several words is one link.
  for (const one of spans) {
    if (open?.style !== one.style || open.href !== one.href) {
      const code = (colour && one.style !== "plain" ? STYLE_CODES.get(one.style) : undefined) ?? NO_CODES;
      const linked = links && one.href !== undefined;
      // OSC 8, https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda; the address is checked by linkSpans.
      ansi += end + (linked ? `\u001B]8;;${one.href}\u001B\\${code[0]}` : code[0]);
      end = linked ? `${code[1]}\u001B]8;;\u001B\\` : code[1];
      open = one;
    }
    ansi += one.text;
  }
  return ansi + end;
}

/** The id of an alert as people type it: `node.down mainnet a:1 3`, of a hexadecimal subject its beginning; else the value. */
export function asTyped(value: string): string {
  if (!/^[\w.-]+(?:\{[^|]*\})?\|[^|]*\|[^|]*\|\d+$/u.test(value)) return value;
  const parts = value.split("|").map((part) => part.replace(/^([0-9a-f]{8})[0-9a-f]{24,}$/iu, "$1"));
  return parts.filter((part) => part !== "").join(" ");
}
