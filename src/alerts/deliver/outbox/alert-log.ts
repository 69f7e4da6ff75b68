import type {
  AlertTables,
  DecisionRow,
  LogQuery,
  LoggedDelivery,
  ReceiptRow,
} from "../../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../../store/store.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { Decision } from "../../judge/judge.ts";
import { CHANGES } from "../../judge/rules/state-machine.ts";

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
export function createLogReader(store: Pick<Store, "transaction">) {
  const read = (positions: readonly LogPosition[]): Promise<LogEntry[]> =>
    store.transaction(({ alerts }) => entriesAt(alerts, positions));
  const positions = (of: LogQuery, take: number): Promise<LogPosition[]> =>
    store.transaction(({ alerts }) => newestPositions(alerts, of, take));
  return {
    /** How many entries there are, and whether there are more decisions or deliveries than are counted. */
    count: (of: LogQuery) =>
      store.transaction(async ({ alerts: { log } }) => {
        const { decisions, outcomes, ofEpisodes } = await log.counts(of);
        return { entries: decisions + outcomes + ofEpisodes, more: decisions >= of.within || outcomes >= of.within };
      }),
    /** Those from one position to another, counted from the newest, which is 0. */
    page: async (of: LogQuery, from: number, to: number) => read((await positions(of, to)).slice(from)),
    /** All of them in batches, newest first; each is read once it is asked for. */
    async *batches(of: LogQuery, size: number) {
      const all = await positions(of, Infinity);
      for (let from = 0; from < all.length; from += size) yield await read(all.slice(from, from + size));
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

async function entriesAt({ log, outbox }: AlertTables, positions: readonly LogPosition[]): Promise<LogEntry[]> {
  const parts = Map.groupBy(positions, ({ of }) => of === "decision");
  const seqsOf = (areDecisions: boolean): number[] => (parts.get(areDecisions) ?? []).map(({ seq }) => seq);
  const decided = new Map((await log.decisionsAt(seqsOf(true))).map((row) => [row.seq, row]));
  const delivered = new Map((await log.deliveriesAt(seqsOf(false))).map((row) => [row.seq, row]));
  const ids = [...delivered.values()].map(({ id }) => id);
  const receipts = new Map((await outbox.receipts(ids)).map((row) => [row.delivery, row]));
  return positions.flatMap(({ of, seq, at }): LogEntry[] => {
    const decision = decided.get(seq);
    const delivery = delivered.get(seq);
    if (of === "decision") return decision === undefined ? [] : [{ of, at, row: decision }];
    if (delivery === undefined) return [];
    return [of === "owed" ? { of, at, row: delivery } : { of, at, row: delivery, receipt: receipts.get(delivery.id) }];
  });
}

/** Of decisions about the state of an episode, which name no person and no place. They are kept for as long as it is. */
const LASTING: ReadonlySet<string> = new Set([...CHANGES, "withdrawn", "restarted", "calm"]);

function isLasting({ what, episode, destination, delivery }: Decision): boolean {
  return LASTING.has(what) && episode !== undefined && destination === undefined && delivery === undefined;
}

/** Adds decisions to the log. */
export async function logDecisions(
  tables: AlertTables,
  decisions: readonly Decision[],
  at: Milliseconds,
): Promise<void> {
  const none = { network: null, episode: null, destination: null, delivery: null, detail: null };
  await tables.log.add(decisions.map((one) => ({ ...none, ...one, at, lasting: isLasting(one) ? 1 : 0 })));
}
