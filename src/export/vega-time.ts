import { nanoseconds, type Nanoseconds, NANOSECONDS_PER_SECOND } from "../units/time.ts";

const ZERO = 0x30;
const QUOTE = 0x22;
const DAY_MILLIS = 86_400_000;
/** The nanoseconds of a 1 in the last digit, by the number of digits behind the point. */
const NANOS_OF_LAST_DIGIT = [0, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10, 1];

/** The date of the last row and its days: most rows have the date of the row before. */
let lastDate = -1;
let lastDays = 0;

/** A point in time as two exact numbers: whole Unix seconds, and the nanoseconds after them. */
export interface SplitTime {
  seconds: number;
  nanos: number;
}

/** Negative where `a` is earlier, 0 where both are equal, else positive. */
export function compareTimes(a: SplitTime, b: SplitTime): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}

export function splitTime(at: Nanoseconds): SplitTime {
  const rest = ((at % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND;
  return { seconds: Number((at - rest) / NANOSECONDS_PER_SECOND), nanos: Number(rest) };
}

export function joinTime(time: SplitTime): Nanoseconds {
  return nanoseconds(BigInt(time.seconds) * NANOSECONDS_PER_SECOND + BigInt(time.nanos));
}

/**
 * Reads a time as Postgres writes a timestamp with time zone (`2023-01-18 01:09:59.297309+00`, trailing zeros dropped,
 * the zone as hours with or without minutes; https://www.postgresql.org/docs/current/datatype-datetime.html) into
 * `into`. False, with the content of `into` undefined, when the bytes are no such time, as on 31 February. Allocates
 * nothing.
 */
export function readVegaTime(bytes: Uint8Array, start: number, end: number, into: SplitTime): boolean {
  let at = start;
  let last = end;
  if (bytes[at] === QUOTE) {
    at += 1;
    last -= 1;
  }
  if (last - at < 19) return false;
  const century = twoDigits(bytes, at);
  const yearOfCentury = twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  const second = twoDigits(bytes, at + 17);
  // `twoDigits` is -1 where a byte is no digit; the bitwise or of all numbers is then negative.
  if ((century | yearOfCentury | month | day | hour | minute | second) < 0) return false;
  if (!isPunctuated(bytes, at)) return false;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60) return false;
  const days = daysOf(century * 100 + yearOfCentury, month, day);
  if (Number.isNaN(days)) return false;
  at += 19;

  let nanos = 0;
  if (at < last && bytes[at] === 0x2e) {
    at += 1;
    const first = at;
    for (; at < last; at += 1) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      nanos = nanos * 10 + digit;
    }
    const count = at - first;
    if (count === 0 || count > 9) return false;
    nanos *= NANOS_OF_LAST_DIGIT[count] as number;
  }

  const offset = readOffset(bytes, at, last);
  if (offset === undefined) return false;
  into.seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
  into.nanos = nanos;
  return true;
}

/** Whether hyphens, space and colons are as in `2023-01-18 01:09:59`; there may be a T instead of the space. */
function isPunctuated(bytes: Uint8Array, at: number): boolean {
  const between = bytes[at + 10];
  if (between !== 0x20 && between !== 0x54) return false;
  return bytes[at + 4] === 0x2d && bytes[at + 7] === 0x2d && bytes[at + 13] === 0x3a && bytes[at + 16] === 0x3a;
}

/** The seconds east of UTC that `+00`, `-03:30`, `+0530`, `Z` or nothing stand for; undefined for other bytes. */
function readOffset(bytes: Uint8Array, start: number, end: number): number | undefined {
  const length = end - start;
  if (length === 0 || (length === 1 && bytes[start] === 0x5a)) return 0;
  const sign = bytes[start] === 0x2b ? 1 : bytes[start] === 0x2d ? -1 : 0;
  const hours = length >= 3 ? twoDigits(bytes, start + 1) : -1;
  if (sign === 0 || hours < 0) return undefined;
  if (length === 3) return sign * hours * 3600;
  const colon = bytes[start + 3] === 0x3a ? 1 : 0;
  if (length !== 5 + colon) return undefined;
  const minutes = twoDigits(bytes, start + 3 + colon);
  return minutes < 0 ? undefined : sign * (hours * 3600 + minutes * 60);
}

/** The number that two digits make; -1 where one of the bytes is no digit. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - ZERO;
  const ones = (bytes[at + 1] as number) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/**
 * Days from 1970-01-01 in the proleptic Gregorian calendar, remembered for the next row; NaN where the month has no such
 * day.
 */
function daysOf(year: number, month: number, day: number): number {
  const date = (year * 16 + month) * 32 + day;
  if (date !== lastDate) {
    lastDate = date;
    const midnight = new Date(0);
    midnight.setUTCFullYear(year, month - 1, day);
    lastDays = midnight.getUTCDate() === day ? midnight.getTime() / DAY_MILLIS : Number.NaN;
  }
  return lastDays;
}
