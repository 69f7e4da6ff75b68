import type { Kysely } from "kysely";

import { putRows } from "./queries.ts";
import type { Schema } from "./schema.ts";

/** The source of a database's alerts, subscriptions and ids: the embedded simulator, or configured networks. */
export type Origin = "simulated" | "configured";

export const ORIGIN_MARK = "origin";

export function asOrigin(value: unknown): Origin | undefined {
  return value === "simulated" || value === "configured" ? value : undefined;
}

/** Facts about the database itself. */
export type Marks = ReturnType<typeof createMarks>;

export function createMarks(db: Kysely<Schema>) {
  return {
    /** Undefined for a database that has no mark yet. */
    async origin() {
      const mark = db.selectFrom("database_marks").select("value").where("name", "=", ORIGIN_MARK);
      return asOrigin((await mark.executeTakeFirst())?.value);
    },

    /** Marks the origin of a database that has no mark yet. */
    async markOrigin(origin: Origin) {
      await db
        .insertInto("database_marks")
        .values({ name: ORIGIN_MARK, value: origin })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
    },
  };
}

/** What the holder of a duty leaves to whichever process has it next. */
export function createLegacies(db: Kysely<Schema>) {
  return {
    get: async (name: string) =>
      (await db.selectFrom("database_marks").select("value").where("name", "=", name).executeTakeFirst())?.value,
    put: (name: string, value: string) => putRows(db, "database_marks", { key: ["name"] }, [{ name, value }]),
  };
}
