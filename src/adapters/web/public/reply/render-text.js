// @ts-check
/** @import { Inline, Text } from "../../../../reply/document.ts" */
/** @import { VNode } from "../vnode/vnode.js" */
import { age, exactUtc, localClock, localTime, machineTime, toMillis, wholeUtc } from "./times.js";
import { h, isSafeLink } from "../vnode/vnode.js";

/**
 * @typedef {Extract<Inline, { kind: "time" }>["style"]} TimeStyle
 *
 * @typedef {object} Reader
 * @property {number} now The moment of reading, in Unix milliseconds.
 * @property {string | undefined} [timeZone] The zone in which times are shown; without one, the browser's.
 * @property {{ named: boolean } | undefined} [zone] Whether a time of the answer names its zone: the first time of day does it for the others.
 * @property {true} [exact] Numbers with all their digits, as below the fold.
 * @property {true} [inLine] A number is no button: hundreds stand side by side in a table, and a heading breaks its lines.
 * @property {true} [heading] What is short enough to be read is no button, either: the line breaks within it.
 */

/**
 * Runs of text as nodes.
 *
 * @param {Text} content
 * @param {Reader} reader
 * @returns {VNode[]}
 */
export function renderText(content, reader) {
  return content.reduce((/** @type {VNode[]} */ nodes, inline) => {
    const [first, ...rest] = renderInline(inline, reader);
    const before = nodes.at(-1);
    const [, mark, behind] = (typeof first === "string" && /^([.,:;!?)\]]+)(.*)$/su.exec(first)) || [];
    if (mark === undefined || typeof before !== "object" || before.tag !== "button") {
      return first === undefined ? nodes : [...nodes, first, ...rest];
    }
    // A browser breaks a line behind any button, even before a colon.
    const joined = h("span", { class: "joined" }, before, mark);
    return [...nodes.slice(0, -1), joined, ...(behind === undefined || behind === "" ? [] : [behind])];
  }, []);
}

/**
 * The same without any element, ids shortened: for labels, announcements, and where no button may stand.
 *
 * @param {Text} content
 * @param {Reader} reader
 * @returns {string}
 */
export function plainOf(content, reader) {
  return content
    .map((inline) => {
      switch (inline.kind) {
        case "text":
          return isUnsaid(inline, reader) ? "" : visible(inline.text);
        case "strong":
        case "person":
          return visible(inline.text);
        case "number":
          return visible(reader.exact === true && !isWhole(inline) ? inline.text : inline.short);
        case "code":
          return visible(inline.id === true ? shorten(inline.text) : inline.text);
        case "link":
          return visible(inline.text === "" ? inline.url : inline.text);
        case "time":
          return plainTime(inline.at, inline.style, reader);
      }
    })
    .join("");
}

/**
 * @param {Inline} inline
 * @param {Reader} reader
 * @returns {VNode[]}
 */
function renderInline(inline, reader) {
  switch (inline.kind) {
    case "text":
      if (inline.text === "" || isUnsaid(inline, reader)) return [];
      if (inline.at === undefined)
        return [reader.heading === true ? withUnits(visible(inline.text)) : visible(inline.text)];
      return [h("time", { datetime: machineTime(inline.at), title: exactUtc(inline.at) }, visible(inline.text))];
    case "person":
      return inline.text === "" ? [] : [visible(inline.text)];
    case "number":
      return renderNumber(inline, reader);
    case "strong":
      return inline.text === "" ? [] : [h("strong", {}, visible(inline.text))];
    case "code":
      return inline.text === "" ? [] : [renderCode(inline.text, inline.id === true, reader)];
    case "link":
      return [renderLink(inline.text, inline.url)];
    case "time":
      return renderTime(inline.at, inline.style, reader);
  }
}

/**
 * Whether only the whole reply says it.
 *
 * @param {Extract<Inline, { kind: "text" }>} text
 * @param {Reader} reader
 */
function isUnsaid({ detail }, reader) {
  return detail === true && reader.exact !== true;
}

/**
 * Whether the short number has all digits of the exact one, which is then read with its thousands apart everywhere.
 *
 * @param {Extract<Inline, { kind: "number" }>} number
 */
function isWhole({ text, short }) {
  return short.replaceAll(",", "") === text.replaceAll(",", "");
}

