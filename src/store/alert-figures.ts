import type { Kysely } from "kysely";

import type { AlertCounts } from "./alert-ports.ts";
import type { Schema } from "./schema.ts";
import type { Milliseconds } from "../units/duration.ts";

/** How far back dead letters are counted, so that the count stands on an index and falls by itself. */
export const DEAD_LETTER_WINDOW: Milliseconds = 86_400_000;

/** How the alerts stand, as numbers. */
export async function countAlerts(db: Kysely<Schema>, at: Milliseconds): Promise<AlertCounts> {
  const count = db.fn.countAll<number>().as("count");
  const dead = await db
    .selectFrom("alert_deliveries")
    .select(["platform", count])
    .where("settled_at", ">=", at - DEAD_LETTER_WINDOW)
    .where("state", "=", "dead")
    .groupBy("platform")
    .orderBy("platform")
    .execute();
  const subscriptions = await db
    .selectFrom("alert_subscriptions")
    .select(["state", count])
    .groupBy("state")
    .orderBy("state")
    .execute();
  const held = await db.selectFrom("alert_held").select(count).executeTakeFirstOrThrow();
  return { dead, subscriptions, held: held.count };
}
