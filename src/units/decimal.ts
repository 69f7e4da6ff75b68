import { groupDigits } from "./format-number.ts";

/** Negative, zero or positive, as a sorts before, with or after b. */
export function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The middle one in rising order, the higher of two; undefined of none. */
export function median<T extends bigint | number>(values: readonly T[]): T | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)];
}

/** An exact decimal number: `units` divided by ten to the power of `scale`. Never a float. */
export interface Decimal {
  readonly units: bigint;
  /** Digits behind the point, 0 or more. */
  readonly scale: number;
}

/** The largest scale accepted; beyond it a number is no amount of anything. */
const MAX_SCALE = 1000;

/** An integer of smallest units, as the network sends it, with the decimals of its market or asset. */
export function decimal(units: bigint, scale = 0): Decimal {
  if (!Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE) {
    throw new RangeError(`a scale is a whole number from 0 to ${MAX_SCALE}`);
  }
  return { units, scale };
}

/** `-12.340` exactly, or undefined when the text is no plain decimal number. */
export function parseDecimal(text: string): Decimal | undefined {
  const plain = text.trim();
  const sign = plain.charCodeAt(0);
  const from = sign === 43 || sign === 45 ? 1 : 0;
  // Read by hand: an answer holds thousands, and a regular expression costs more than all the rest.
  let point = -1;
  for (let at = from; at < plain.length; at += 1) {
    const character = plain.charCodeAt(at);
    if (character === 46 && point === -1) point = at;
    else if (character < 48 || character > 57) return undefined;
  }
  if (point === -1) point = plain.length;
  else if (point === plain.length - 1) return undefined;
  if (point === from) return undefined;
  const fraction = plain.slice(point + 1);
  if (fraction.length > MAX_SCALE) return undefined;
  const units = BigInt(plain.slice(from, point) + fraction);
  return { units: sign === 45 ? -units : units, scale: fraction.length };
}

/** Negative, zero or positive, as a sorts before, with or after b. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [x, y] = align(a, b);
  return compareIntegers(x, y);
}

/** Exactly. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y] = align(a, b);
  return { units: x + y, scale: Math.max(a.scale, b.scale) };
}

/** part / whole in percent, cut (not rounded) behind `digits` places; undefined when whole is zero. To judge by. */
export function percentOf(part: Decimal, whole: Decimal, digits = 2): Decimal | undefined {
  if (whole.units === 0n) return undefined;
  const [x, y] = align(part, whole);
  return { units: (x * 100n * 10n ** BigInt(digits)) / y, scale: digits };
}

/** A share as people read it; `beside` says that the exact one lies just below or above the rounded one. */
export interface RoundedPercent extends Decimal {
  readonly beside?: "below" | "above";
}

/**
 * The same as people read it: rounded to the nearest, half away from zero. What is not nothing is never rounded to
 * nothing, nor to the whole what is not whole: `0.01` with "below", `99.99` and `100.01`.
 */
export function roundedPercentOf(part: Decimal, whole: Decimal, digits = 2): RoundedPercent | undefined {
  const finer = percentOf(part, whole, digits + 1);
  if (finer === undefined) return undefined;
  // Digits behind the extra one cannot change the rounding.
  const units = (finer.units + (finer.units < 0n ? -5n : 5n)) / 10n;
  const [x, y] = align(part, whole);
  if (units === 0n && x !== 0n) {
    return x < 0n === y < 0n
      ? { units: 1n, scale: digits, beside: "below" }
      : { units: -1n, scale: digits, beside: "above" };
  }
  const hundred = 100n * 10n ** BigInt(digits);
  if (units !== hundred || x === y) return { units, scale: digits };
  return x < y === y > 0n
    ? { units: hundred - 1n, scale: digits, beside: "above" }
    : { units: hundred + 1n, scale: digits, beside: "below" };
}

/** Rounded to so many digits behind the point, half away from zero; the same where it has no more. */
export function roundDecimal(value: Decimal, places: number): Decimal {
  if (places >= value.scale) return value;
  const step = 10n ** BigInt(value.scale - places);
  return { units: (value.units + (value.units < 0n ? -step : step) / 2n) / step, scale: places };
}

/** Digits before the point; zeros behind it count below nothing: 3 of 165.99, 0 of 0.5, -1 of 0.034. */
export function wholeDigits({ units, scale }: Decimal): number {
  return (units < 0n ? -units : units).toString().length - scale;
}

/** Significant digits that people read of a number below 1,000, and digits behind the point from there on. */
const READ_DIGITS = 6;
/** Of a number with as many zeros behind the point as these, a digit less: on a phone they take its room. */
const MANY_ZEROS = 3;
const READ_PLACES = 2;

/** How many digits behind the point people read of a number. */
export function readPlaces(value: Decimal): number {
  const whole = wholeDigits(value);
  return whole > 3 ? READ_PLACES : READ_DIGITS - whole - (whole <= -MANY_ZEROS ? 1 : 0);
}

/** `1,234,567.89`: digits grouped by three, no digit lost. With `trim`, zeros at the end behind the point are dropped. */
export function formatDecimal(value: Decimal, options: { group?: boolean; trim?: boolean } = {}): string {
  const { group = true, trim = true } = options;
  const negative = value.units < 0n;
  const digits = (negative ? -value.units : value.units).toString().padStart(value.scale + 1, "0");
  const whole = digits.slice(0, digits.length - value.scale);
  const shown = `${negative ? "-" : ""}${group ? groupDigits(whole) : whole}`;
  if (value.scale === 0) return shown;
  const rest = digits.slice(digits.length - value.scale);
  const fraction = trim ? rest.replace(/0+$/u, "") : rest;
  return fraction === "" ? shown : `${shown}.${fraction}`;
}

function align(a: Decimal, b: Decimal): [bigint, bigint] {
  if (a.scale === b.scale) return [a.units, b.units];
  return a.scale < b.scale
    ? [a.units * powerOfTen(b.scale - a.scale), b.units]
    : [a.units, b.units * powerOfTen(a.scale - b.scale)];
}

/** Comparing thousands of prices with limits takes the same few again and again. */
const POWERS = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}
