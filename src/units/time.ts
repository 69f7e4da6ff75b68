// Points in time, spans of time, and waits for so long.
import { formatDuration } from "./span.js";

export { formatDuration };

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

/** A span of time in milliseconds, 0 or more. */
export type Milliseconds = number;

export const SECOND: Milliseconds = 1000;
export const MINUTE: Milliseconds = 60 * SECOND;
export const HOUR: Milliseconds = 60 * MINUTE;
export const DAY: Milliseconds = 24 * HOUR;

/** From a moment to another, in Unix milliseconds or from one beginning. */
export interface Stretch {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

const UNIT_MILLIS: Record<string, Milliseconds> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `90s`, `1h30m`, `7d`, `250ms` as milliseconds; undefined when the text is no duration. */
export function parseDuration(text: string): Milliseconds | undefined {
  const compact = text.trim().toLowerCase().replaceAll(/\s+/gu, "");
  if (!/^(\d{1,9}(ms|s|m|h|d|w))+$/u.test(compact)) return undefined;
  let total = 0;
  for (const [, count, unit] of compact.matchAll(/(\d+)(ms|s|m|h|d|w)/gu)) {
    total += Number(count) * (UNIT_MILLIS[unit ?? ""] ?? 0);
  }
  return total;
}

const SPAN_UNITS: readonly (readonly [string, Milliseconds])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** A span of time as it is typed, by the largest unit that holds it whole: `90s`, `5m`. */
export function formatSpan(millis: Milliseconds): string {
  const [letter, size] = SPAN_UNITS.find(([, unit]) => millis % unit === 0) ?? ["ms", 1];
  return `${millis / size}${letter}`;
}

/** The same to the second: `6 d 23 h 59 min 55 s`. */
export function formatWholeDuration(millis: Milliseconds): string {
  return formatDuration(millis, Infinity);
}

/**
 * How long to wait: for so long, by Node's timers or a clock, or until the signal is aborted; with `graceMillis`, so long
 * beyond its abort.
 */
interface Wait {
  readonly millis?: Milliseconds | undefined;
  readonly clock?: Sleeper;
  readonly signal?: AbortSignal | undefined;
  readonly graceMillis?: Milliseconds;
}

/** The part of a clock by which a wait ends. */
interface Sleeper {
  sleep(millis: Milliseconds, signal: AbortSignal): Promise<void>;
}

const OVER = Symbol("over");

/** What becomes of a promise, or of `late` where the wait is over first; what then still comes is dropped. */
export async function inTime<T, L>(pending: Promise<T>, wait: Wait, late: () => L): Promise<T | L> {
  const { millis, signal, graceMillis = 0, clock } = wait;
  const { promise: over, resolve } = Promise.withResolvers<typeof OVER>();
  const end = (): void => resolve(OVER);
  let stop = millis === undefined ? undefined : after(millis, end, clock);
  const leave = (): void => {
    stop?.();
    if (graceMillis === 0) end();
    else stop = after(graceMillis, end, clock);
  };
  signal?.addEventListener("abort", leave, { once: true });
  if (signal?.aborted === true) leave();
  try {
    const outcome = await Promise.race([pending, over]);
    return outcome === OVER ? late() : outcome;
  } finally {
    stop?.();
    signal?.removeEventListener("abort", leave);
  }
}

/** The abort reason of a wait's timer; a new one for each would gather a stack. */
export const WAIT_ENDED = new DOMException("This wait has ended.", "AbortError");

/** Calls back after so long. Returns the function that prevents it. */
function after(millis: Milliseconds, call: () => void, clock: Sleeper | undefined): () => void {
  if (clock === undefined) {
    const timer = setTimeout(call, millis);
    return () => clearTimeout(timer);
  }
  const ended = new AbortController();
  clock.sleep(millis, ended.signal).then(call, () => undefined);
  return () => ended.abort(WAIT_ENDED);
}

/** Rejects with a TimeoutError if the promise takes longer; a later result is dropped. */
export function withTimeout<T>(pending: Promise<T>, millis: Milliseconds): Promise<T> {
  return inTime(pending, { millis }, () => {
    throw new DOMException(`no answer within ${millis} ms`, "TimeoutError");
  });
}
