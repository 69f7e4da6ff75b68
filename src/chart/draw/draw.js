// @ts-check
// A scene as SVG. Pure, and plain JavaScript: the bot draws pictures for chats with it, and browsers load this very file.
// Read next: svg.js (elements), axes.js (labels), marks.js (bands and thresholds), text.js (what fits, and signs that the font lacks), glyphs.js (the font's widths).
/** @import { LaneState, Scene } from "../../reply/chart.ts" */
/** @import { SvgElement } from "./svg.js" */
import { rangeOf, spanOf, timeTicks, valueTicks } from "./axes.js";
import { drawBands, drawThresholds } from "./marks.js";
import { e, LEAST_WIDTH, round, SMALL, words } from "./svg.js";
import { fitted, fittedNames, widthOf, wrapped } from "./text.js";

/**
 * @typedef {"ground" | "ink" | "faint" | "line" | "other" | "third" | "limit" | LaneState} Colour
 * @typedef {Readonly<Record<Colour, string>>} Palette
 */

/** By Okabe and Ito; text has at least 4.5 times the contrast of its ground, and marks have three times. */
export const DARK = /** @type {const} @satisfies {Palette} */ ({
  ground: "#16191d",
  ink: "#f2f2f2",
  faint: "#7f8790",
  line: "#56b4e9",
  other: "#f0e442",
  third: "#cc79a7",
  limit: "#ff8a4c",
  moves: "#1fb58a",
  lags: "#e69f00",
  stands: "#ff7a3d",
  silent: "#c9ced4",
  doubted: "#d68bb4",
});
/** The page's style sheet says which. */
export const BY_STYLE = /** @type {Palette} */ (
  Object.fromEntries(Object.keys(DARK).map((name) => [name, `var(--chart-${name})`]))
);

/** The frame, in units. */
export const FRAME = Object.freeze({ width: 480, height: 300 });
/** A frame of this height has room for a title and words below it in two lines each. */
export const TALL = 340;
const TITLE = 18;
const MARGIN = 10;
const LANE_NAMES = 128;
/** A lane below which a line is drawn, and one by itself. */
const MAX_LANE = { above: 26, alone: 52 };
const LEAST_LINES = 58;
const BETWEEN = 26;

/** The height of a lane's bar in parts of the lane, and the pattern in it. */
const STATES =
  /** @type {const} @satisfies {Readonly<Record<LaneState, { word: string, part: number, pattern?: string }>>} */ ({
    moves: { word: "moves", part: 0.3 },
    lags: { word: "lags", part: 0.62 },
    stands: { word: "stands", part: 0.88, pattern: "hatched" },
    silent: { word: "no answer", part: 0.88, pattern: "dotted" },
    doubted: { word: "not believed", part: 0.88, pattern: "crossed" },
  });
const LINES = /** @type {const} @satisfies {readonly { colour: Colour, dashes?: string }[]} */ ([
  { colour: "line" },
  { colour: "other", dashes: "7 4" },
  { colour: "third", dashes: "2 3" },
]);

/** @typedef {{ readonly width: number, readonly height: number }} Frame */

/**
 * The picture as a tree of elements. `id` tells its patterns from those of other pictures of a page.
 *
 * @param {Scene} scene
 * @param {Palette} [palette]
 * @param {string} [id]
 * @param {Frame} [frame]
 * @returns {SvgElement}
 */
export function drawScene(scene, palette = DARK, id = "chart", frame = FRAME) {
  const { width, height } = frame;
  const place = layoutOf(scene, frame);
  const { left, right, top, lane, laneBottom, lineTop, floor, plotFloor, x, y } = place;
  return e(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      "font-family": "'DejaVu Sans Condensed', 'DejaVu Sans', sans-serif",
      "font-size": SMALL,
    },
    drawPatterns(palette, id),
    e("rect", { width, height, fill: palette.ground }),
    ...drawHead(place, palette),
    ...drawBands(scene, palette, { x, top, floor: plotFloor, right }),
    ...place.ticks.flatMap(({ at, text }) => [
      e("path", { d: `M${round(left)} ${round(y(at))}H${right}`, stroke: palette.faint, "stroke-width": 0.5 }),
      words(text, left - 6, Math.min(y(at) + 5, floor + 5), palette.ink, "end"),
    ]),
    ...scene.lanes.flatMap(({ parts }, index) => [
      words(place.names[index] ?? "", left - 6, top + lane * (index + 0.5) + 5, palette.ink, "end"),
      ...drawLane(parts, { x, right, middle: top + lane * (index + 0.5), height: lane }, palette, id),
    ]),
    ...(place.isBelow
      ? [words(fitted(axisWords(scene), SMALL, right - left), left, laneBottom + 18, palette.ink)]
      : []),
    ...scene.lines.flatMap(({ runs }, index) => drawLine(runs, index, x, y, palette)),
    ...drawThresholds(place.thresholds, scene.lines, palette, { x, y, left, right, lineTop, floor }),
    e("path", { d: `M${round(left)} ${round(plotFloor)}H${right}`, stroke: palette.faint, "stroke-width": 1 }),
    ...timeTicks(scene, x, SMALL, { left: MARGIN, right }).flatMap((tick) => [
      e("path", { d: `M${round(tick.x)} ${round(plotFloor)}v4`, stroke: palette.faint, "stroke-width": 1 }),
      words(tick.text, tick.middle, plotFloor + 18, palette.ink, "middle"),
    ]),
    ...(place.isEmpty
      ? [words("Nothing was seen in this time.", (left + right) / 2, (top + floor) / 2, palette.ink, "middle")]
      : []),
    ...drawLegend(scene, palette, id, frame),
  );
}

