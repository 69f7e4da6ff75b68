import { z } from "zod";

import type { Clock } from "../../api/clock.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { nowMillis, randomId } from "../dependencies.ts";
import { timeToText } from "../kinds/json-fields.ts";
import { ALERT_KINDS, type AlertKind } from "../kinds/kinds.ts";
import { OutboxBatch } from "../outbox/batch.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { writeBatch } from "../outbox/outbox.ts";
import { destinationKey, Subscription } from "../routing/subscription.ts";
import type { Destination } from "../sender.ts";

export interface DowntimeReportDependencies {
  readonly store: Pick<Store, "transaction">;
  readonly clock: Clock;
  readonly config: Pick<AlertsConfig, "poll">;
  readonly networks: readonly string[];
  /** The watcher that looks most often: its last snapshot says until when the bot was there. */
  readonly watcher: string;
  /** Told of every absence: the operators, the console. */
  readonly always: readonly Destination[];
  readonly simulated: boolean;
  /** Something is owed that may be due. */
  readonly onOwed?: () => void;
  /** Delivery ids: unique, at most 25 characters. */
  readonly newId?: () => string;
}

/** Says after a restart that the bot was away, and what is therefore told late. */
export interface DowntimeReport {
  /**
   * Notes an absence that mattered; before the first look, which wipes out its trace. Gives whether there is one to
   * report: this one, or one that an earlier process noted and did not come to tell.
   */
  begin(): Promise<boolean>;
  /**
   * Owes the report, once every watcher has looked: only then is it known what happened meanwhile. Networks of which
   * that is not so, since their nodes do not answer, are named in it.
   */
  finish(unseen?: readonly string[]): Promise<void>;
}

/** Under this name an absence is kept beside the watchers' snapshots, for no network. */
const SNAPSHOT_NAME = "away-report";
const StoredDowntime = z.object({
  /** Unix milliseconds. */
  from: z.number(),
  to: z.number(),
  told: z.boolean(),
});
type StoredDowntime = z.infer<typeof StoredDowntime>;

/** A restart takes some seconds, and nobody needs to hear of it. */
const MIN_DOWNTIME: Milliseconds = 30_000;
const MIN_MISSED_POLLS = 6;
/** The log's newest lines that are searched, of one network: a start writes some dozens. */
const MAX_LOG_LINES = 2000;

/**
 * Each absence is told once, whatever crashes when: it is kept before anything is looked at, and what is told of it is
 * owed in the transaction that notes it as told. What happened meanwhile is what the log has seen since.
 */
export function createDowntimeReport(parts: DowntimeReportDependencies): DowntimeReport {
  const { store, clock, config, networks, watcher, always, simulated, newId = randomId } = parts;
  const shortest = Math.max(MIN_DOWNTIME, MIN_MISSED_POLLS * config.poll.time);

  async function finish(unseen: readonly string[] = []): Promise<void> {
    const at = nowMillis(clock);
    const owed = await store.transaction(async ({ alerts: tables }) => {
      const kept = await readDowntime(tables);
      if (kept === undefined || kept.told) return 0;
      const seen = new Map(
        await Promise.all(networks.map(async (one) => [one, await eventsSince(tables, one, kept.to)] as const)),
      );
      const book = new OutboxBatch();
      const subscriptions = (await tables.subscriptions.list()).map(({ data }) => Subscription.parse(JSON.parse(data)));
      const common = {
        type: "away",
        ...(simulated ? { simulated: true as const } : {}),
        from: timeToText(fromMillis(kept.from)),
        to: timeToText(fromMillis(kept.to)),
      } as const;
      for (const { destination, late, about } of recipients(always, subscriptions, seen)) {
        const missing = unseen.filter((network) => about?.has(network) ?? true);
        const message: AlertMessage = {
          ...common,
          late: countsOf(late),
          ...(missing.length === 0 ? {} : { unseen: missing }),
        };
        book.deliveries.push({ id: newId(), destination, phase: "bot", message });
      }
      const span = formatDuration(kept.to - kept.from);
      const told = book.deliveries.length;
      const where = `${told} ${told === 1 ? "destination" : "destinations"}`;
      book.decisions.push({ what: "away", detail: `for ${span}; told at ${where}` });
      await writeBatch(tables, book, at, newId);
      await writeDowntime(tables, { ...kept, told: true }, at);
      return book.deliveries.length;
    });
    if (owed > 0) parts.onOwed?.();
  }

  return {
    async begin() {
      const at = nowMillis(clock);
      return store.transaction(async ({ alerts: tables }) => {
        const looks = await Promise.all(networks.map((network) => tables.watch.snapshot(network, watcher)));
        const last = Math.max(...looks.map((look) => look?.at ?? Number.NEGATIVE_INFINITY));
        const kept = await readDowntime(tables);
        const untold = kept?.told === false ? kept : undefined;
        // Nobody was away who has never been there.
        const absent = Number.isFinite(last) && at - last >= shortest;
        if (absent) await writeDowntime(tables, { from: untold?.from ?? last, to: at, told: false }, at);
        return absent || untold !== undefined;
      });
    },
    finish,
  };
}

