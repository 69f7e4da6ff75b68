// @ts-check
// What stands over a picture: stretches of time, moments, and the values from which something is told.
/** @import { Scene } from "../../reply/chart.ts" */
/** @import { Palette } from "./draw.js" */
import { e, LEAST_WIDTH, round, SMALL, words } from "./svg.js";
import { fitted, fittedNames, widthOf } from "./text.js";

/**
 * Shaded stretches and single moments, named above the plot where there is room.
 *
 * @param {Scene} scene
 * @param {Palette} palette
 * @param {{ x: (at: number) => number, top: number, floor: number, right: number }} place
 */
export function drawBands({ bands, marks }, palette, { x, top, floor, right }) {
  const named = [
    ...bands.map(({ from, name, strong }) => ({ at: from, name, order: strong === true ? 0 : 2 })),
    ...marks.map(({ at, name }) => ({ at, name, order: 1 })),
  ].map(({ at, name, order }) => {
    const [shown = ""] = fittedNames([name], SMALL, 180);
    const width = widthOf(shown, SMALL);
    return { at, shown, order, width, begin: Math.min(x(at), right - width) };
  });
  // A story has each stage once, and names all of them; of what happens again and again, what has room is named.
  const isStory = new Set(named.map(({ shown }) => shown)).size === named.length;
  const row = isStory ? inRow(named, right) : [];
  const placed = row.length > 0 && row.every(({ begin }) => begin >= 0) ? row : apart(named);
  const labels = placed.map(({ shown, begin }) => words(shown, begin, top - 10, palette.ink));
  return [
    ...bands.flatMap(({ from, to, strong }) => {
      const width = Math.max(x(to) - x(from), LEAST_WIDTH);
      const at = Math.min(x(from), right - width);
      const place = { x: at, width, fill: strong === true ? palette.limit : palette.faint };
      return [
        e("rect", { ...place, y: top - 4, height: floor - top + 4, opacity: strong === true ? "0.22" : "0.2" }),
        e("rect", { ...place, y: top - 6, height: strong === true ? 4 : 2 }),
      ];
    }),
    ...marks.map(({ at }) =>
      e("path", {
        d: `M${round(x(at))} ${round(top - 6)}V${round(floor)}`,
        stroke: palette.ink,
        "stroke-width": 1.2,
        "stroke-dasharray": "2 3",
      }),
    ),
    ...labels,
  ];
}

/** @typedef {{ at: number, shown: string, order: number, width: number, begin: number }} Label */

const GAP = 6;

/**
 * All labels in the order of time, each at its place or as near to it as the others let it be.
 *
 * @param {readonly Label[]} labels
 * @param {number} right
 * @returns {Label[]}
 */
function inRow(labels, right) {
  const inOrder = labels.toSorted((a, b) => a.at - b.at);
  let [free, bound] = [-Infinity, right];
  const pushed = inOrder.map((one) => {
    const begin = Math.max(one.begin, free);
    free = begin + one.width + GAP;
    return { ...one, begin };
  });
  return pushed.toReversed().map((one) => {
    const begin = Math.min(one.begin, bound - one.width);
    bound = begin - GAP;
    return { ...one, begin };
  });
}

/**
 * The most important labels that stand at their places without touching each other.
 *
 * @param {readonly Label[]} labels
 * @returns {Label[]}
 */
function apart(labels) {
  /** @type {Label[]} */
  const taken = [];
  for (const one of labels.toSorted((a, b) => a.order - b.order)) {
    const end = one.begin + one.width;
    if (taken.every(({ begin, width }) => one.begin >= begin + width + GAP || end + GAP <= begin)) taken.push(one);
  }
  return taken;
}

/**
 * Each value as a line with its name at the right end, or at the left one where a curve would run through the name.
 *
 * @param {Scene["thresholds"]} thresholds
 * @param {Scene["lines"]} lines
 * @param {Palette} palette
 * @param {{ x: (at: number) => number, y: (value: number) => number, left: number, right: number, lineTop: number, floor: number }} place
 */
export function drawThresholds(thresholds, lines, palette, { x, y, left, right, lineTop, floor }) {
  const runs = lines.flatMap((one) => one.runs.map((run) => run.map(([at, value]) => ({ x: x(at), y: y(value) }))));
  /** @type {number[]} */
  const taken = [];
  return thresholds.flatMap(({ name, value }) => {
    const at = y(value);
    const line = e("path", {
      d: `M${round(left)} ${round(at)}H${right}`,
      stroke: palette.limit,
      "stroke-width": 1.5,
      "stroke-dasharray": "5 4",
    });
    const shown = fitted(name, SMALL, (right - left) * 0.7);
    const above = at - 5 - SMALL > lineTop - 4 ? at - 5 : at + SMALL + 1;
    if (above > floor || taken.some((one) => Math.abs(one - above) < SMALL + 1)) return [line];
    taken.push(above);
    const width = widthOf(shown, SMALL) + 4;
    const boxAt = (/** @type {number} */ from) => ({ x: from, y: above - 12, width, height: 15 });
    const [usual, other] = [boxAt(right - width), boxAt(left)];
    const isFree = (/** @type {typeof usual} */ box) => !runs.some((run) => crosses(run, box));
    const place = isFree(usual) || !isFree(other) ? usual : other;
    return [
      line,
      e("rect", { ...place, fill: palette.ground, opacity: "0.75" }),
      words(shown, place.x + 2, above, palette.ink),
    ];
  });
}

/**
 * Whether a curve touches a box.
 *
 * @param {readonly { readonly x: number, readonly y: number }[]} run
 * @param {{ x: number, y: number, width: number, height: number }} box
 */
function crosses(run, box) {
  return run.some((to, index) => {
    const from = run[index - 1] ?? to;
    const [begin, end] = [Math.max(from.x, box.x), Math.min(to.x, box.x + box.width)];
    if (begin > end) return false;
    const yAt = (/** @type {number} */ x) => from.y + ((to.y - from.y) * (x - from.x)) / Math.max(1e-9, to.x - from.x);
    const [low, high] = [yAt(begin), yAt(end)].toSorted((a, b) => a - b);
    return (low ?? 0) < box.y + box.height && (high ?? 0) > box.y;
  });
}
