import type { Kysely } from "kysely";

import type { AlertFigures } from "./alert-ports.ts";
import type { Schema } from "./schema.ts";
import type { Milliseconds } from "../units/duration.ts";

/** How far back dead letters are counted, so that the count stands on an index and falls by itself. */
export const FIGURES_BACK: Milliseconds = 86_400_000;

/** How the alerts stand, as numbers. */
export async function alertFigures(db: Kysely<Schema>, at: Milliseconds): Promise<AlertFigures> {
  const count = db.fn.countAll<number>().as("count");
  const dead = await db
    .selectFrom("alert_deliveries")
    .select(["platform", count])
    .where("settled_at", ">=", at - FIGURES_BACK)
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
