// @ts-check
// How long something is, in words. Plain JavaScript: browsers load this very file.

/** @type {readonly (readonly [name: string, millis: number])[]} */
const SHOWN = [
  ["y", 31_536_000_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/**
 * `3 y 325 d` (of 365 days each), `2 d 3 h`, `4 min 10 s`, `850 ms`: the two largest units that are not zero, rounded
 * down, or as many as `units` says. Negative spans carry a minus.
 *
 * @param {number} millis
 * @returns {string}
 */
export function formatDuration(millis, units = 2) {
  if (!Number.isFinite(millis)) return "unknown";
  if (millis < 0) return `-${formatDuration(-millis, units)}`;
  if (millis < 1000) return `${Math.trunc(millis)} ms`;
  const first = SHOWN.findIndex(([, size]) => millis >= size);
  let rest = Math.trunc(millis);
  const parts = [];
  for (const [name, size] of SHOWN.slice(first, first + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
}
