import { atLeast, atMost, type Measured } from "../support/figure.ts";
import type { Messages } from "./messages.ts";
import { type Mistake, PROMPT, type Score, SCORED } from "../../src/main/traces/score.ts";
import { cellsOf, COLUMNS, lengthRows, quantile, seconds, table } from "../../src/main/traces/score-table.ts";
import type { SickNode } from "./sick-nodes.ts";
import { clockTime } from "./truth.ts";

/** The scores of several rules on network.stalled, and the part of halts told by length. */
export function ruleTables(scores: ReadonlyMap<string, Score>): string {
  const rows = [...scores].map(([name, score]) => [name, ...cellsOf(score.kinds["network.stalled"], score)]);
  return `${table([["rule", ...COLUMNS], ...rows])}\n\n${table(lengthRows(scores))}`;
}

/** What must hold, as figures; false alarms also over days that were all calm. */
export function scoreFigures(score: Score, calmer: Score): readonly Measured[] {
  const figures: Measured[] = [];
  for (const [liars, { due, told, delays }] of score.halts.entries()) {
    const which = liars === 0 ? "no liar" : "one liar";
    figures.push(inThousand(`verdicts: halts missed, ${which}`, due - told, due, 1));
    for (const poll of [5, 15] as const) {
      const all = delays[poll];
      const name = `verdicts: delay p99, ${which}, poll of ${poll} s`;
      const detail = `of ${all.length}, median ${seconds(quantile(all, 0.5))}`;
      const value = quantile(all, 0.99) / 1000;
      figures.push(
        all.length === 0 ? { name, skipped: "no such halt" } : atMost(name, value, PROMPT[poll] / 1000, "s", detail),
      );
    }
  }
  for (const kind of SCORED) {
    const { right, wrong, due, caught, ended, endedWrongly } = score.kinds[kind];
    figures.push(
      partOf(`verdicts: precision of ${kind}`, right, right + wrong, 0.98),
      partOf(`verdicts: recall of ${kind}`, caught, due, 0.95),
      inThousand(`verdicts: wrong ends of ${kind}`, endedWrongly, ended, ended < 1000 ? 0 : 1),
    );
  }
  const falseAlarms = SCORED.reduce((sum, kind) => sum + score.kinds[kind].calm + calmer.kinds[kind].calm, 0);
  const days = `in ${score.calmDays + calmer.calmDays} calm days`;
  figures.push(atMost("verdicts: false alarms in calm worlds", falseAlarms, 0, "", days));
  return figures;
}

function partOf(name: string, some: number, all: number, least: number): Measured {
  return all === 0 ? { name, skipped: "there was none" } : atLeast(name, some / all, least, "", `${some} of ${all}`);
}

function inThousand(name: string, some: number, all: number, most: number): Measured {
  if (all === 0) return { name, skipped: "there was none" };
  return atMost(name, (1000 * some) / all, most, "of 1,000", `${some} of ${all}`);
}

/** What each sick node did, in how many tries. */
export function sickTable(nodes: readonly SickNode[]): string {
  const rows = nodes.map(({ name, hidden, ended, invented, blinded }) => {
    const cells = [hidden, ended, invented, blinded].map((count) => (count === 0 ? "" : String(count)));
    return [name, ...cells, hidden + ended + invented === 0 ? "holds" : "FAILS"];
  });
  return table([["one sick node of three", "hides", "ends", "invents", "blinds", ""], ...rows]);
}

/** What one channel got, and for the incidents that cost it most. */
export function messageTable(days: readonly Messages[]): string {
  const incidents = days.flatMap((day) => day.incidents).toSorted((a, b) => b.messages - a.messages);
  const told = incidents.map(({ messages }) => messages).filter((count) => count > 0);
  const sum = (of: (day: Messages) => number): number => days.reduce((all, day) => all + of(day), 0);
  const head = ["days", "messages", "incidents", "told", "median of told", "p95", "max", "without an incident"];
  const figures = [
    days.length,
    sum((day) => day.messages),
    incidents.length,
    told.length,
    quantile(told, 0.5),
    quantile(told, 0.95),
    told[0] ?? 0,
    sum((day) => day.besides),
  ];
  const most = incidents.slice(0, 5).map(({ what, messages }) => `${messages} messages: ${what}`);
  return `${table([head, figures.map(String)])}\n${most.join("\n")}`;
}

/** Everything that went wrong, one line each; of one kind where that is given. */
export function explain(score: Score, kind: string): string {
  return score.mistakes
    .filter((one) => kind === "" || one.kind === kind)
    .map(({ world, at, kind: of, what, detail }: Mistake) => {
      const setting = `${world.nodes} nodes, poll ${world.poll / 1000} s`;
      return `${world.name} (${setting}) ${clockTime(at)} ${of} ${what}: ${detail}`;
    })
    .join("\n");
}