/**
 * A number as short as people read it; pressing it copies the exact one, which its tooltip shows.
 *
 * @param {Extract<Inline, { kind: "number" }>} number
 * @param {Reader} reader
 * @returns {VNode[]}
 */
function renderNumber(number, reader) {
  const { text, short } = number;
  if (isWhole(number)) return short === "" ? [] : [visible(short)];
  if (reader.exact === true) return text === "" ? [] : [visible(text)];
  const title = `${visible(text)} – copy`;
  const attrs = { class: "copy exact", "data-copy": text, title };
  if (reader.inLine === true) return [h("span", attrs, visible(short))];
  return [h("button", { type: "button", ...attrs }, visible(short))];
}

/**
 * Something to copy: pressing it copies the whole and, where it was shortened, shows the whole.
 *
 * @param {string} value
 * @param {boolean} isId
 * @param {Reader} reader
 * @returns {VNode}
 */
function renderCode(value, isId, { heading }) {
  const short = isId ? shorten(value) : value;
  const whole = visible(value);
  if (short === value) {
    if (heading === true) return h("code", {}, whole);
    return h("button", { type: "button", class: "copy", "data-copy": value, title: "Copy" }, h("code", {}, whole));
  }
  return h(
    "button",
    {
      type: "button",
      class: "copy id",
      "data-copy": value,
      title: `${whole} – copy`,
    },
    // The style shows one of the two: the whole where there is room or it was pressed.
    h("code", { class: "short" }, visible(short)),
    h("code", { class: "whole" }, whole),
  );
}

/**
 * @param {string} label
 * @param {string} url
 * @returns {VNode}
 */
export function renderLink(label, url) {
  const shown = visible(label === "" ? url : label);
  if (!isSafeLink(url)) return shown;
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, shown);
}

/**
 * @param {string} at
 * @param {TimeStyle} style
 * @param {Reader} reader
 * @returns {VNode[]}
 */
function renderTime(at, style, reader) {
  const millis = toMillis(at);
  const { zone } = reader;
  const names = zone?.named === false && style !== "relative";
  if (names) zone.named = true;
  const attrs = { datetime: machineTime(at), title: exactUtc(at) };
  const absolute = h("time", attrs, localTime(at, reader.timeZone));
  // What the page counts up while it is open.
  const relative = h("time", { ...attrs, class: "age", "data-age": String(millis) }, age(millis, reader.now));
  switch (style) {
    case "absolute":
      return [absolute];
    case "relative":
      return [relative];
    case "both":
      return [absolute, " (", relative, ")"];
    case "clock":
      return [
        h("time", attrs, localClock(at, reader.timeZone) + (names ? localTime(at, reader.timeZone).slice(19) : "")),
      ];
    case "utc":
      return [h("time", attrs, wholeUtc(at))];
  }
}

/**
 * @param {string} at
 * @param {TimeStyle} style
 * @param {Reader} reader
 */
function plainTime(at, style, reader) {
  const relative = age(toMillis(at), reader.now);
  const absolute = localTime(at, reader.timeZone);
  return {
    absolute,
    relative,
    both: `${absolute} (${relative})`,
    clock: localClock(at, reader.timeZone) + absolute.slice(19),
    utc: wholeUtc(at),
  }[style];
}

/**
 * Text as it can be seen: control characters get a picture, and those that would turn the reading direction of what
 * follows, or are no characters at all, the replacement sign. Line ends and tabs stay.
 *
 * @param {string} text
 */
export function visible(text) {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/gu, "\n")
    .replaceAll(/\p{Cc}/gu, pictureOf)
    .replaceAll(/[\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, "\u{FFFD}");
}

/**
 * Words whose numbers keep their units beside them where a line breaks.
 *
 * @param {string} words
 */
function withUnits(words) {
  return words.replaceAll(/(?<=^|\d) (?=(?:%|ms|s|min|h|d|y)(?![\p{L}\d]))/gu, "\u{A0}");
}

/** @param {string} control */
function pictureOf(control) {
  const code = control.codePointAt(0) ?? 0;
  if (control === "\n" || control === "\t") return control;
  if (code === 0x7f) return "\u{2421}";
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u{FFFD}";
}

/**
 * `f8ac93d1…4e21`: the ends of a long id.
 *
 * @param {string} value
 */
export function shorten(value) {
  return value.length <= 16 ? value : `${value.slice(0, 8)}…${value.slice(-4)}`;
}
