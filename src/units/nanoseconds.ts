/** A point in time as Unix nanoseconds. A bigint, since today's value (about 1.8e18) is far beyond what a JS number holds exactly. */
export type Nanoseconds = bigint & { readonly __unit: "nanoseconds" };

export const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

export function nanoseconds(value: bigint): Nanoseconds {
  return value as Nanoseconds;
}

/** From whole Unix seconds. */
export function fromSeconds(seconds: bigint): Nanoseconds {
  return nanoseconds(seconds * NANOSECONDS_PER_SECOND);
}

/** From Unix milliseconds, as Date.now() gives them; fractions are dropped. */
export function fromMillis(millis: number): Nanoseconds {
  return nanoseconds(BigInt(Math.trunc(millis)) * NANOSECONDS_PER_MILLISECOND);
}

/** Whole Unix milliseconds, rounded down; exact as a number until the year 287396. */
export function toMillis(at: Nanoseconds): number {
  return Number(floorDiv(at, NANOSECONDS_PER_MILLISECOND));
}

/** As JSON has it: in decimal. */
export function timeToText(at: Nanoseconds): string {
  return at.toString();
}

/** The other way. Throws SyntaxError for what is no integer. */
export function timeFromText(at: string): Nanoseconds {
  return nanoseconds(BigInt(at));
}

/** Whole Unix seconds, rounded down. */
export function toSeconds(at: Nanoseconds): bigint {
  return floorDiv(at, NANOSECONDS_PER_SECOND);
}

/**
 * `2023-05-01 12:00:00 UTC`.
 * Never throws: what a Date cannot hold (beyond the year 275760) is shown as the raw count of seconds.
 */
export function formatUtc(at: Nanoseconds): string {
  const second = Math.floor(toMillis(at) / 1000);
  if (second !== lastSecond) {
    lastUtc = utcOf(second);
    lastSecond = second;
  }
  return lastUtc === undefined ? `Unix second ${toSeconds(at)}` : `${lastUtc} UTC`;
}

/** The second written last: the times in one answer are often of one second, and a Date takes long to write. */
let lastSecond = Number.NaN;
let lastUtc: string | undefined;

function utcOf(second: number): string | undefined {
  const date = new Date(second * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const iso = date.toISOString();
  const cut = iso.indexOf("T");
  return `${iso.slice(0, cut)} ${iso.slice(cut + 1, cut + 9)}`;
}

function floorDiv(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}
