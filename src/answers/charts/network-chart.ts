import { setImmediate } from "node:timers/promises";

import { type LooksPart, ThinLane } from "../../chart/thin.ts";
import { timeFromText } from "../../alerts/judge/kinds/kind.ts";
import { type Episode, isOpen } from "../../alerts/judge/rules/episode.ts";
import { endOf, lengthBetween } from "../../alerts/words/phrases.ts";
import { table, type Table } from "../../reply/block.ts";
import type { LaneState, Scene } from "../../reply/chart.ts";
import { code, text } from "../../reply/text.ts";
import { formatDuration, type Milliseconds, type Stretch, toMillis } from "../../units/time.ts";
import {
  type ChartSpan,
  KeptLine,
  lineNumbers,
  type LooksContext,
  nameInTitle,
  NO_SCENE,
  type Picture,
  spanText,
} from "./charts.ts";

const MAX_LANES = 6;

/** Columns of the numbers, and the order in which nodes are in trouble. */
const STATES: readonly (readonly [state: LaneState, title: string])[] = [
  ["moves", "Moved"],
  ["lags", "Lagged"],
  ["stands", "Stood"],
  ["silent", "No answer"],
  ["doubted", "Not believed"],
];

interface Node {
  readonly name: string;
  readonly lane: ThinLane;
}

/** A halt of which an alert tells; `to` is absent while the alert is open. */
interface Told {
  readonly from: Milliseconds;
  readonly to?: Milliseconds;
}

/** From when to when an alert was, as its message says it; without an end while it is open. */
export function stretchOf(episode: Episode): Told {
  const from = toMillis(timeFromText(episode.began));
  return isOpen(episode) ? { from } : { from, to: toMillis(timeFromText(endOf(episode))) };
}

/**
 * What the nodes did, and how old the network's time was; undefined where nothing is kept of it. A halt of which an alert
 * told is as long as the alert says; the looks know it less well. In a `live` picture the length of one that lasts is left out.
 */
export async function networkPicture(
  context: LooksContext,
  span: ChartSpan,
  { told, live }: { readonly told: readonly Told[]; readonly live: boolean },
): Promise<Picture | undefined> {
  const { api, alerts, network, past, signal } = context;
  const nodes = api.nodes.map(({ name }) => ({ name, lane: new ThinLane(span) }));
  const age = new KeptLine("age of network time", span);
  const seen: { from: Milliseconds; to: Milliseconds }[] = [];
  let wasStalled = false;
  for await (const part of past({ network, watcher: "sources", ...span }, signal)) {
    for (const { name, lane } of nodes) {
      const stateOf = stateReader(part, name, alerts.config.lagging.behind);
      for (let look = 0; look < part.size; look += 1) {
        const state = stateOf(look);
        if (state !== undefined) lane.add(part.from(look), part.to(look), state);
      }
      // An hour of one node is some milliseconds' work.
      if (part.size > 1) await setImmediate();
    }
    const ageOf = ageReader(part, nodes);
    const verdict = part.facts("verdict");
    for (let look = 0; look < part.size; look += 1) {
      const [from, to] = [part.from(look), part.to(look)];
      age.add(from, ageOf(look), to);
      const isStalled = verdict.at(look) === "stalled" && from >= span.from && from <= span.to;
      // It began with the last block, some time before it was known to be one.
      if (isStalled && !wasStalled) seen.push({ from: haltBegan(from, ageOf(look), span), to });
      const halt = seen.at(-1);
      if (isStalled && halt !== undefined) halt.to = to;
      wasStalled = isStalled;
    }
  }
  if (nodes.every(({ lane }) => lane.lengths.size === 0)) return undefined;
  const worst = nodes.toSorted((a, b) => troubleOf(b) - troubleOf(a));
  const shown = nodes.filter((one) => worst.indexOf(one) < MAX_LANES);
  const others = worst.slice(MAX_LANES);
  const hasAge = age.values.last !== undefined;
  const scene: Scene = {
    ...NO_SCENE,
    ...span,
    title: titleOf(network, {
      halts: haltsOf(seen, told, span, wasStalled),
      lasts: wasStalled,
      live,
      worst,
    }),
    ...(others.length === 0
      ? {}
      : { note: `${others.length} others ${troubleOf(others[0]) === 0 ? "kept up" : "not drawn"}` }),
    unit: "duration",
    lanes: shown.map(({ name, lane }) => ({ name, parts: lane.parts() })),
    lines: hasAge ? [age.drawn] : [],
    thresholds: hasAge
      ? [{ name: `told after ${spanText(String(alerts.config.stalled.for))}`, value: alerts.config.stalled.for }]
      : [],
  };
  return { scene, numbers: [laneNumbers(nodes), ...(hasAge ? [lineNumbers("chart-age", [age], spanText)] : [])] };
}

/** The halts that were seen, as long as alerts tell them. One may tell several: it is open until the network has gone on. */
function haltsOf(seen: readonly Stretch[], told: readonly Told[], span: Stretch, lasts: boolean): readonly Stretch[] {
  const halts = seen.map((one, at): Stretch => {
    const end = lasts && at === seen.length - 1 ? span.to : Math.min(one.to, span.to);
    const known = told.find(({ from, to = Infinity }) => from <= end && to >= one.from);
    return { from: known?.from ?? one.from, to: known?.to ?? end };
  });
  return [...new Map(halts.map((halt) => [halt.from, halt])).values()];
}

/** When the last block before a halt was, as far as the picture shows it. */
function haltBegan(from: Milliseconds, age: Milliseconds, span: ChartSpan): Milliseconds {
  return Math.max(span.from, Number.isFinite(age) ? from - age : from);
}

