// Scenes for pictures, made of kept looks. This module holds what they share, lines, the numbers beside a picture and
// the reply, and draws markets, blocks and lists. network-chart.ts draws nodes in lanes, stake-chart.ts a stake,
// alert-chart.ts what an alert was about.

import { altText } from "../../chart/alt.ts";
import { ThinLine } from "../../chart/thin.ts";
import type { CommandContext } from "../../bot/command.ts";
import { cutShort } from "../../bot/nearest.ts";
import type { Options } from "../../bot/options/options.ts";
import { type Block, details, table, type Table } from "../../reply/block.ts";
import type { Scene } from "../../reply/chart.ts";
import { type Ask, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { text, time } from "../../reply/text.ts";
import { formatDuration, fromMillis, type Milliseconds, SECOND, type Stretch } from "../../units/time.ts";
import { destinationKey } from "../../alerts/destination.ts";
import { isAlive } from "../../alerts/route/subscription.ts";
import { isAuctionMode } from "../../api/model/market.ts";
import { formatDecimal, parseDecimal, readPlaces, roundDecimal } from "../../units/decimal.ts";
import { destinationHere } from "../alerts/destination.ts";
import type { HistoryName } from "../../api/histories.ts";

export type ChartContext = Pick<
  CommandContext<Options>,
  "network" | "past" | "signal" | "api" | "alerts" | "here" | "caller" | "platforms" | "seen"
>;

/** What pictures of looks are made of. */
export interface LooksContext extends Pick<ChartContext, "network" | "past" | "signal"> {
  readonly api: { readonly nodes: readonly { readonly name: string }[] };
  readonly alerts: Pick<ChartContext["alerts"], "config">;
}

/** The time that a picture shows, in the zone of whoever asks. */
export interface ChartSpan extends Stretch {
  readonly zone: string;
}

/** A scene, and the numbers in it. */
export interface Picture {
  readonly scene: Scene;
  readonly numbers: readonly Table[];
}

/** Rows of the numbers beside a line. */
const ROWS = 48;

type Drawn = Scene["lines"][number];

/** One line of a picture, and its numbers. */
export class KeptLine {
  readonly name: string;
  readonly #fine: ThinLine;
  readonly #coarse: ThinLine;
  /** The first and the last value, the least and the greatest. */
  readonly values: { first?: string; last?: string; least?: number; most?: number } = {};

  constructor(name: string, span: Stretch) {
    [this.name, this.#fine, this.#coarse] = [name, new ThinLine(span), new ThinLine(span, ROWS)];
  }

  add(at: Milliseconds, value: number, until: Milliseconds, exact?: string): void {
    const { from, to } = this.#fine.span;
    if (!Number.isFinite(value) || at < from || at > to) return;
    this.#fine.add(at, value, until, exact);
    this.#coarse.add(at, value, until, exact);
    const { values } = this;
    values.first ??= exact ?? String(value);
    values.last = exact ?? String(value);
    values.least = Math.min(values.least ?? value, value);
    values.most = Math.max(values.most ?? value, value);
  }

  get drawn(): Drawn {
    return { name: this.name, runs: this.#fine.runs() };
  }

  get rows(): ReturnType<ThinLine["rows"]> {
    return this.#coarse.rows();
  }
}

/** A name that somebody else gave, as the title of a picture has it: it leaves room for what happened. */
export function nameInTitle(name: string): string {
  return cutShort(name, 24);
}

/** What a scene has where nothing is said of it. */
export const NO_SCENE = { lanes: [], lines: [], thresholds: [], bands: [], marks: [] } as const;

/** The lowest and the highest value in each part of the time. */
export function lineNumbers(name: string, lines: readonly KeptLine[], words: (exact: string) => string): Table {
  const rows = lines.map((line) => new Map(line.rows.map((row) => [row.at, row])));
  const moments = [...new Set(rows.flatMap((one) => [...one.keys()]))].toSorted((a, b) => a - b);
  return table({
    name,
    title: text`Lowest and highest`,
    rows: moments,
    columns: [
      ["From", (at) => time(fromMillis(at))],
      ...lines.flatMap(({ name: of }, index) => {
        const shown = of.slice(0, 1).toUpperCase() + of.slice(1);
        const cell = (at: Milliseconds, which: "least" | "most"): string => {
          const extreme = rows[index]?.get(at)?.[which];
          return extreme === undefined ? "–" : words(extreme.text);
        };
        return [
          [shown, (at: Milliseconds) => cell(at, "least"), "right"] as const,
          ["to", (at: Milliseconds) => cell(at, "most"), "right"] as const,
        ];
      }),
    ],
    fold: 0,
  });
}

/** `1.2 s`, `14 min`: a span with a part of a second where that counts. */
export function shortSpan(millis: Milliseconds): string {
  return millis >= SECOND && millis < 10 * SECOND
    ? `${Number((millis / SECOND).toFixed(1))} s`
    : formatDuration(millis, millis < 3_600_000 ? 1 : 2);
}

export function spanText(exact: string): string {
  return shortSpan(Number(exact));
}

/** A picture as an answer, with buttons for other times. */
export function chartReply({ scene, numbers }: Picture, ask: Ask, spans: readonly string[]): Reply {
  const chart: Block = { kind: "chart", scene, alt: altText(scene) };
  const { command, options } = ask;
  return reply({
    title: scene.title,
    zone: scene.zone,
    blocks: [chart, ...details(numbers)],
    actions: [
      ...spans.map((last) => commandAction(last, command, { ...options, last }, "replace")),
      { label: "Refresh", invocation: ask, effect: "replace" },
    ],
  });
}

/** What is kept of a market is what changed: values hold until another look says otherwise. */
interface Held {
  price?: string;
  bound?: string;
  side?: string;
  mode?: string;
}

const FACTS = {
  price: ["price"],
  bound: ["nearest", "bound"],
  side: ["nearest", "side"],
  mode: ["tradingMode"],
} as const;
const MAX_BANDS = 40;
const MAX_LIMITS = 4;

/** A market's price, its bound while that is the nearest one, its auctions and such limits; undefined where nothing is kept of it. */
export async function marketPicture(
  { network, past, signal }: Pick<LooksContext, "network" | "past" | "signal">,
  span: ChartSpan,
  market: { readonly id: string; readonly label: string },
  limits: Scene["thresholds"],
): Promise<Picture | undefined> {
  const price = new KeptLine("mark price", span);
  // The other bound is not kept: one line would leap from side to side.
  const bounds = { lower: new KeptLine("lower bound", span), upper: new KeptLine("upper bound", span) };
  const auctions: { from: Milliseconds; to: Milliseconds }[] = [];
  let held: Held = {};
  let run: unknown;
  for await (const part of past({ network, watcher: "markets", ...span }, signal)) {
    const facts = Object.entries(FACTS).map(([name, place]) => ({
      name: name as keyof Held,
      fact: part.facts("markets", market.id, ...place),
    }));
    for (let look = 0; look < part.size; look += 1) {
      if (part.run(look) !== run) held = {};
      run = part.run(look);
      for (const { name, fact } of facts) {
        const said = fact.at(look);
        if (typeof said === "string") held[name] = said;
        else if (said === null) delete held[name];
      }
      const [from, to] = [part.from(look), part.to(look)];
      if (held.price !== undefined) price.add(from, Number(held.price), to, held.price);
      const bound = held.side === "upper" ? bounds.upper : bounds.lower;
      if (held.bound !== undefined) bound.add(from, Number(held.bound), to, held.bound);
      if (!isAuctionMode(held.mode) || to < span.from) continue;
      const last = auctions.at(-1);
      if (last !== undefined && last.to >= from) last.to = to;
      else auctions.push({ from, to });
    }
  }
  const { first, last } = price.values;
  if (first === undefined || last === undefined) return undefined;
  const known = [bounds.lower, bounds.upper].filter(({ values }) => values.last !== undefined);
  const inAuction = auctions.reduce((sum, { from, to }) => sum + Math.min(to, span.to) - Math.max(from, span.from), 0);
  const scene: Scene = {
    ...NO_SCENE,
    ...span,
    title: `${nameInTitle(market.label)} ${moveWords(first, last)}${inAuction === 0 ? "" : `, ${formatDuration(inAuction)} in auction`}`,
    unit: "number",
    ...withBounds(price, known),
    thresholds: limits,
    bands: auctions.slice(-MAX_BANDS).map((one) => ({ ...one, name: "auction" })),
  };
  return { scene, numbers: [lineNumbers("chart-market", [price, ...known], priceWords)] };
}

/** The price and its bounds beside it; what is too far off is said. */
function withBounds(price: KeptLine, known: readonly KeptLine[]): Pick<Scene, "lines" | "note"> {
  const near = known.map(({ drawn }) => besidePrice(drawn, price.values));
  const beyond = known.flatMap(({ name, values }, at) =>
    near[at]?.runs.length === 0 ? [`${name} ${priceWords(values.last ?? "")}`] : [],
  );
  return {
    ...(beyond.length === 0 ? {} : { note: `beyond the picture: ${beyond.join(", ")}` }),
    lines: [price.drawn, ...near.filter(({ runs }) => runs.length > 0)],
  };
}

/** As the market's answer says prices, unless that hides the move. */
function moveWords(first: string, last: string): string {
  const words = readWords(first) === readWords(last) && first !== last ? priceWords : readWords;
  return first === last ? `stayed at ${words(last)}` : `went from ${words(first)} to ${words(last)}`;
}

/** A line as far as it is near the range of the price, widened by half: further off it would flatten the price. */
function besidePrice({ name, runs }: Drawn, { least = 0, most = 0 }: KeptLine["values"]): Drawn {
  const room = (most - least) / 2;
  const near: (readonly [number, number])[][] = [];
  for (const run of runs) {
    let isOpen = false;
    for (const point of run) {
      const isNear = point[1] >= least - room && point[1] <= most + room;
      if (isNear && isOpen) near.at(-1)?.push(point);
      else if (isNear) near.push([point]);
      isOpen = isNear;
    }
  }
  return { name, runs: near };
}

function priceWords(exact: string): string {
  const parsed = parseDecimal(exact);
  return parsed === undefined ? exact : formatDecimal(parsed, { trim: false });
}

function readWords(exact: string): string {
  const parsed = parseDecimal(exact);
  return parsed === undefined ? exact : formatDecimal(roundDecimal(parsed, readPlaces(parsed)));
}

/** The prices at which this place is told. */
export async function ownLimits(context: ChartContext, market: string): Promise<Scene["thresholds"]> {
  const here = destinationKey(destinationHere(context));
  const own = (await context.alerts.subscriptions()).filter(
    (one) =>
      isAlive(one) &&
      destinationKey(one.destination) === here &&
      one.network === context.network &&
      one.subjects.includes(market),
  );
  return own.flatMap(({ parameters }) => limitsOf(parameters["market.price"])).slice(0, MAX_LIMITS);
}

/** The limits of a price among the parameters of a rule. */
export function limitsOf(parameters: Readonly<Record<string, string | number>> = {}): Scene["thresholds"] {
  return ["high", "low"].flatMap((which) => {
    const value = parameters[which];
    return value === undefined ? [] : [{ name: `${which} ${priceWords(String(value))}`, value: Number(value) }];
  });
}

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
