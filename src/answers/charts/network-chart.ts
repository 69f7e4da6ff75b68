import { setImmediate } from "node:timers/promises";

import { type LooksPart, ThinLane } from "../../chart/thin.ts";
import { table, type Table } from "../../reply/block.ts";
import type { LaneState, Scene } from "../../reply/chart.ts";
import { code, text } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
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

/** What the nodes did, and how old the network's time was; undefined where nothing is kept of it. */
export async function networkPicture(context: LooksContext, span: ChartSpan): Promise<Picture | undefined> {
  const { api, alerts, network, past, signal } = context;
  const nodes = api.nodes.map(({ name }) => ({ name, lane: new ThinLane(span) }));
  const age = new KeptLine("age of network time", span);
  let halts = 0;
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
      if (isStalled && !wasStalled) halts += 1;
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
    title: titleOf(network, { halts, lasts: wasStalled, worst }),
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

/** How old the network's time was in a look, by the nodes that are believed; infinite where none said it. */
function ageReader(part: LooksPart, nodes: readonly { readonly name: string }[]) {
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

/** The answer: the halts, whose lengths the alerts and the table of numbers tell, else the node that was worst. */
function titleOf(
  network: string,
  { halts, lasts, worst }: { readonly halts: number; readonly lasts: boolean; readonly worst: readonly Node[] },
) {
  if (lasts) return `${network} stands still`;
  if (halts > 0) return `${network} stood still${halts === 1 ? "" : ` ${halts} times`}`;
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