/** How old the network's time was in a look, by the nodes that are believed; infinite where none said it. */
export function ageReader(part: LooksPart, nodes: readonly { readonly name: string }[]) {
  const clocks = nodes.map(({ name }) => ({
    time: part.facts("nodes", name, "time"),
    vote: part.facts("votes", name),
  }));
  return (look: number): Milliseconds => {
    const latest = clocks.reduce((most, { time, vote }) => {
      const said = vote.at(look) === "silent" ? Number.NaN : time.near(look);
      return Number.isNaN(said) ? most : Math.max(most, said);
    }, -Infinity);
    return Math.round(Math.max(0, part.from(look) - latest / 1e6));
  };
}

/** How a node stood in a look; undefined where nothing was seen of it. */
export function stateReader(part: LooksPart, node: string, behind: Milliseconds) {
  const [vote, reachable] = [part.facts("votes", node), part.facts("nodes", node, "reachable")];
  const [down, lag] = [
    part.facts("facts", "node.down", node, "state"),
    part.facts("facts", "node.lagging", node, "behindMillis"),
  ];
  return (look: number): LaneState | undefined => {
    const said = vote.at(look);
    if (said === "silent") return reachable.at(look) === true ? "doubted" : "silent";
    if (down.at(look) === "bad") return "silent";
    if (said === "stands") return "stands";
    const isBehind = lag.near(look) > behind;
    if (said === "syncs" || said === "climbs" || isBehind) return "lags";
    return said === undefined && down.at(look) === undefined ? undefined : "moves";
  };
}

function troubleOf(node: Node | undefined): Milliseconds {
  let sum = 0;
  for (const [state, millis] of node?.lane.lengths ?? []) if (state !== "moves") sum += millis;
  return sum;
}

const DID: Readonly<Record<Exclude<LaneState, "moves">, string>> = {
  lags: "lagged",
  stands: "stood still",
  silent: "did not answer",
  doubted: "was not believed",
};

/** The answer: the halts, else the node that was worst. */
function titleOf(
  network: string,
  seen: {
    readonly halts: readonly Stretch[];
    readonly lasts: boolean;
    readonly live: boolean;
    readonly worst: readonly Node[];
  },
) {
  const { halts, lasts, live, worst } = seen;
  if (lasts && live) return `${network} stands still`;
  const stood = formatDuration(halts.reduce((sum, { from, to }) => sum + Math.max(0, lengthBetween(from, to)), 0));
  const did = `${network} ${lasts ? "has stood" : "stood"} still`;
  if (halts.length === 1) return `${did} for ${stood}`;
  if (halts.length > 1) return `${did} ${halts.length === 2 ? "twice" : `${halts.length} times`}, ${stood} in all`;
  const [first] = worst;
  const bad = [...(first?.lane.lengths ?? [])].filter(([state]) => state !== "moves").toSorted(([, a], [, b]) => b - a);
  const [longest] = bad;
  if (first === undefined || longest === undefined) return `${network} went on, and all its nodes kept up`;
  const trouble = DID[longest[0] as Exclude<LaneState, "moves">];
  const troubled = worst.filter((one) => troubleOf(one) > 0).length;
  const more = troubled === 1 ? "" : `, and ${troubled - 1} more ${troubled === 2 ? "was" : "were"} in trouble`;
  return `${network} went on; ${nameInTitle(first.name)} ${trouble} for ${formatDuration(longest[1])}${more}`;
}

function laneNumbers(nodes: readonly Node[]): Table {
  return table({
    name: "chart-nodes",
    title: text`How long`,
    rows: nodes,
    columns: [
      ["Node", ({ name }) => code(name)],
      ...STATES.map(([state, title]) => {
        const cell = ({ lane }: Node): string => {
          const millis = lane.lengths.get(state);
          return millis === undefined ? "" : formatDuration(millis);
        };
        return [title, cell, "right"] as const;
      }),
    ],
  });
}

/** Nobody looks more seldom. */
const LONGEST_BEFORE: Milliseconds = 3_600_000;

/**
 * The last look until a moment, with what every node said in it; undefined where nobody had looked for an hour. Exact
 * numbers are decimal text, times of nodes Unix nanoseconds.
 */
export async function networkLook(context: LooksContext, at: Milliseconds) {
  const { network, past, signal } = context;
  let found: (() => ReturnType<typeof lookOf>) | undefined;
  for await (const part of past({ network, watcher: "sources", from: at - LONGEST_BEFORE, to: at }, signal)) {
    let last: number | undefined;
    for (let look = 0; look < part.size && part.from(look) <= at; look += 1) last = look;
    if (last === undefined || part.from(last) < at - LONGEST_BEFORE) continue;
    const look = last;
    // Of most parts it is not the last one.
    found = () => lookOf(context, part, look);
  }
  return found?.();
}

function lookOf({ api, alerts }: LooksContext, part: LooksPart, look: number) {
  const age = ageReader(part, api.nodes)(look);
  return {
    at: part.from(look),
    ...(Number.isFinite(age) ? { ageMillis: age } : {}),
    nodes: api.nodes.map(({ name }) => {
      const said = (fact: string) => part.facts("nodes", name, fact).at(look);
      const state = stateReader(part, name, alerts.config.lagging.behind)(look);
      const [time, height, why, roundTripMillis] = ["time", "height", "why", "roundTripMillis"].map(said);
      return {
        node: name,
        ...(state === undefined ? {} : { state }),
        ...(typeof time === "string" ? { time } : {}),
        ...(typeof height === "string" ? { height } : {}),
        ...(typeof roundTripMillis === "number" ? { roundTripMillis } : {}),
        ...(typeof why === "string" ? { why } : {}),
      };
    }),
  };
}
