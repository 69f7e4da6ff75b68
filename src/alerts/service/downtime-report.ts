import { z } from "zod";

import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { formatDuration, fromMillis, type Milliseconds } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { type AlertDependencies, nowMillis, randomId } from "../dependencies.ts";
import { parseJson, timeToText } from "../judge/kinds/kind.ts";
import { ALERT_KINDS, type AlertKind } from "../judge/kinds/kinds.ts";
import type { AlertMessage } from "../message/message.ts";
import { enqueue } from "../deliver/outbox/outbox.ts";
import { parseSubscription, type Subscription } from "../route/subscription.ts";
import { type Destination, destinationKey, tokenKey } from "../destination.ts";

export interface DowntimeReportDependencies extends Pick<AlertDependencies, "store" | "clock" | "onOwed" | "newId"> {
  readonly config: Pick<AlertsConfig, "poll">;
  readonly networks: readonly string[];
  /** The most frequent watcher: its last snapshot says until when the bot was up. */
  readonly watcher: string;
  /** Notified of every downtime: the operators, the console. */
  readonly always: readonly Destination[];
  readonly simulated: boolean;
}

/** Reports after a restart that the bot was down, and which events are therefore late. */
export type DowntimeReport = ReturnType<typeof createDowntimeReport>;

/** Stored under this name beside the watchers' snapshots, for no network. */
const SNAPSHOT_NAME = "away-report";
const StoredDowntime = z.object({
  /** Unix milliseconds. */
  from: z.number(),
  to: z.number(),
  told: z.boolean(),
});
type StoredDowntime = z.infer<typeof StoredDowntime>;

/** A restart takes some seconds, and needs no report. */
const MIN_DOWNTIME: Milliseconds = 30_000;
const MIN_MISSED_POLLS = 6;
/** The log's newest lines that are searched, of one network: a start writes some dozens. */
const MAX_LOG_LINES = 2000;

/**
 * Each downtime is reported once, also after a crash: it is stored before the first observation, and its report is
 * owed in the transaction that marks it as reported. The late events are those that the log has seen since.
 */
export function createDowntimeReport(dependencies: DowntimeReportDependencies) {
  const { store, clock, config, networks, watcher, always, simulated, newId = randomId } = dependencies;
  const minDowntime = Math.max(MIN_DOWNTIME, MIN_MISSED_POLLS * config.poll.time);

  return {
    /**
     * Stores a downtime that is long enough to report. Call it before the first observation, which overwrites the last
     * snapshot. Returns whether there is one to report, perhaps one that an earlier process stored.
     */
    async begin() {
      const at = nowMillis(clock);
      return store.transaction(async ({ alerts: tables }) => {
        const observed = await Promise.all(networks.map((network) => tables.watch.observedAts(network)));
        const last = Math.max(...observed.map((ats) => ats.get(watcher) ?? Number.NEGATIVE_INFINITY));
        const noted = await readDowntime(tables);
        const unreported = noted?.told === false ? noted : undefined;
        // The very first start ends no downtime.
        const wasDown = Number.isFinite(last) && at - last >= minDowntime;
        if (wasDown) await writeDowntime(tables, { from: unreported?.from ?? last, to: at, told: false }, at);
        return wasDown || unreported !== undefined;
      });
    },
    /**
     * Plans the report. Call it once every watcher has observed its network: only then are all late events known. The
     * report names the networks that could not be observed.
     */
    async finish(unseen: readonly string[] = []) {
      const at = nowMillis(clock);
      const owed = await store.transaction(async ({ alerts: tables }) => {
        const downtime = await readDowntime(tables);
        if (downtime === undefined || downtime.told) return 0;
        const seen = (await Promise.all(networks.map((one) => eventsSince(tables, one, downtime.to)))).flat();
        const subscriptions = (await tables.subscriptions.list()).map(parseSubscription);
        const common = {
          type: "away",
          ...(simulated ? { simulated: true as const } : {}),
          from: timeToText(fromMillis(downtime.from)),
          to: timeToText(fromMillis(downtime.to)),
        } as const;
        const deliveries = recipients(always, subscriptions, seen).map(({ destination, late, about }) => {
          const missing = unseen.filter((network) => about?.has(network) ?? true);
          const message: AlertMessage = {
            ...common,
            late: countsOf(late),
            ...(missing.length === 0 ? {} : { unseen: missing }),
          };
          return { id: newId(), destination, phase: "bot", message } as const;
        });
        const span = formatDuration(downtime.to - downtime.from);
        const count = deliveries.length;
        const where = `${count} ${count === 1 ? "destination" : "destinations"}`;
        const decisions = [{ what: "away", detail: `for ${span}; told at ${where}` }];
        await enqueue(tables, { deliveries, decisions }, at);
        await writeDowntime(tables, { ...downtime, told: true }, at);
        return count;
      });
      if (owed > 0) dependencies.onOwed?.();
    },
  };
}

async function readDowntime(tables: AlertTables): Promise<StoredDowntime | undefined> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined ? undefined : StoredDowntime.safeParse(parseJson(row.data)).data;
}

async function writeDowntime(tables: AlertTables, downtime: StoredDowntime, at: Milliseconds): Promise<void> {
  await tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify(downtime));
}

/** So many events of a kind that were found on a network. */
interface Late {
  readonly network: string;
  readonly kind: AlertKind;
  readonly count: number;
}

/** The events that were found on a network since then. */
async function eventsSince(tables: AlertTables, network: string, since: Milliseconds): Promise<Late[]> {
  const lines = await tables.log.read({ network, limit: MAX_LOG_LINES });
  return lines.flatMap(({ at, what, detail }) => {
    if (at < since || what !== "seen" || detail === null) return [];
    return detail
      .matchAll(/(\d+) ([a-z]+\.[a-z-]+)/gu)
      .flatMap(([, count, name]) => {
        const kind = ALERT_KINDS.find((one) => one === name);
        return kind === undefined ? [] : [{ network, kind, count: Number(count) }];
      })
      .toArray();
  });
}

/**
 * Who is notified, and of what: `always` of everything, a channel only of late events that it is subscribed to, and of their
 * networks (`about`).
 */
function recipients(always: readonly Destination[], subscriptions: readonly Subscription[], seen: readonly Late[]) {
  const place = (one: Destination): string => `${tokenKey(one)} ${one.channel}`;
  const notified = new Set(always.map(place));
  const channels = subscriptions.filter(
    ({ destination, state, personal }) => state === "active" && personal !== true && !notified.has(place(destination)),
  );
  const others = [...Map.groupBy(channels, ({ destination }) => destinationKey(destination)).values()].flatMap(
    (all) => {
      const late = seen.filter((one) =>
        all.some(({ network, kinds }) => network === one.network && kinds.includes(one.kind)),
      );
      const about = new Set(late.map(({ network }) => network));
      return all.slice(0, late.length === 0 ? 0 : 1).map(({ destination }) => ({ destination, late, about }));
    },
  );
  return [...always.map((destination) => ({ destination, late: seen, about: undefined })), ...others];
}

function countsOf(late: readonly Late[]): { kind: AlertKind; count: number }[] {
  return ALERT_KINDS.flatMap((kind) => {
    const count = late.reduce((sum, one) => sum + (one.kind === kind ? one.count : 0), 0);
    return count === 0 ? [] : [{ kind, count }];
  });
}
