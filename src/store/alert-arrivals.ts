import type { Kysely } from "kysely";

import type { DeliveredMessages } from "./alert-ports.ts";
import type { Schema } from "./schema.ts";

/** One destination's messages go one by one in the order of `seq`, so that none arrives before one that is behind it. */
export function createDeliveredMessages(db: Kysely<Schema>): DeliveredMessages {
  const arrived = (destination: string) =>
    db
      .selectFrom("alert_deliveries")
      .selectAll()
      .where("destination", "=", destination)
      .where("kind", "=", "message")
      .where("state", "=", "sent")
      // What the index of these says of itself.
      .where("settled_at", "is not", null);
  return {
    after: (destination, seq, limit) =>
      arrived(destination).where("seq", ">", seq).orderBy("seq").limit(limit).execute(),
    async last(destination, limit) {
      return (await arrived(destination).orderBy("seq", "desc").limit(limit).execute()).toReversed();
    },
    async rollingEdits(destination, since, limit) {
      const rows = await db
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("destination", "=", destination)
        .where("kind", "=", "edit")
        .where("phase", "=", "rolling")
        .where("state", "=", "sent")
        .where("settled_at", ">=", since)
        .orderBy("seq", "desc")
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
  };
}
