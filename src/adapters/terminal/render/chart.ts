import type { Block } from "../../../reply/block.ts";
import type { LaneState } from "../../../reply/chart.ts";
import { localText } from "../../../units/local-time.ts";
import { formatDuration } from "../../../units/time.ts";
import { blank, dataSpan, span } from "./span.ts";
import { cutToWidth, visibleText, widthOf } from "./visible-text.ts";
import { type Line, wrap } from "./wrap.ts";

type Chart = Extract<Block, { kind: "chart" }>;

/** Each state by a sign of its own, the worst last. */
const STATES: readonly (readonly [state: LaneState, sign: string, word: string])[] = [
  ["moves", "▂", "moves"],
  ["lags", "▄", "lags"],
  ["doubted", "▒", "not believed"],
  ["silent", "·", "no answer"],
  ["stands", "█", "stands"],
];
const EIGHTHS = " ▁▂▃▄▅▆▇█";
/** The whole picture has at most eight lines. */
const MAX_LINES = 8;
const MAX_LINE_ROWS = 5;
const NAMES = 18;
/** In a narrower terminal the words say more. */
const NARROWEST = 48;
const WIDEST = 100;

/** A picture in block characters: a line for each lane, then the first of its lines, and what the signs mean. */
export function chartLines({ scene, alt }: Chart, width: number): Line[] {
  const { lanes, lines, unit, from, to, zone } = scene;
  const [first] = lines;
  if (width < NARROWEST || (lanes.length === 0 && first === undefined))
    return wrap([dataSpan(alt)], Math.min(width, WIDEST));
  const columns = Math.min(width, WIDEST) - NAMES - 1;
  const columnOf = (at: number): number =>
    Math.min(columns - 1, Math.max(0, Math.floor(((at - from) / Math.max(1, to - from)) * columns)));
  const named = (name: string, drawn: string): Line => {
    const shown = cutToWidth(visibleText(name), NAMES);
    const row = drawn.trimEnd();
    return { spans: [span(shown), blank(NAMES + 1 - widthOf(shown)), span(row)], width: NAMES + 1 + row.length };
  };
  const drawnLanes = lanes.map(({ name, parts }) => {
    const ranks = Array.from({ length: columns }, () => -1);
    for (const part of parts) {
      const rank = STATES.findIndex(([state]) => state === part.state);
      for (let at = columnOf(part.from); at <= columnOf(part.to - 1); at += 1)
        ranks[at] = Math.max(ranks[at] ?? -1, rank);
    }
    return named(name, ranks.map((rank) => STATES[rank]?.[1] ?? " ").join(""));
  });
  const rows = Math.min(MAX_LINE_ROWS, MAX_LINES - 2 - lanes.length);
  const highest: number[] = [];
  for (const [at, value] of first?.runs.flat() ?? [])
    highest[columnOf(at)] = Math.max(highest[columnOf(at)] ?? -Infinity, value);
  const known = Object.values(highest);
  const [least, most] = [unit === "duration" ? 0 : Math.min(...known), Math.max(...known)];
  const words = (value: number): string => (unit === "duration" ? formatDuration(value) : String(value));
  const drawnLine =
    known.length === 0
      ? []
      : Array.from({ length: rows }, (_, row): Line => {
          const signs = Array.from({ length: columns }, (__, at) => {
            const value = highest[at];
            if (value === undefined) return " ";
            const eighths = Math.max(1, Math.round(((value - least) / (most - least || 1)) * rows * 8));
            return EIGHTHS[Math.min(8, Math.max(0, eighths - (rows - 1 - row) * 8))] ?? " ";
          });
          const name = row === 0 ? words(most) : row === rows - 1 ? words(least) : row === 1 ? (first?.name ?? "") : "";
          return named(name, signs.join(""));
        });
  const seen = new Set(lanes.flatMap(({ parts }) => parts.map(({ state }) => state)));
  const legend = STATES.filter(([state]) => seen.has(state)).map(([, sign, word]) => `${sign} ${word}`);
  const line = lanes.length > 0 && first !== undefined ? [`below: ${first.name}, up to ${words(most)}`] : [];
  const said = [
    `${localText(zone, from)} to ${localText(zone, to)} ${zone}`,
    ...legend,
    ...(known.length === 0 ? [] : line),
  ];
  return [...drawnLanes, ...drawnLine, ...wrap([span(visibleText(said.join(", ")), "dim")], Math.min(width, WIDEST))];
}
