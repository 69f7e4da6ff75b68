import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { fromMillis, type Milliseconds } from "../../units/time.ts";
import { enqueue } from "../deliver/outbox/outbox.ts";
import { messagesOf } from "../deliver/outbox/queries.ts";
import { type AlertDependencies, nowMillis, randomId } from "../dependencies.ts";
import { type Destination, destinationFromKey, destinationKey } from "../destination.ts";
import { timeToText } from "../judge/kinds/kind.ts";
import { AlertMessage, type Over } from "../message/message.ts";
import { silenceEnds, silenceRow, parseSilence } from "../route/silence.ts";
import { tryNow } from "../route/suspension.ts";

/** A message to a channel about a change, added to the outbox in the transaction that stores the change. */
export interface Announcement {
  readonly destination: Destination;
  readonly message: AlertMessage;
}

type OutboxDependencies = Pick<AlertDependencies, "clock" | "newId">;

/**
 * Adds announcements to the outbox, and returns the deliveries that offer to undo a change. `threads`: of destinations
 * whose message belongs into a thread, the delivery that begins it.
 */
export async function owe(
  { clock, newId = randomId }: OutboxDependencies,
  tables: AlertTables,
  announced: readonly Announcement[],
  threads: ReadonlyMap<string, string> = new Map(),
): Promise<readonly string[]> {
  const deliveries = announced.map(({ destination, message }) => {
    const threadOf = threads.get(destinationKey(destination));
    return {
      id: newId(),
      destination,
      phase: "bot",
      message: AlertMessage.parse(message),
      ...(threadOf === undefined ? {} : { threadOf }),
    } as const;
  });
  const at = nowMillis(clock);
  await enqueue(tables, { deliveries }, at);
  // Somebody waits for the answer: what waits there shows whether it can be reached by now.
  const keys = announced.map(({ destination }) => destinationKey(destination));
  if (keys.length > 0) await tryNow(tables, keys, at);
  return deliveries.flatMap(({ id, message }) => (offersUndo(message) ? [id] : []));
}

function offersUndo(message: AlertMessage): boolean {
  return message.type === "change" && (message.change.what === "silenced" || message.change.what === "paused");
}

/** Lets the messages of these deliveries, which offer to undo a change, say what came of it; they lose the button. */
export async function closeOffers(
  { clock, newId = randomId }: OutboxDependencies,
  tables: AlertTables,
  offering: readonly string[],
  came: Pick<Over, "what" | "by">,
  when?: Milliseconds,
): Promise<void> {
  if (offering.length === 0) return;
  const at = nowMillis(clock);
  const over: Over = { ...came, at: timeToText(fromMillis(when ?? at)) };
  const deliveries = (await messagesOf(tables, offering)).flatMap(({ id, destination, message }) => {
    if (message.type !== "change" || message.change.what === "acknowledged") return [];
    const edit = { id: newId(), destination: destinationFromKey(destination), phase: "bot", edits: id } as const;
    return [{ ...edit, message: { ...message, change: { ...message.change, over } } }];
  });
  await enqueue(tables, { deliveries }, at);
}

/** Closes the offers to end silences that ended by themselves since a moment; returns how many silences these were. */
export async function closeEndedOffers(
  dependencies: OutboxDependencies,
  tables: AlertTables,
  since: Milliseconds,
  at: Milliseconds,
): Promise<number> {
  let closed = 0;
  for (const row of await tables.subscriptions.endedSilences(since, at)) {
    const { announced, ...silence } = parseSilence(row);
    if (announced === undefined) continue;
    closed += 1;
    await closeOffers(dependencies, tables, announced, { what: "ended" }, silenceEnds(silence));
    await tables.subscriptions.putSilence(silenceRow(silence));
  }
  return closed;
}
