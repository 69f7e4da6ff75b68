// @ts-check
// The labels of axes: at most five, at round values, none over another.
import { widthOf } from "./text.js";

/** @typedef {{ readonly at: number, readonly text: string }} Tick */

export const MAX_TICKS = 5;

const MILLISECOND = 1;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Round spans of time. */
const SPANS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((count) => count * MILLISECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650, 36_500].map((count) => count * DAY),
];

/**
 * A round step, which gives at most so many labels in a span.
 *
 * @param {number} span
 * @param {number} most
 * @param {"duration" | "number"} unit
 */
function stepOf(span, most, unit) {
  const found = unit === "duration" && span >= 1 ? SPANS.find((one) => span / one < most) : undefined;
  if (found !== undefined) return found;
  const power = 10 ** Math.floor(Math.log10(span / most));
  return power * ([1, 2, 5].find((count) => span / (power * count) < most) ?? 10);
}

/**
 * The range of an axis of values: with all of them in it, and both ends round where that costs little.
 *
 * @param {readonly number[]} values
 * @param {"duration" | "number"} unit
 * @returns {readonly [number, number]}
 */
export function rangeOf(values, unit) {
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length === 0) return [0, 1];
  let least = known.reduce((low, value) => Math.min(low, value), Infinity);
  let most = known.reduce((high, value) => Math.max(high, value), -Infinity);
  if (unit === "duration" && least >= 0) least = 0;
  if (most === least) [least, most] = least === 0 ? [0, 1] : [least - Math.abs(least) / 10, most + Math.abs(most) / 10];
  return [least === 0 ? 0 : least - (most - least) / 20, most + (most - least) / 12];
}

/**
 * @param {readonly [number, number]} range
 * @param {number} count
 * @param {"duration" | "number"} unit
 * @returns {Tick[]}
 */
export function valueTicks([least, most], count, unit) {
  const step = stepOf(most - least, Math.min(count, MAX_TICKS), unit);
  /** @type {Tick[]} */
  const ticks = [];
  for (let at = Math.ceil(least / step) * step; at <= most && ticks.length < MAX_TICKS; at += step) {
    const value = Math.abs(at) < step / 2 ? 0 : at;
    const text = unit === "duration" ? spanWords(value) : numberWords(value, step);
    if (ticks.at(-1)?.text !== text) ticks.push({ at: value, text });
    // Steps that are lost in so large a number
    if (at + step === at) break;
  }
  return ticks;
}

/**
 * `90 s`, `1.5 h`: a round span.
 *
 * @param {number} millis
 */
function spanWords(millis) {
  /** @type {readonly (readonly [string, number])[]} */
  const units = [
    ["d", DAY],
    ["h", HOUR],
    ["min", MINUTE],
    ["s", SECOND],
  ];
  const [name, size] = units.find(([, one]) => Math.abs(millis) >= one) ?? ["ms", 1];
  return millis === 0 ? "0" : `${Number((millis / size).toPrecision(3))} ${name}`;
}

/**
 * @param {number} value
 * @param {number} step
 */
function numberWords(value, step) {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const size = Math.abs(value);
  if (size >= 1e9 || digits > 6) {
    const exact = value === 0 ? 1 : Math.floor(Math.log10(size)) - Math.floor(Math.log10(step)) + 1;
    const [head = "", power = ""] = value.toExponential(Math.max(0, Math.min(exact - 1, 6))).split("e");
    return value === 0 ? "0" : `${head}e${Number(power)}`;
  }
  return value.toFixed(digits).replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/gu, ",");
}

/**
 * The moments of an axis of time by the clock of a zone, each with its place and its text.
 *
 * @param {{ readonly from: number, readonly to: number, readonly zone: string }} span
 * @param {(at: number) => number} placeOf
 * @param {number} size
 * @param {{ readonly left: number, readonly right: number }} frame
 * @returns {{ x: number, middle: number, text: string }[]}
 */
export function timeTicks({ from, to, zone }, placeOf, size, { left, right }) {
  if (!(to > from)) return [];
  const step = stepOf(to - from, MAX_TICKS, "duration");
  const clock = clockOf(zone, step);
  const offset = offsetOf(zone, from);
  /** @type {ReturnType<typeof timeTicks>} */
  const ticks = [];
  let end = -Infinity;
  for (let local = Math.ceil((from + offset) / step) * step; ticks.length < MAX_TICKS; local += step) {
    const at = local - offset;
    if (at > to) break;
    const text = clock(at);
    const half = widthOf(text, size) / 2;
    const x = placeOf(at);
    const middle = Math.min(Math.max(x, left + half), right - half);
    if (middle - half < end + size / 2) continue;
    ticks.push({ x, middle, text });
    end = middle + half;
  }
  return ticks;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();
/** Zones are few, and each has five. */
const MAX_FORMATS = 50;

/**
 * A format of times, made once: each holds tens of kilobytes, of which no heap knows, until it is collected.
 *
 * @param {string} zone
 * @param {Intl.DateTimeFormatOptions} shown
 * @param {"en-GB" | "en-US"} [locale]
 */
function formatOf(zone, shown, locale = "en-GB") {
  const key = JSON.stringify([zone, shown]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: zone, ...shown });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(key, format);
  return format;
}

/**
 * How far the clock of a zone is ahead of UTC.
 *
 * @param {string} zone
 * @param {number} at
 */
function offsetOf(zone, at) {
  const format = formatOf(zone, { timeZoneName: "longOffset" }, "en-US");
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0"] = /([+-])(\d+):(\d+)/u.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
}

/**
 * @param {string} zone
 * @param {number} step
 * @returns {(at: number) => string}
 */
function clockOf(zone, step) {
  /** @type {Intl.DateTimeFormatOptions} */
  const shown =
    step < MINUTE
      ? { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }
      : step < DAY
        ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
        : step < 300 * DAY
          ? { day: "numeric", month: "short" }
          : { month: "short", year: "numeric" };
  const format = formatOf(zone, shown);
  const day = formatOf(zone, { day: "numeric", month: "short" });
  return (at) => {
    const text = format.format(at);
    return text === "00:00" ? day.format(at) : text;
  };
}

/**
 * The span of a picture: `24 Nov 18:00 to 25 Nov 18:00`; the day once where it is one.
 *
 * @param {{ readonly from: number, readonly to: number, readonly zone: string }} span
 */
export function spanOf({ from, to, zone }) {
  const day = formatOf(zone, { day: "numeric", month: "short", year: "numeric" });
  const clock = formatOf(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const [begun, ended] = [day.format(from), day.format(to)];
  if (to - from > 7 * DAY) return `${begun} to ${ended}, ${zone}`;
  const short = begun.replace(/ \d+$/u, "");
  if (begun === ended) return `${short} ${clock.format(from)} to ${clock.format(to)}, ${zone}`;
  return `${short} ${clock.format(from)} to ${ended.replace(/ \d+$/u, "")} ${clock.format(to)}, ${zone}`;
}
