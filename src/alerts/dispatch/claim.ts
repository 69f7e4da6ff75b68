import { z } from "zod";

import type { AlertTables, DeliveryRow, ReceiptRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../../units/nanoseconds.ts";
import type { Decision } from "../outbox/batch.ts";
import { StoredDestination } from "../routing/subscription.ts";
import type { Destination, Receipt, Sender } from "../sender.ts";

const DeliveryData = z.object({
  destination: StoredDestination,
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
});

/** A delivery that is to be sent now. */
export interface ClaimedDelivery {
  readonly row: DeliveryRow;
  readonly sender: Sender;
  readonly destination: Destination;
  readonly mention?: string;
  readonly quiet?: true;
  /** Of an edit: what to edit. */
  readonly edits?: Receipt;
  readonly threadOf?: Receipt;
  /** When the trigger arrived, for the story that a resolve tells. */
  readonly told?: Nanoseconds;
  /** It may have arrived already, and the platform would not notice; of an edit: so it was with what it edits. */
  readonly repeat: boolean;
}

/**
 * Takes what is due for a sender, news of conditions first: marks it as being sent, since from then on nobody knows
 * whether it arrived. Gives undefined for what was due and need not be sent any more: something behind it may be due in
 * its place.
 */
export async function claimDue(
  tables: AlertTables,
  sender: Sender,
  at: Milliseconds,
  limit: number,
  decisions: Decision[],
): Promise<(ClaimedDelivery | undefined)[]> {
  const taken = new Set<string>();
  const claimed: (ClaimedDelivery | undefined)[] = [];
  const urgent = await tables.outbox.urgent(sender.platform, at, limit);
  // What is due holds the urgent ones once more.
  const others = urgent.length < limit ? await tables.outbox.due(sender.platform, at, limit + urgent.length) : [];
  for (const due of [...urgent, ...others]) {
    if (claimed.length === limit) break;
    if (taken.has(due.destination)) continue;
    taken.add(due.destination);
    claimed.push(await claimOne(tables, sender, due, at, decisions));
  }
  const ids = claimed.flatMap((one) => (one === undefined ? [] : [one.row.id]));
  await tables.outbox.beginAttempts(ids, at);
  return claimed;
}

async function claimOne(
  tables: AlertTables,
  sender: Sender,
  due: DeliveryRow,
  at: Milliseconds,
  decisions: Decision[],
): Promise<ClaimedDelivery | undefined> {
  const edits = due.target === null ? undefined : (await tables.outbox.receipts([due.target]))[0];
  if (due.target !== null && edits === undefined) {
    await tables.outbox.update(due.id, { state: "dropped", settled_at: at, last_error: "its message was not sent" });
    return undefined;
  }
  const merged =
    due.phase === "trigger" && due.uncertain_since === null ? await mergeIntoTrigger(tables, due, at, decisions) : due;
  const row: DeliveryRow = { ...merged, state: "sending", attempts: due.attempts + 1, attempted_at: at };
  const { threadOf, ...data } = DeliveryData.parse(JSON.parse(merged.data));
  const thread = threadOf === undefined ? undefined : (await tables.outbox.receipts([threadOf]))[0];
  const told = await triggerDeliveryTime(tables, due);
  const window = sender.dropsRepeatsForMillis ?? 0;
  const [edited] = due.target === null ? [] : await tables.outbox.get([due.target]);
  return {
    row,
    sender,
    ...data,
    ...(edits === undefined ? {} : { edits: receiptOf(edits) }),
    ...(thread === undefined ? {} : { threadOf: receiptOf(thread) }),
    ...(told === undefined ? {} : { told }),
    // A message that said it may be a repeat goes on saying so.
    repeat: due.target === null ? isRepeat(due, at, window) : edited !== undefined && wasRepeat(edited, window),
  };
}

function isRepeat({ uncertain_since }: DeliveryRow, at: Milliseconds, window: Milliseconds): boolean {
  return uncertain_since !== null && at - uncertain_since >= window;
}

function wasRepeat(row: DeliveryRow, window: Milliseconds): boolean {
  return row.attempts > 1 && isRepeat(row, row.attempted_at ?? 0, window);
}

/**
 * A trigger that is still unsent when its escalation or its resolve has come says all of it at once. Only where it
 * certainly is unsent: a platform that drops repeats by their id would drop the news with it.
 */
async function mergeIntoTrigger(
  tables: AlertTables,
  trigger: DeliveryRow,
  at: Milliseconds,
  decisions: Decision[],
): Promise<DeliveryRow> {
  if (trigger.episode === null) return trigger;
  const later = (await tables.outbox.ofEpisode(trigger.episode, trigger.destination)).filter(
    (row) => row.state === "owed" && row.seq > trigger.seq && MERGED_PHASES.includes(row.phase),
  );
  const news = later.filter((row) => row.phase !== "reminder" && row.phase !== "state");
  const last = news.find((row) => row.phase === "resolve") ?? news.at(-1);
  if (last === undefined) return trigger;
  for (const row of later) {
    await tables.outbox.update(row.id, { state: "merged", settled_at: at, last_error: `said by ${trigger.id}` });
  }
  const phase = last.phase === "resolve" ? "fired and resolved" : trigger.phase;
  const data = last.phase === "escalation" ? withNotificationOf(last, trigger) : trigger.data;
  const about = { episode: trigger.episode, destination: trigger.destination, delivery: trigger.id };
  decisions.push({ what: "merged", ...about, detail: `with its ${last.phase}, which came before it was sent` });
  await tables.outbox.update(trigger.id, { message: last.message, phase, data });
  return { ...trigger, message: last.message, phase, data };
}

/** What has become critical meanwhile notifies whoever is to be notified of that. */
function withNotificationOf(escalation: DeliveryRow, trigger: DeliveryRow): string {
  const { quiet: _quiet, mention: _mention, ...rest } = DeliveryData.parse(JSON.parse(trigger.data));
  const { quiet, mention } = DeliveryData.parse(JSON.parse(escalation.data));
  return JSON.stringify({ ...rest, quiet, mention });
}

const MERGED_PHASES: readonly string[] = ["escalation", "reminder", "resolve", "state"];

/** When the trigger of what ends an episode arrived at the same destination. */
export async function triggerDeliveryTime(tables: AlertTables, row: DeliveryRow): Promise<Nanoseconds | undefined> {
  if (row.episode === null || (row.phase !== "resolve" && row.phase !== "state")) return undefined;
  const all = await tables.outbox.ofEpisode(row.episode, row.destination);
  const trigger = all.find((one) => one.kind === "message" && one.phase === "trigger");
  const receipt = trigger === undefined ? undefined : (await tables.outbox.receipts([trigger.id]))[0];
  return receipt === undefined ? undefined : fromMillis(receipt.at);
}

function receiptOf({ platform, channel, message }: ReceiptRow): Receipt {
  return { platform, channel, message };
}