/**
 * Where everything stands in the frame. Between `left` and `right` is the time, `x` gives the place of a moment.
 *
 * @param {Scene} scene
 * @param {Frame} frame
 */
export function layoutOf(scene, { width, height }) {
  const isNarrow = width < FRAME.width;
  const title = wrapped(scene.title, TITLE, width - 2 * MARGIN, isNarrow ? 3 : 2);
  const most = isNarrow ? 3 : title.length > 1 && height < TALL ? 1 : 2;
  const below = wrapped(saidBelow(scene), SMALL, width - 2 * MARGIN, most);
  const lastLine = MARGIN + 12 + TITLE * 1.15 * (title.length - 1);
  const headEnd = lastLine + 24 + SMALL * 1.25 * (below.length - 1);
  const isEmpty = isLanesEmpty(scene) && scene.lines.every(({ runs }) => runs.every((run) => run.length === 0));
  // Beside nothing a threshold says nothing, and its words would meet those that say so.
  const thresholds = isEmpty ? [] : scene.thresholds;
  const hasLines = scene.lines.length > 0 || thresholds.length > 0;
  const hasLegend = scene.lanes.length === 0 ? scene.lines.length > 0 : !isLanesEmpty(scene);
  const top = headEnd + (scene.bands.length + scene.marks.length > 0 ? 28 : 10);
  const floor = height - (hasLegend ? 24 : 6) - 20;
  // A line below lanes has its name there; the legend then has room for every state.
  const isBelow = hasLines && scene.lanes.length > 0;
  const laneRoom = floor - top - (isBelow ? LEAST_LINES + BETWEEN : 0);
  const lane = Math.min(isBelow ? MAX_LANE.above : MAX_LANE.alone, laneRoom / Math.max(1, scene.lanes.length));
  const laneBottom = top + lane * scene.lanes.length;
  const lineTop = isBelow ? laneBottom + BETWEEN : top;
  const values = [
    ...scene.lines.flatMap(({ runs }) => runs.flatMap((run) => run.map(([, value]) => value))),
    ...thresholds.map(({ value }) => value),
  ];
  const range = rangeOf(values, scene.unit);
  const ticks = hasLines ? valueTicks(range, Math.floor((floor - lineTop) / 24) + 1, scene.unit) : [];
  const given = scene.lanes.map(({ name }) => name);
  const names = fittedNames(given, SMALL, Math.min(LANE_NAMES, width * 0.3));
  const labels = Math.max(24, ...[...names, ...ticks.map(({ text }) => text)].map((text) => widthOf(text, SMALL)));
  const left = MARGIN + Math.min(labels, LANE_NAMES) + 8;
  const right = width - MARGIN;
  const span = Math.max(1, scene.to - scene.from);
  return {
    title,
    below,
    lastLine,
    isEmpty,
    isBelow,
    thresholds,
    ticks,
    names,
    left,
    right,
    top,
    lane,
    laneBottom,
    lineTop,
    floor,
    plotFloor: hasLines ? floor : scene.lanes.length > 0 ? laneBottom + 4 : floor,
    /** @param {number} at */
    x: (at) => left + (Math.min(Math.max(at - scene.from, 0), span) / span) * (right - left),
    /** @param {number} value */
    y: (value) => floor - ((value - range[0]) / (range[1] - range[0])) * (floor - lineTop),
  };
}

/** @param {Scene} scene */
function isLanesEmpty({ lanes }) {
  return lanes.every(({ parts }) => parts.length === 0);
}

/** @param {Scene} scene */
function axisWords({ lines }) {
  return lines.map(({ name }) => name).join(", ");
}

/** @param {Scene} scene */
function saidBelow(scene) {
  const said = [scene.simulated === true ? "SIMULATED" : "", spanOf(scene), scene.note ?? ""];
  return said.filter((one) => one !== "").join(" · ");
}

/**
 * The title, which is the answer, and the time of which it speaks.
 *
 * @param {Pick<ReturnType<typeof layoutOf>, "title" | "below" | "lastLine">} place
 * @param {Palette} palette
 */
function drawHead({ title, below, lastLine }, palette) {
  return [
    ...title.map((line, index) => words(line, MARGIN, MARGIN + 12 + index * TITLE * 1.15, palette.ink, "start", TITLE)),
    ...below.map((line, index) => words(line, MARGIN, lastLine + 20 + index * SMALL * 1.25, palette.ink)),
  ];
}

