import type { Kysely } from "kysely";

/** What happens in a halt joins its message by the network, no longer by the episode of the halt. */
export async function haltKeys(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<{ alert_deliveries: { join_key: string | null } }>;
  const rows = await db
    .selectFrom("alert_deliveries")
    .select("join_key")
    .distinct()
    .where("join_key", "like", "story %")
    .execute();
  for (const { join_key } of rows) {
    const [, network = ""] = join_key?.split("|") ?? [];
    await db
      .updateTable("alert_deliveries")
      .set({ join_key: `halt ${network}` })
      .where("join_key", "=", join_key)
      .execute();
  }
}
