import type { WithDatabase } from "./queries.ts";

/** The source of a database's alerts, subscriptions and ids: the embedded simulator, or configured networks. */
export type Origin = "simulated" | "configured";

export const ORIGIN_MARK = "origin";

export function asOrigin(value: unknown): Origin | undefined {
  return value === "simulated" || value === "configured" ? value : undefined;
}

/** Facts about the database itself. */
export interface Marks {
  /** Undefined for a database that has no mark yet. */
  origin(): Promise<Origin | undefined>;
  /** Marks the origin of a database that has no mark yet. */
  markOrigin(origin: Origin): Promise<void>;
}

export function createMarks(withDatabase: WithDatabase): Marks {
  return {
    async origin() {
      const row = await withDatabase((db) =>
        db.selectFrom("database_marks").select("value").where("name", "=", ORIGIN_MARK).executeTakeFirst(),
      );
      return asOrigin(row?.value);
    },
    async markOrigin(origin) {
      await withDatabase((db) =>
        db
          .insertInto("database_marks")
          .values({ name: ORIGIN_MARK, value: origin })
          .onConflict((conflict) => conflict.column("name").doNothing())
          .execute(),
      );
    },
  };
}
