// Scenes for pictures, made of kept looks. This module holds what they share: lines, the numbers beside a picture, the
// reply. network-chart.ts draws nodes in lanes, pace-charts.ts blocks and lists, market-chart.ts a market, stake-chart.ts
// a stake, alert-chart.ts what an alert was about.
import { altText } from "../../chart/alt.ts";
import { type Span, ThinLine } from "../../chart/thin.ts";
import type { CommandContext } from "../../bot/command.ts";
import { cutShort } from "../../bot/nearest.ts";
import type { Options } from "../../bot/options/options.ts";
import { type Block, details, table, type Table } from "../../reply/block.ts";
import type { Scene } from "../../reply/chart.ts";
import { commandAction, type Ask, reply, type Reply } from "../../reply/reply.ts";
import { text, time } from "../../reply/text.ts";
import { formatDuration, fromMillis, type Milliseconds } from "../../units/time.ts";

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
export interface ChartSpan extends Span {
  readonly zone: string;
}

/** A scene, and the numbers in it. */
export interface Picture {
  readonly scene: Scene;
  readonly numbers: readonly Table[];
}

/** Rows of the numbers beside a line. */
const ROWS = 48;
const SECOND: Milliseconds = 1000;

/** One line of a picture, and its numbers. */
export class KeptLine {
  readonly name: string;
  readonly #fine: ThinLine;
  readonly #coarse: ThinLine;
  /** The first and the last value, the least and the greatest. */
  readonly values: { first?: string; last?: string; least?: number; most?: number } = {};

  constructor(name: string, span: Span) {
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

  get drawn(): Scene["lines"][number] {
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
