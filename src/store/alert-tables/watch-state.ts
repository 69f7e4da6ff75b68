import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, putRows, selectInBatches } from "../queries.ts";
import { putWithLook } from "./looks.ts";
import type { Schema } from "../schema.ts";
import type { EpisodeRow, MachineRow, NotificationStateRow } from "./alert-rows.ts";

/** Snapshots of watchers, state machines of conditions, episodes, and the destinations' notification states. */
export function createWatchState(db: Kysely<Schema>) {
  const machines = () =>
    db.selectFrom("alert_machines").selectAll().orderBy("network").orderBy("rule").orderBy("subject");
  const episodes = () => db.selectFrom("alert_episodes").selectAll();
  return {
    snapshot: (network: string, watcher: string) =>
      db
        .selectFrom("watcher_snapshots")
        .select(["at", "data"])
        .where((eb) => eb.and({ network, watcher }))
        .executeTakeFirst(),
    /** Those of all networks. */
    snapshots: () => db.selectFrom("watcher_snapshots").selectAll().orderBy("network").orderBy("watcher").execute(),
    /** The times of the snapshots of a network, by watcher. */
    async observedAts(network: string): Promise<ReadonlyMap<string, Milliseconds>> {
      const rows = await db
        .selectFrom("watcher_snapshots")
        .select(["watcher", "at"])
        .where("network", "=", network)
        .execute();
      return new Map(rows.map(({ watcher, at }) => [watcher, at]));
    },
    /** Puts it, and the look that it comes from at the end of the kept ones; without one, those stay as they are. */
    putSnapshot: (network: string, watcher: string, at: Milliseconds, data: string, look?: string) =>
      look === undefined
        ? putRows(db, "watcher_snapshots", { key: ["network", "watcher"], set: ["at", "data"] }, [
            { network, watcher, at, data },
          ])
        : putWithLook(db, { network, watcher, at, data }, look),
    /** Of all networks unless one is named. */
    machines: (network?: string) =>
      machines()
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .execute(),
    machine: ({ rule, network, subject }: Pick<MachineRow, "rule" | "network" | "subject">) =>
      machines()
        .where((eb) => eb.and({ network, rule, subject }))
        .executeTakeFirst(),
    /** The flapping ones of all networks. */
    flapping: () =>
      machines()
        // In the very words of the partial index.
        .where(sql<boolean>`flapping = 1`)
        .execute(),
    putMachines: (rows: readonly MachineRow[]) =>
      putRows(db, "alert_machines", { key: ["network", "rule", "subject"], set: ["flapping", "data"] }, rows),
    async dropMachines(rows: readonly Pick<MachineRow, "rule" | "network" | "subject">[]) {
      for (const { rule, network, subject } of rows) {
        await db
          .deleteFrom("alert_machines")
          .where((eb) => eb.and({ network, rule, subject }))
          .execute();
      }
    },
    episode: (id: string) => episodes().where("id", "=", id).executeTakeFirst(),
    /** Those of these episodes that are stored, in no order. */
    episodes: (ids: readonly string[]) =>
      selectInBatches(ids, (batch) => episodes().where("id", "in", batch).execute()),
    /** The notification revisions of those episodes that are still stored. */
    notificationRevisions: (ids: readonly string[]) =>
      selectInBatches(ids, (batch) =>
        db
          .selectFrom("alert_episodes")
          .select(["id", "notification_revision"])
          .where("id", "in", batch)
          .orderBy("id")
          .execute(),
      ),
    /** Of all networks unless one is named; oldest first. */
    openEpisodes: (network?: string) =>
      episodes()
        .where("bare", "=", 0)
        .where("open", "=", 1)
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .orderBy("opened_at")
        .orderBy("id")
        .execute(),
    /** The open ones of a network, and the last of a kind where it is among so many of the newest of all; oldest first. */
    openAndLast: (network: string, kind: string, among: number) =>
      episodes()
        .where((eb) => eb.and({ bare: 0, open: 1, network }))
        .union(lastEpisode(db, network, kind, among))
        .orderBy("opened_at")
        .orderBy("id")
        .execute(),
    /** Those that fired in a range of Unix milliseconds, both ends included, oldest first. */
    episodesBetween: (network: string, from: number, to: number, limit: number) =>
      episodes()
        .where("network", "=", network)
        .where("opened_at", ">=", from)
        .where("opened_at", "<=", to)
        .orderBy("opened_at")
        .orderBy("id")
        .limit(limit)
        .execute(),
    /** The last ones, newest first. */
    lastEpisodes: (limit: number) =>
      episodes().orderBy("opened_at", "desc").orderBy("id", "desc").limit(limit).execute(),
    putEpisodes: (rows: readonly EpisodeRow[]) =>
      putRows(
        db,
        "alert_episodes",
        { key: ["id"], set: ["open", "bare", "data"] },
        rows.map((row) => ({ ...row, bare: 0 })),
      ),
    /** At one destination, or at all. */
    notificationStates: (episodes: readonly string[], destination?: string) =>
      selectInBatches(episodes, (batch) =>
        db
          .selectFrom("alert_notification_states")
          .selectAll()
          .where("episode", "in", batch)
          .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
          .orderBy("episode")
          .orderBy("destination")
          .execute(),
      ),
    async putNotificationStates(rows: readonly NotificationStateRow[]) {
      await putRows(db, "alert_notification_states", { key: ["episode", "destination"], set: ["data"] }, rows);
      await inBatches([...new Set(rows.map(({ episode }) => episode))], (batch) =>
        db
          .updateTable("alert_episodes")
          .set((eb) => ({ notification_revision: eb("notification_revision", "+", 1) }))
          .where("id", "in", batch)
          .execute(),
      );
    },
  };
}

function lastEpisode(db: Kysely<Schema>, network: string, kind: string, among: number) {
  const newest = db.selectFrom("alert_episodes").selectAll().orderBy("opened_at", "desc").orderBy("id", "desc");
  const last = db
    .selectFrom(newest.limit(among).as("newest"))
    .selectAll()
    .where("network", "=", network)
    .where("id", "like", `${kind}%`)
    .orderBy("opened_at", "desc")
    .orderBy("id", "desc")
    .limit(1);
  return db.selectFrom(last.as("last")).selectAll();
}
