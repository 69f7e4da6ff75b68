import type { AlertTables, HeldRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Choices } from "./choices.ts";
import { AlertMessage } from "./message.ts";
import type { OwedBook } from "./owed.ts";
import { destinationKey, StoredDestination } from "./subscription.ts";

/** Makes one digest for each destination and network of what waited for quiet hours to end. */
export async function releaseHeld(
  tables: AlertTables,
  choices: Choices,
  at: Milliseconds,
  newId: () => string,
  book: OwedBook,
): Promise<void> {
  const held = await tables.backlog.release(at);
  if (held.length === 0) return;
  const rows = await tables.outbox.messages([...new Set(held.map(({ message }) => message))]);
  const messages = new Map(rows.map(({ id, data }) => [id, AlertMessage.parse(JSON.parse(data))]));
  const lost = new Set(
    choices.subscriptions
      .filter(({ state }) => state === "retired")
      .map(({ destination }) => destinationKey(destination)),
  );
  for (const [destination, waiting] of Map.groupBy(held, (row) => row.destination)) {
    if (lost.has(destination)) {
      book.decisions.push({ what: "digest given up", destination, detail: "the destination is lost" });
      continue;
    }
    for (const [network, group] of Map.groupBy(waiting, (row) => networkOf(messages.get(row.message)))) {
      const digest = digestOf(network, group, messages);
      const [first] = group;
      if (digest === undefined || first === undefined) continue;
      const to = StoredDestination.parse(JSON.parse(first.data));
      book.deliveries.push({ id: newId(), destination: to, phase: "digest", message: digest });
    }
  }
}

function digestOf(
  network: string,
  group: readonly HeldRow[],
  messages: ReadonlyMap<string, AlertMessage>,
): AlertMessage | undefined {
  const said = group.flatMap((row) => messages.get(row.message) ?? []);
  const events = said.flatMap((message) => (message.type === "event" ? [message.event] : []));
  const episodes = said.flatMap((message) => (message.type === "condition" ? [message.episode] : []));
  if (events.length + episodes.length === 0) return undefined;
  const simulated = said.some((message) => message.simulated === true) ? { simulated: true as const } : {};
  return { type: "digest", ...simulated, reason: "quiet hours", network, events, episodes };
}

function networkOf(message: AlertMessage | undefined): string {
  if (message?.type === "event") return message.event.network;
  return message?.type === "condition" ? message.episode.network : "";
}
