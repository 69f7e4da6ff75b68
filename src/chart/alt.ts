import type { LaneState, Scene } from "../reply/chart.ts";
import { localText } from "../units/local-time.ts";
import { formatDuration, type Milliseconds } from "../units/time.ts";

const WORDS: Readonly<Record<LaneState, string>> = {
  moves: "moved on",
  lags: "lagged",
  stands: "stood still",
  silent: "did not answer",
  doubted: "was not believed",
};
/** More would not be listened to. */
const MAX_NAMED = 3;
/** More digits are those of the calculation. */
const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });

/** The picture in words, for those who do not see it: what began when, how long, who. */
export function altText(scene: Scene): string {
  const { title, from, to, zone, note, lanes, lines, thresholds, bands, marks } = scene;
  const when = (at: Milliseconds): string => localText(zone, at);
  const isEmpty = lanes.every(({ parts }) => parts.length === 0) && lines.every(({ runs }) => runs.length === 0);
  return [
    title,
    `${when(from)} to ${when(to)}, ${zone}`,
    ...(note === undefined ? [] : [note]),
    ...(isEmpty ? ["Nothing was seen in this time"] : []),
    ...lanes.map((lane) => laneWords(lane, when)),
    ...lines.flatMap((line) => lineWords(line, scene, when)),
    ...(thresholds.length === 0 ? [] : [`Limits: ${thresholds.map(({ name }) => name).join(", ")}`]),
    ...few(
      bands.map(
        ({ name, from: begun, to: ended }) => `${name} from ${when(begun)} for ${formatDuration(ended - begun)}`,
      ),
    ),
    ...few(marks.map(({ name, at }) => `${name} at ${when(at)}`)),
  ]
    .map((sentence) => `${sentence}.`)
    .join(" ");
}

function laneWords({ name, parts }: Scene["lanes"][number], when: (at: Milliseconds) => string): string {
  const bad = parts.filter(({ state }) => state !== "moves").toSorted((a, b) => b.to - b.from - (a.to - a.from));
  if (bad.length === 0) return `${name} ${parts.length === 0 ? "was not seen" : "moved on"}`;
  const named = bad
    .slice(0, MAX_NAMED)
    .map(({ from, to, state }) => `${WORDS[state]} for ${formatDuration(to - from)} from ${when(from)}`);
  const more = bad.length > MAX_NAMED ? `, and ${bad.length - MAX_NAMED} times more` : "";
  return `${name} ${named.join(", ")}${more}`;
}

function lineWords({ name, runs }: Scene["lines"][number], { unit }: Scene, when: (at: Milliseconds) => string) {
  const points = runs.flat();
  const [first] = points;
  if (first === undefined) return [];
  let [least, most] = [first, first];
  for (const point of points) {
    if (point[1] < least[1]) least = point;
    if (point[1] > most[1]) most = point;
  }
  const value = (one: number): string => (unit === "duration" ? formatDuration(one) : NUMBER.format(one));
  return [`${name}: lowest ${value(least[1])} at ${when(least[0])}, highest ${value(most[1])} at ${when(most[0])}`];
}

function few(all: readonly string[]): string[] {
  return all.length === 0
    ? []
    : [
        all.length > MAX_NAMED
          ? `${all.slice(0, MAX_NAMED).join(", ")} and ${all.length - MAX_NAMED} more`
          : all.join(", "),
      ];
}
