import type { HistoryName } from "../../api/histories.ts";
import type { Scene } from "../../reply/chart.ts";
import type { Milliseconds } from "../../units/time.ts";
import {
  type ChartSpan,
  KeptLine,
  lineNumbers,
  type LooksContext,
  NO_SCENE,
  type Picture,
  shortSpan,
  spanText,
} from "./charts.ts";

interface PaceFacts {
  readonly watcher: string;
  readonly kind: string;
  /** The fact that the line shows, and its name. */
  readonly fact: string;
  readonly name: string;
  /** From when on it is told, where that is known by what is usual. */
  readonly limit: (usual: Milliseconds) => Milliseconds;
  readonly title: (most: Milliseconds, usual: string) => string;
  readonly table: string;
}

/** How long the network took from block to block. */
export function blocksPicture(context: LooksContext, span: ChartSpan): Promise<Picture | undefined> {
  const { network, alerts } = context;
  return pacePicture(context, span, {
    watcher: "sources",
    kind: "network.slow",
    fact: "blockMillis",
    name: "from block to block",
    limit: (usual) => usual / alerts.config.pace.below,
    title: (most, usual) => `A block of ${network} took at most ${shortSpan(most)}${usual}`,
    table: "chart-blocks",
  });
}

/** How long it was since the last checkpoint or snapshot. */
export function spacingPicture(
  context: LooksContext,
  span: ChartSpan,
  list: Extract<HistoryName, "checkpoints" | "snapshots">,
) {
  const noun = list === "checkpoints" ? "checkpoint" : "snapshot";
  const { overdue } = context.alerts.config;
  return pacePicture(context, span, {
    watcher: list,
    kind: `${noun}.overdue`,
    fact: "sinceMillis",
    name: `since the last ${noun}`,
    limit: (usual) => Math.max(overdue.atLeast, overdue.factor * usual),
    title: (most, usual) => `${context.network} was at most ${shortSpan(most)} without a ${noun}${usual}`,
    table: `chart-${list}`,
  });
}

async function pacePicture(
  { network, past, signal }: LooksContext,
  span: ChartSpan,
  { watcher, kind, fact, name, limit, title, table }: PaceFacts,
): Promise<Picture | undefined> {
  const [line, usual] = [new KeptLine(name, span), new KeptLine("usual", span)];
  for await (const part of past({ network, watcher, ...span }, signal)) {
    const [value, usually] = [part.facts("facts", kind, "", fact), part.facts("facts", kind, "", "usualMillis")];
    for (let look = 0; look < part.size; look += 1) {
      const [from, to] = [part.from(look), part.to(look)];
      line.add(from, value.near(look), to);
      usual.add(from, usually.near(look), to);
    }
  }
  const { most } = line.values;
  if (most === undefined) return undefined;
  const { last } = usual.values;
  const known = last === undefined ? undefined : Number(last);
  const from = known === undefined ? undefined : limit(known);
  const scene: Scene = {
    ...NO_SCENE,
    ...span,
    title: title(most, known === undefined ? "" : `, usually ${shortSpan(known)}`),
    unit: "duration",
    lines: [line.drawn, ...(known === undefined ? [] : [usual.drawn])],
    thresholds: from === undefined ? [] : [{ name: `told from ${shortSpan(from)} on`, value: from }],
  };
  return { scene, numbers: [lineNumbers(table, known === undefined ? [line] : [line, usual], spanText)] };
}
