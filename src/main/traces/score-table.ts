import { LENGTHS, type KindScore, type Score, SCORED } from "./score.ts";

/** The titles of the cells that `cellsOf` gives. */
export const COLUMNS = [
  "alerts",
  "precision",
  "due",
  "recall",
  "delay p50",
  "p99",
  "wrong ends",
  "late",
  "false/calm year",
] as const;

/** The score of each kind of alert. */
export function kindTable(score: Score): string {
  return table([["kind", ...COLUMNS], ...SCORED.map((kind) => [kind, ...cellsOf(score.kinds[kind], score)])]);
}

/** The part of halts told by length, by the name of the rule that told them: the rows of a table. */
export function lengthRows(scores: ReadonlyMap<string, Score>): readonly (readonly string[])[] {
  const lengths = LENGTHS.map(([least, most]) => `${least} to ${most} s`);
  const halts = [...scores.values()][0]?.lengths.map((one) => String(one.halts)) ?? [];
  const told = [...scores].map(([name, score]) => [name, ...score.lengths.map((one) => part(one.told, one.halts))]);
  return [["halts told, by length", ...lengths], ["how many", ...halts], ...told];
}

/** What COLUMNS name, of one kind. */
export function cellsOf(score: KindScore, { calmDays }: Score): string[] {
  const { right, wrong, due, caught, delays, ended, endedWrongly, late, calm } = score;
  return [
    String(right + wrong),
    part(right, right + wrong),
    String(due),
    part(caught, due),
    seconds(quantile(delays, 0.5)),
    seconds(quantile(delays, 0.99)),
    `${endedWrongly} of ${ended}`,
    String(late),
    calmDays === 0 ? "–" : ((calm * 365) / calmDays).toFixed(1),
  ];
}

function part(some: number, all: number): string {
  return all === 0 ? "–" : (some / all).toFixed(3);
}

export function seconds(millis: number): string {
  return Number.isNaN(millis) ? "–" : `${(millis / 1000).toFixed(1)} s`;
}

/** Columns as wide as their cells, the first one to the left. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

/** The value below which so large a part of them is; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