async function readDowntime(tables: AlertTables): Promise<StoredDowntime | undefined> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined ? undefined : StoredDowntime.safeParse(JSON.parse(row.data)).data;
}

async function writeDowntime(tables: AlertTables, kept: StoredDowntime, at: Milliseconds): Promise<void> {
  await tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify(kept));
}

type Counts = ReadonlyMap<AlertKind, number>;

/** The events that were found on a network since then, by what they are. */
async function eventsSince(tables: AlertTables, network: string, since: Milliseconds): Promise<Counts> {
  const counts = new Map<AlertKind, number>();
  for (const { at, what, detail } of await tables.decisions.read({ network, limit: MAX_LOG_LINES })) {
    if (at < since) break;
    if (what !== "seen" || detail === null) continue;
    for (const [, count, kind] of detail.matchAll(/(\d+) ([a-z]+\.[a-z-]+)/gu)) {
      const known = ALERT_KINDS.find((one) => one === kind);
      if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + Number(count));
    }
  }
  return counts;
}

interface Recipient {
  readonly destination: Destination;
  readonly late: Map<AlertKind, number>;
  /** The networks that it has to do with; all where absent. */
  readonly about?: Set<string>;
}

/** Who is told, and of what: some of everything, a channel only where something that it takes came late. */
function recipients(
  always: readonly Destination[],
  subscriptions: readonly Subscription[],
  seen: ReadonlyMap<string, Counts>,
): readonly Recipient[] {
  const told = new Map<string, Recipient>();
  const place = ({ platform, channel }: Destination): string => `${platform} ${channel}`;
  const everything = new Map<AlertKind, number>();
  for (const counts of seen.values())
    for (const [kind, count] of counts) everything.set(kind, (everything.get(kind) ?? 0) + count);
  for (const destination of always) told.set(place(destination), { destination, late: everything });
  // Two subscriptions of one channel may take the same kind: it is counted once.
  const taken = new Set<string>();
  for (const { destination, network, kinds, state, personal } of subscriptions) {
    if (state !== "active" || personal === true || always.some((one) => place(one) === place(destination))) continue;
    for (const kind of kinds) {
      const count = seen.get(network)?.get(kind) ?? 0;
      const key = [destinationKey(destination), network, kind].join("|");
      if (count === 0 || taken.has(key)) continue;
      taken.add(key);
      const known = told.get(destinationKey(destination)) ?? { destination, late: new Map(), about: new Set() };
      told.set(destinationKey(destination), known);
      known.late.set(kind, (known.late.get(kind) ?? 0) + count);
      known.about?.add(network);
    }
  }
  return [...told.values()];
}

function countsOf(counts: Counts): { kind: AlertKind; count: number }[] {
  return ALERT_KINDS.flatMap((kind) => {
    const count = counts.get(kind) ?? 0;
    return count === 0 ? [] : [{ kind, count }];
  });
}
