// @ts-check
// Times and spans as people read them. They come as Unix nanoseconds in decimal, since a number could not hold them.
import { formatDuration as span } from "../../../../units/span.js";

export { span };

const PER_MILLI = 1_000_000n;

/**
 * Whole Unix milliseconds, rounded down.
 *
 * @param {string} at Unix nanoseconds in decimal
 */
export function toMillis(at) {
  const value = BigInt(at);
  const quotient = value / PER_MILLI;
  return Number(value < 0n && quotient * PER_MILLI !== value ? quotient - 1n : quotient);
}

/**
 * `2026-03-02 09:30:00.123456789 UTC`, to the last nanosecond; beyond what a Date holds, the count of nanoseconds.
 *
 * @param {string} at
 */
export function exactUtc(at) {
  const iso = isoOf(at);
  if (iso === undefined) return `Unix nanosecond ${at}`;
  const rest = ((BigInt(at) % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const fraction = rest === 0n ? "" : `.${rest.toString().padStart(9, "0").replace(/0+$/u, "")}`;
  return `${iso.slice(0, -5).replace("T", " ")}${fraction} UTC`;
}

/**
 * `2026-03-02 09:30:00 UTC`, as the other surfaces write it.
 *
 * @param {string} at
 */
export function wholeUtc(at) {
  return exactUtc(at).replace(/\.\d+ UTC$/u, " UTC");
}

/**
 * For the attribute `datetime`; undefined beyond what a Date holds or HTML knows (years 1 to 9999).
 *
 * @param {string} at
 */
export function machineTime(at) {
  const iso = isoOf(at);
  return iso !== undefined && /^\d{4}-/u.test(iso) && !iso.startsWith("0000") ? iso : undefined;
}

/**
 * `2026-03-02 10:30:00 CET`: the reader's own zone, in an order that no country reads differently.
 *
 * @param {string} at
 * @param {string | undefined} timeZone An IANA name; undefined = the browser's.
 */
export function localTime(at, timeZone) {
  const iso = isoOf(at);
  if (iso === undefined || machineTime(at) === undefined) return exactUtc(at);
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(new Date(iso))
      .map((part) => [part.type, part.value]),
  );
  /** @param {Intl.DateTimeFormatPartTypes} type */
  const part = (type) => parts.get(type) ?? "";
  const year = part("year").padStart(4, "0");
  return `${year}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")} ${part("timeZoneName")}`;
}

/**
 * `10:30`, by the same clock.
 *
 * @param {string} at
 * @param {string | undefined} timeZone
 */
export function localClock(at, timeZone) {
  return localTime(at, timeZone).slice(11, 16);
}

/** @type {Map<string | undefined, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string | undefined} timeZone */
function formatOf(timeZone) {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(timeZone === undefined ? {} : { timeZone }),
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  formats.set(timeZone, format);
  return format;
}

/**
 * `12 min 34 s ago`, `in 2 h`, `now`.
 *
 * @param {number} millis Unix milliseconds
 * @param {number} now Unix milliseconds
 */
export function age(millis, now) {
  const past = now - millis;
  if (Math.abs(past) < 1000) return "now";
  return past > 0 ? `${span(past)} ago` : `in ${span(-past)}`;
}

/** @param {string} at */
function isoOf(at) {
  const date = new Date(toMillis(at));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