/**
 * What the bars and lines are; of too many, the last ones are left to the alt text.
 *
 * @param {Scene} scene
 * @param {Palette} palette
 * @param {string} id
 * @param {Frame} frame
 * @returns {SvgElement[]}
 */
function drawLegend({ lanes, lines }, palette, id, frame) {
  const seen = new Set(lanes.flatMap(({ parts }) => parts.map(({ state }) => state)));
  const baseline = frame.height - 8;
  /** @type {{ text: string, swatch: (at: number) => SvgElement[] }[]} */
  const entries = [];
  for (const [index, { name }] of lanes.length > 0 ? [] : lines.entries()) {
    const swatch = /** @param {number} at */ (at) => [stroke(`M${round(at)} ${baseline - 5}h18`, index, palette)];
    entries.push({ text: name, swatch });
  }
  for (const state of /** @type {LaneState[]} */ (Object.keys(STATES))) {
    if (!seen.has(state)) continue;
    const swatch = /** @param {number} at */ (at) => drawBar(state, at, 18, baseline - 5, 14, palette, id);
    entries.push({ text: STATES[state].word, swatch });
  }
  let at = MARGIN;
  return entries.flatMap(({ text, swatch }) => {
    const shown = fitted(text, SMALL, 200);
    const end = at + 22 + widthOf(shown, SMALL);
    if (end > frame.width - MARGIN) return [];
    const drawn = [...swatch(at), words(shown, at + 22, baseline, palette.ink)];
    at = end + 12;
    return drawn;
  });
}

/**
 * @param {Scene["lanes"][number]["parts"]} parts
 * @param {{ x: (at: number) => number, right: number, middle: number, height: number }} place
 * @param {Palette} palette
 * @param {string} id
 */
function drawLane(parts, { x, right, middle, height }, palette, id) {
  // What moves is drawn first: nothing short is hidden by it.
  const ordered = parts.toSorted((a, b) => STATES[a.state].part - STATES[b.state].part);
  return ordered.flatMap(({ from, to, state }) => {
    const width = Math.max(x(to) - x(from), state === "moves" ? 1 : LEAST_WIDTH);
    return drawBar(state, Math.min(x(from), right - width), width, middle, height, palette, id);
  });
}

/**
 * @param {LaneState} state
 * @param {number} at
 * @param {number} width
 * @param {number} middle
 * @param {number} height
 * @param {Palette} palette
 * @param {string} id
 * @returns {SvgElement[]}
 */
function drawBar(state, at, width, middle, height, palette, id) {
  const shown = STATES[state];
  const tall = height * shown.part;
  const place = { x: at, y: middle - tall / 2, width, height: tall };
  if (!("pattern" in shown)) return [e("rect", { ...place, fill: palette[state] })];
  return [
    e("rect", { ...place, fill: palette.ground }),
    e("rect", { ...place, fill: `url(#${id}-${shown.pattern})`, stroke: palette[state], "stroke-width": 1 }),
  ];
}

/**
 * @param {Palette} palette
 * @param {string} id
 */
function drawPatterns(palette, id) {
  /** @param {string} name @param {number} size @param {SvgElement} drawn */
  const pattern = (name, size, drawn) =>
    e("pattern", { id: `${id}-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, drawn);
  /** @param {string} d @param {Colour} colour */
  const strokes = (d, colour) => e("path", { d, stroke: palette[colour], "stroke-width": 1.6, fill: "none" });
  return e(
    "defs",
    {},
    pattern("hatched", 6, strokes("M-1 7L7 -1M-1 1L1 -1M5 7L7 5", "stands")),
    pattern("dotted", 5, e("circle", { cx: 2.5, cy: 2.5, r: 1.3, fill: palette.silent })),
    pattern("crossed", 6, strokes("M0 0L6 6M0 6L6 0", "doubted")),
  );
}

/**
 * @param {Scene["lines"][number]["runs"]} runs
 * @param {number} index
 * @param {(at: number) => number} x
 * @param {(value: number) => number} y
 * @param {Palette} palette
 */
function drawLine(runs, index, x, y, palette) {
  const [single, drawn] = [runs.filter((run) => run.length === 1), runs.filter((run) => run.length > 1)];
  const d = drawn.map((run) =>
    run.map(([at, value], step) => `${step === 0 ? "M" : "L"}${round(x(at))} ${round(y(value))}`).join(""),
  );
  return [
    ...(d.length === 0 ? [] : [stroke(d.join(""), index, palette)]),
    ...single.flatMap((run) =>
      run.map(([at, value]) =>
        e("circle", { cx: x(at), cy: y(value), r: 2.5, fill: palette[LINES[index % 3]?.colour ?? "line"] }),
      ),
    ),
  ];
}

/**
 * @param {string} d
 * @param {number} index
 * @param {Palette} palette
 */
function stroke(d, index, palette) {
  const style = LINES[index % LINES.length] ?? LINES[0];
  const dashes = "dashes" in style ? style.dashes : undefined;
  return e("path", {
    d,
    fill: "none",
    stroke: palette[style.colour],
    "stroke-width": 2,
    "stroke-dasharray": dashes,
    "stroke-linejoin": "round",
  });
}
