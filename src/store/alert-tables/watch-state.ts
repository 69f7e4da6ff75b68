import { type Kysely, sql } from "kysely";

import { inBatches, putRows, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { WatchState } from "./alert-tables.ts";

export function createWatchState(db: Kysely<Schema>): WatchState {
  const machines = () =>
    db.selectFrom("alert_machines").selectAll().orderBy("network").orderBy("rule").orderBy("subject");
  const episodes = () => db.selectFrom("alert_episodes").selectAll();
  return {
    snapshot: (network, watcher) =>
      db
        .selectFrom("watcher_snapshots")
        .select(["at", "data"])
        .where("network", "=", network)
        .where("watcher", "=", watcher)
        .executeTakeFirst(),
    async observedAt(network, watcher) {
      const row = await db
        .selectFrom("watcher_snapshots")
        .select("at")
        .where("network", "=", network)
        .where("watcher", "=", watcher)
        .executeTakeFirst();
      return row?.at;
    },
    putSnapshot: (network, watcher, at, data) =>
      putRows(db, "watcher_snapshots", { key: ["network", "watcher"], set: ["at", "data"] }, [
        { network, watcher, at, data },
      ]),
    machines: (network) =>
      machines()
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .execute(),
    machine: ({ rule, network, subject }) =>
      machines()
        .where("network", "=", network)
        .where("rule", "=", rule)
        .where("subject", "=", subject)
        .executeTakeFirst(),
    flapping: () =>
      machines()
        // In the very words of the partial index.
        .where(sql<boolean>`flapping = 1`)
        .execute(),
    putMachines: (rows) =>
      putRows(db, "alert_machines", { key: ["network", "rule", "subject"], set: ["flapping", "data"] }, rows),
    async dropMachines(rows) {
      for (const { rule, network, subject } of rows) {
        await db
          .deleteFrom("alert_machines")
          .where("network", "=", network)
          .where("rule", "=", rule)
          .where("subject", "=", subject)
          .execute();
      }
    },
    episode: (id) => episodes().where("id", "=", id).executeTakeFirst(),
    episodes: (ids) => selectInBatches(ids, (batch) => episodes().where("id", "in", batch).execute()),
    notificationRevisions: (ids) =>
      selectInBatches(ids, (batch) =>
        db
          .selectFrom("alert_episodes")
          .select(["id", "notification_revision"])
          .where("id", "in", batch)
          .orderBy("id")
          .execute(),
      ),
    openEpisodes: (network) =>
      episodes()
        .where("open", "=", 1)
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .orderBy("opened_at")
        .orderBy("id")
        .execute(),
    lastEpisodes: (limit, network) =>
      episodes()
        .$if(network !== undefined, (query) => query.where("network", "=", network ?? ""))
        .orderBy("opened_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    putEpisodes: (rows) => putRows(db, "alert_episodes", { key: ["id"], set: ["open", "data"] }, rows),
    notificationStates: (episodes, destination) =>
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
    async putNotificationStates(rows) {
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
