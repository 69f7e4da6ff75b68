import { createHash } from "node:crypto";

import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import { AlertMessage } from "../../message/message.ts";
import { parseJson } from "../../judge/kinds/kind.ts";

/** The id of a message by its content: equal messages are stored once. */
function messageId(data: string): string {
  return createHash("sha256").update(data).digest().subarray(0, 16).toString("base64url");
}

/** Collects messages to be stored, equal ones once. */
export class MessageCollector {
  readonly #byMessage = new Map<AlertMessage, string>();
  readonly #byId = new Map<string, string>();

  /** Returns the id under which the message will be stored. */
  add(message: AlertMessage): string {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const data = JSON.stringify(message);
    const id = messageId(data);
    this.#byMessage.set(message, id);
    this.#byId.set(id, data);
    return id;
  }

  rows(): { id: string; data: string }[] {
    return [...this.#byId].map(([id, data]) => ({ id, data }));
  }
}

/** What rows say, by the ids of messages. Those that this program cannot read are left out: nothing else waits for them. */
export async function readMessages(
  tables: AlertTables,
  saying: readonly { readonly message: string }[],
): Promise<ReadonlyMap<string, AlertMessage>> {
  const rows = await tables.outbox.messages([...new Set(saying.map(({ message }) => message))]);
  return new Map(
    rows.flatMap(({ id, data }) => {
      const parsed = AlertMessage.safeParse(parseJson(data));
      return parsed.success ? [[id, parsed.data] as const] : [];
    }),
  );
}
