import type { Kysely } from "kysely";

const ABOUT = ["unacknowledged", "lost", "silences", "refused", "database"];

/** A message's type says that it is a notice; earlier ones stored what it is about there, and its facts beside it. */
export async function notices(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<{ alert_messages: { id: string; data: string } }>;
  for (const about of ABOUT) {
    const named = db.selectFrom("alert_messages").selectAll().where("data", "like", `%"type":"${about}"%`);
    for (const { id, data } of await named.execute()) {
      const { type, at, simulated, drill, ...facts } = JSON.parse(data) as Readonly<Record<string, unknown>>;
      if (type !== about) continue;
      const message = { type: "notice", simulated, drill, at, notice: { about, ...facts } };
      await db
        .updateTable("alert_messages")
        .set({ data: JSON.stringify(message) })
        .where("id", "=", id)
        .execute();
    }
  }
}
