import type {
  AlertTables,
  DecisionRow,
  LogQuery,
  LoggedDelivery,
  ReceiptRow,
} from "../../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../../store/store.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { Decision } from "../../judge/judge.ts";

/** A decision, a delivery that came to be owed, or the outcome of one. */
export type LogEntry =
  | { readonly of: "decision"; readonly at: Milliseconds; readonly row: DecisionRow }
  | { readonly of: "owed"; readonly at: Milliseconds; readonly row: LoggedDelivery }
  | {
      readonly of: "outcome";
      readonly at: Milliseconds;
      readonly row: LoggedDelivery;
      readonly receipt: ReceiptRow | undefined;
    };

/** Reads the log by pages, so that no more entries are read than shown, and in batches that yield to other work. */
export interface LogReader {
  /** How many entries there are, and whether there are more decisions or deliveries than are counted. */
  count(of: LogQuery): Promise<{ readonly entries: number; readonly more: boolean }>;
  /** Those from one position to another, counted from the newest, which is 0. */
  page(of: LogQuery, from: number, to: number): Promise<LogEntry[]>;
  /** All of them in batches, deliveries before decisions, either newest first; each is read once it is asked for. */
  batches(of: LogQuery, size: number): AsyncIterable<readonly LogEntry[]>;
}

export function createLogReader(store: Pick<Store, "transaction">): LogReader {
  return {
    count: (of) =>
      store.transaction(async ({ alerts: { log } }) => {
        const { decisions, outcomes, ofEpisodes } = await log.counts(of);
        return { entries: decisions + outcomes + ofEpisodes, more: decisions >= of.within || outcomes >= of.within };
      }),
    page: (of, from, to) =>
      store.transaction(async ({ alerts: tables }) => {
        const shown = (await newestPositions(tables, of, to)).slice(from);
        const seqs = shown.map(({ seq }) => seq);
        const decisions = await tables.log.decisionsAt(seqs);
        const deliveries = await tables.log.deliveriesAt(seqs);
        const receipts = await receiptsOf(tables, deliveries);
        const decided = new Map(decisions.map((row) => [row.seq, row]));
        const delivered = new Map(deliveries.map((row) => [row.seq, row]));
        return shown.flatMap(({ of: what, seq, at }): LogEntry[] => {
          const decision = decided.get(seq);
          const delivery = delivered.get(seq);
          if (what === "decision") return decision === undefined ? [] : [{ of: what, at, row: decision }];
          if (delivery === undefined) return [];
          if (what === "owed") return [{ of: what, at, row: delivery }];
          return [{ of: what, at, row: delivery, receipt: receipts.get(delivery.id) }];
        });
      }),
    async *batches({ within, destination }, size) {
      const isOwn = (row: DecisionRow): boolean =>
        destination === undefined || row.destination === null || row.destination === destination;
      let last: LoggedDelivery | undefined;
      for (let read = 0; read < within; read += size) {
        const take = Math.min(size, within - read);
        const before = last;
        const rows = await store.transaction(async ({ alerts: tables }) => {
          const deliveries = await tables.log.deliveriesBefore(before, take, destination);
          const receipts = await receiptsOf(tables, deliveries);
          return deliveries.map((row) => ({ row, receipt: receipts.get(row.id) }));
        });
        yield rows.flatMap(({ row, receipt }): LogEntry[] => {
          const outcome = { of: "outcome", at: row.settled_at ?? row.created_at, row, receipt } as const;
          return row.episode === null ? [outcome] : [outcome, { of: "owed", at: row.created_at, row }];
        });
        if (rows.length < take) break;
        last = rows.at(-1)?.row;
      }
      let decision: number | undefined;
      for (let read = 0; read < within; read += size) {
        const take = Math.min(size, within - read);
        const before = decision;
        const rows = await store.transaction(({ alerts }) => alerts.log.decisionsBefore(before, take));
        yield rows.filter(isOwn).map((row) => ({ of: "decision", at: row.at, row }) as const);
        if (rows.length < take) break;
        decision = rows.at(-1)?.seq;
      }
    },
  };
}

interface LogPosition {
  readonly of: LogEntry["of"];
  readonly at: Milliseconds;
  readonly seq: number;
}

/** The positions of the newest entries, newest first. */
async function newestPositions({ log }: AlertTables, of: LogQuery, take: number): Promise<LogPosition[]> {
  const decided = await log.decisions(of, take);
  // A delivery is owed before its outcome: the last outcomes include the last of the owed entries.
  const outcomes = await log.outcomes(of, take);
  const all: LogPosition[] = [];
  for (const { seq, at } of outcomes) all.push({ of: "outcome", at, seq });
  for (const { seq, created_at, of_episode } of outcomes) {
    if (of_episode === 1) all.push({ of: "owed", at: created_at, seq });
  }
  for (const { seq, at } of decided) all.push({ of: "decision", at, seq });
  return all.toSorted((a, b) => b.at - a.at).slice(0, take);
}

async function receiptsOf(
  { outbox }: AlertTables,
  deliveries: readonly LoggedDelivery[],
): Promise<ReadonlyMap<string, ReceiptRow>> {
  const receipts = await outbox.receipts(deliveries.map(({ id }) => id));
  return new Map(receipts.map((row) => [row.delivery, row]));
}

/** Adds decisions to the log. */
export async function logDecisions(
  tables: AlertTables,
  decisions: readonly Decision[],
  at: Milliseconds,
): Promise<void> {
  const none = { network: null, episode: null, destination: null, delivery: null, detail: null };
  await tables.log.add(decisions.map((one) => ({ ...none, ...one, at })));
}
