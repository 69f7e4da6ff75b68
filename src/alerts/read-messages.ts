import type { AlertTables } from "../store/alert-ports.ts";
import { AlertMessage } from "./message.ts";

/** What messages say, by their ids. What this program cannot read is left out: it keeps nothing else waiting. */
export async function readMessages(
  tables: AlertTables,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AlertMessage>> {
  const rows = await tables.outbox.messages([...new Set(ids)]);
  return new Map(
    rows.flatMap(({ id, data }) => {
      const parsed = AlertMessage.safeParse(JSON.parse(data));
      return parsed.success ? [[id, parsed.data] as const] : [];
    }),
  );
}
