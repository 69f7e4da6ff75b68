import type { Kysely } from "kysely";

/** What waits at a place that cannot be reached waits for the next try of the place, no longer for a time of its own. */
export async function suspendedPlaces(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<EarlierTables>;
  const stored = await db
    .selectFrom("watcher_snapshots")
    .select("data")
    .where("network", "=", "")
    .where("watcher", "=", "refused-tokens")
    .executeTakeFirst();
  const suspensions = JSON.parse(stored?.data ?? "[]") as readonly { readonly destination?: Place }[];
  for (const { platform, workspace = "", channel, thread = "" } of suspensions.flatMap(
    (one) => one.destination ?? [],
  )) {
    await db
      .updateTable("alert_deliveries")
      .set((eb) => ({ run_at: eb.ref("owed_at") }))
      .where("destination", "=", [platform, workspace, channel, thread].map(encodeURIComponent).join("/"))
      .where("state", "=", "owed")
      .whereRef("run_at", ">", "owed_at")
      .execute();
  }
}

interface Place {
  readonly platform: string;
  readonly workspace?: string;
  readonly channel: string;
  readonly thread?: string;
}

interface EarlierTables {
  watcher_snapshots: { network: string; watcher: string; data: string };
  alert_deliveries: { destination: string; state: string; run_at: number; owed_at: number };
}
