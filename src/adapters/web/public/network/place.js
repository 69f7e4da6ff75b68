// @ts-check
// What time of which network the picture shows, and its address: `#network?last=6h&until=2026-05-01T12:30:00Z`. Pure, so
// that tests run it in node.

/**
 * @typedef {object} Place
 * @property {string | undefined} network Undefined for the first one.
 * @property {number | "all"} last How long back, in milliseconds.
 * @property {number | undefined} until In Unix milliseconds; undefined = now: the picture goes on by itself.
 */

/** @typedef {{ readonly from: number, readonly to: number }} Span What is shown, in Unix milliseconds. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Less is not drawn, and more is never kept. */
const [LEAST, MOST] = [10 * MINUTE, 3650 * DAY];

/** @type {readonly (readonly [words: string, last: Place["last"]])[]} */
export const RANGES = [
  ["1 h", HOUR],
  ["24 h", DAY],
  ["7 d", 7 * DAY],
  ["30 d", 30 * DAY],
  ["All", "all"],
];

/**
 * Whether a range shows more than those before it, where so much is kept.
 *
 * @param {number} index
 * @param {number} kept
 */
export function isOffered(index, kept) {
  return RANGES[index]?.[1] === "all" || RANGES.slice(0, index).every(([, last]) => last !== "all" && last < kept);
}

/**
 * The range that is shown: all, where less is kept than is asked for; -1 where it ends before now.
 *
 * @param {Place} place
 * @param {number} kept
 */
export function rangeOf({ last, until }, kept) {
  const shown = last !== "all" && kept < last ? "all" : last;
  return until === undefined ? RANGES.findIndex(([, one]) => one === shown) : -1;
}

/** @type {readonly (readonly [unit: string, millis: number])[]} */
const UNITS = [
  ["d", DAY],
  ["h", HOUR],
  ["m", MINUTE],
  ["s", 1000],
];

/**
 * The place of an address; what is wrong in it is left out.
 *
 * @param {string} hash
 * @returns {Place}
 */
export function placeAt(hash) {
  const given = new URLSearchParams(hash.split("?")[1] ?? "");
  const [, count = "", unit = ""] = /^(\d{1,6})([dhms])$/u.exec(given.get("last") ?? "") ?? [];
  const millis = Number(count) * (UNITS.find(([name]) => name === unit)?.[1] ?? 0);
  const until = Date.parse(given.get("until") ?? "");
  return {
    network: given.get("network") ?? undefined,
    last: given.get("last") === "all" ? "all" : millis >= LEAST && millis <= MOST ? millis : HOUR,
    until: Number.isNaN(until) ? undefined : until,
  };
}

/**
 * The same as the interface is asked for it.
 *
 * @param {Place} place
 */
export function queryOf({ network, last, until }) {
  return new URLSearchParams({
    ...(network === undefined ? {} : { network }),
    last: last === "all" ? last : spanWords(last),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  });
}

/** @param {Place} place */
export function addressOf(place) {
  return `#network?${queryOf(place)}`;
}

/** @param {number} millis */
function spanWords(millis) {
  const [unit, size] = UNITS.find(([, one]) => millis % one === 0) ?? ["s", 1000];
  return `${Math.round(millis / size)}${unit}`;
}

/**
 * A quarter earlier or later; at the present the picture goes on by itself again.
 *
 * @param {Place} place
 * @param {Span} shown
 * @param {-1 | 1} way
 * @param {number} now
 * @returns {Place}
 */
export function moved(place, shown, way, now) {
  const last = lengthOf(place, shown);
  return endingAt({ ...place, last }, shown.to + (way * last) / 4, now);
}

/**
 * Half as long, or twice, around a moment.
 *
 * @param {Place} place
 * @param {Span} shown
 * @param {"in" | "out"} way
 * @param {{ readonly now: number, readonly around?: number | undefined }} at Without a moment, one that ends now goes on to.
 * @returns {Place}
 */
export function zoomed(place, shown, way, { now, around }) {
  const before = lengthOf(place, shown);
  const wanted = way === "in" ? before / 2 : before * 2;
  const last = Math.min(MOST, Math.max(LEAST, Math.round(wanted / MINUTE) * MINUTE));
  if (around === undefined && place.until === undefined) return { ...place, last };
  const center = around ?? (shown.from + shown.to) / 2;
  return endingAt({ ...place, last }, center + ((shown.to - center) * last) / before, now);
}

/**
 * @param {Place} place
 * @param {Span} shown
 */
function lengthOf({ last }, { from, to }) {
  return last === "all" ? Math.max(LEAST, Math.ceil((to - from) / MINUTE) * MINUTE) : last;
}

/**
 * @param {Place} place
 * @param {number} until
 * @param {number} now
 * @returns {Place}
 */
function endingAt(place, until, now) {
  return { ...place, until: until >= now ? undefined : Math.round(until / 1000) * 1000 };
}

/**
 * `90s`, `1h30m`, `2 min` in milliseconds; undefined for anything else.
 *
 * @param {string} typed
 */
export function spanOf(typed) {
  /** @type {Readonly<Record<string, number>>} */
  const units = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
  const whole = typed.trim().toLowerCase();
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|s|min|m|h|d)\s*)+$/u.test(whole)) return undefined;
  const parts = [...whole.matchAll(/([\d.]+)\s*([a-z]+)/gu)];
  const millis = parts.reduce((sum, [, count = "", unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
  return millis >= 1 ? Math.round(millis) : undefined;
}
