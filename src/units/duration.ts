/** A span of time in milliseconds, 0 or more. */
export type Milliseconds = number;

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

const SHOWN: readonly (readonly [name: string, millis: Milliseconds])[] = [
  ["y", 31_536_000_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/**
 * `3 y 325 d` (of 365 days each), `2 d 3 h`, `4 min 10 s`, `850 ms`: the two largest units that are not zero, rounded
 * down, or as many as `units` says. Negative spans carry a minus.
 */
export function formatDuration(millis: Milliseconds, units = 2): string {
  if (!Number.isFinite(millis)) return "unknown";
  if (millis < 0) return `-${formatDuration(-millis, units)}`;
  if (millis < 1000) return `${Math.trunc(millis)} ms`;
  const first = SHOWN.findIndex(([, size]) => millis >= size);
  let rest = Math.trunc(millis);
  const parts: string[] = [];
  for (const [name, size] of SHOWN.slice(first, first + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
}

/** The same to the second: `6 d 23 h 59 min 55 s`. */
export function formatWholeDuration(millis: Milliseconds): string {
  return formatDuration(millis, SHOWN.length);
}
