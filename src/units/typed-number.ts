import { type Decimal, formatDecimal, parseDecimal } from "./decimal.ts";

/** Marks that people put between thousands, one kind of them in a number. A first group of nothing is no thousand: `0,500`. */
const GROUPED = /^([+-]?[1-9]\d{0,2})([,'’_ \u00A0\u2009\u202F])\d{3}(?:\2\d{3})*(?:\.\d+)?$/u;
/** Zeros of the letters behind a number. A small m is none of them: it also stands for minutes. */
const POWERS: Readonly<Record<string, number>> = { k: 3, M: 6, bn: 9 };

/**
 * A number as people write it, exactly: `70000`, `70,000`, `70'000.5`, `1.5k`, `2M`. Undefined for any other text, and for one
 * that may mean two numbers: `2m`, `1,5`.
 */
export function parseTypedNumber(typed: string): Decimal | undefined {
  const [, written = "", letters] = /^(.*?)(?: ?(k|M|bn))?$/su.exec(typed.trim().replace(/(?<=[\d ])K$/u, "k")) ?? [];
  const plain = GROUPED.test(written) ? written.replaceAll(/[^\d.+-]/gu, "") : written.replaceAll("_", "");
  const read = parseDecimal(plain);
  if (read === undefined || letters === undefined) return read;
  const zeros = POWERS[letters] ?? 0;
  return read.scale >= zeros
    ? { units: read.units, scale: read.scale - zeros }
    : { units: read.units * 10n ** BigInt(zeros - read.scale), scale: 0 };
}

/** The same where it is whole. */
export function parseTypedInteger(typed: string): bigint | undefined {
  const { units, scale } = parseTypedNumber(typed) ?? { units: 0n, scale: 1 };
  return scale === 0 ? units : undefined;
}

/** What may be meant by a text that is no number: `2M (2,000,000)`, `1.5`. */
export function nearestNumber(typed: string): string | undefined {
  const million = /^[\d.,]+ ?m$/u.test(typed.trim()) ? parseTypedNumber(typed.trim().replace("m", "M")) : undefined;
  if (million !== undefined) return `${typed.trim().replace(/ ?m$/u, "M")} (${formatDecimal(million)})`;
  return /^[+-]?\d+,\d+$/u.test(typed.trim()) ? typed.trim().replace(",", ".") : undefined;
}
