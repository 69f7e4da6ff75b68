import { z } from "zod";

import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { AlertTables, DeliveryRow, ReceiptRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { nowMillis, type OnStep } from "../dependencies.ts";
import type { Decision } from "../outbox/batch.ts";
import { type DeliveryContext, deliverySubject, isMerged, triggerDeliveryTime } from "../outbox/delivery-subject.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { StoredDestination } from "../routing/subscription.ts";
import { type Delivery, type Destination, type Receipt, type Sender, SendError } from "../sender.ts";
import type { PlatformSuspensions } from "../suspension/platform-suspension.ts";
import { resumePlatform, type SuspensionDependencies } from "../suspension/suspension.ts";

const DeliveryData = z.object({
  destination: StoredDestination,
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
});

/** A delivery that is marked as being sent, with everything needed to send it. */
export interface ClaimedDelivery {
  readonly row: DeliveryRow;
  readonly sender: Sender;
  readonly destination: Destination;
  readonly mention?: string;
  readonly quiet?: true;
  /** Of an edit: the message to edit. */
  readonly edits?: Receipt;
  readonly threadOf?: Receipt;
  /** When the trigger arrived, for the timeline of a resolve. */
  readonly triggeredAt?: Nanoseconds;
  /** It may have arrived, and the platform would not drop the repeat; of an edit: true of the edited message. */
  readonly repeat: boolean;
}

/**
 * Claims what is due for a sender, conditions first, and marks it as being sent: a crash from here on leaves its
 * outcome unknown. Returns undefined for a delivery that was due and is dropped: the one behind it may be due now.
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
  // The due ones include the urgent ones.
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
  const triggeredAt = await triggerDeliveryTime(tables, due);
  const window = sender.dropsRepeatsForMillis ?? 0;
  const [edited] = due.target === null ? [] : await tables.outbox.get([due.target]);
  return {
    row,
    sender,
    ...data,
    ...(edits === undefined ? {} : { edits: receiptOf(edits) }),
    ...(thread === undefined ? {} : { threadOf: receiptOf(thread) }),
    ...(triggeredAt === undefined ? {} : { triggeredAt }),
    // A message marked as a possible repeat keeps the mark when it is edited.
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
 * Merges a later escalation or resolve into a trigger that is still unsent, so that one message says both. Only if it
 * certainly is unsent: a platform that drops repeats by their id would drop the later message with it.
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
  const changes = later.filter((row) => row.phase !== "reminder" && row.phase !== "state");
  const last = changes.find((row) => row.phase === "resolve") ?? changes.at(-1);
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

/** A trigger merged with an escalation notifies like the escalation. */
function withNotificationOf(escalation: DeliveryRow, trigger: DeliveryRow): string {
  const { quiet: _quiet, mention: _mention, ...rest } = DeliveryData.parse(JSON.parse(trigger.data));
  const { quiet, mention } = DeliveryData.parse(JSON.parse(escalation.data));
  return JSON.stringify({ ...rest, quiet, mention });
}

const MERGED_PHASES: readonly string[] = ["escalation", "reminder", "resolve", "state"];

function receiptOf({ platform, channel, message }: ReceiptRow): Receipt {
  return { platform, channel, message };
}

export interface AttemptDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Pure and total. */
  readonly describe: (message: AlertMessage, context: DeliveryContext) => Reply;
  readonly onStep?: OnStep;
  /** An attempt that takes longer has an unknown outcome. Default 20 s. */
  readonly attemptMillis?: Milliseconds;
}

/** The result of one attempt. */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery;
  /** Absent for an edit that succeeded, too. */
  readonly receipt?: Receipt;
  readonly error?: SendError;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/** The abort reason of an attempt's timer. */
const ATTEMPT_ENDED = new DOMException("This attempt has ended.", "AbortError");

/** One attempt to send a claimed delivery. Never rejects: a failure is a result. Aborting `leave` abandons it. */
export async function attemptDelivery(
  dependencies: AttemptDependencies,
  claimed: ClaimedDelivery,
  message: AlertMessage,
  leave: AbortSignal,
): Promise<DeliveryResult> {
  const { clock, onStep, attemptMillis = 20_000 } = dependencies;
  const ended = new AbortController();
  const late = clock
    .sleep(attemptMillis, ended.signal)
    .then(() => new SendError("maybe-sent", `no answer for ${attemptMillis} ms`))
    .catch(() => undefined);
  try {
    onStep?.("before sending");
    const abort = AbortSignal.any([leave, ended.signal]);
    const result = await Promise.race([send(dependencies, claimed, message, abort), late]);
    onStep?.("after sending");
    const at = nowMillis(clock);
    if (result instanceof SendError) return { claimed, error: result, at };
    return { claimed, ...(result === undefined ? {} : { receipt: result }), at };
  } catch (thrown) {
    const error =
      thrown instanceof SendError ? thrown : new SendError("maybe-sent", messageOf(thrown), { cause: thrown });
    return { claimed, error, at: nowMillis(clock) };
  } finally {
    ended.abort(ATTEMPT_ENDED);
  }
}

async function send(
  dependencies: Pick<AttemptDependencies, "describe" | "log">,
  claimed: ClaimedDelivery,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const { row, sender, destination, mention, quiet, threadOf, edits, triggeredAt, repeat } = claimed;
  const reply = renderMessage(dependencies, message, {
    ...(isMerged(message, row) ? { merged: true } : {}),
    ...(repeat ? { repeat: true } : {}),
    ...(triggeredAt === undefined ? {} : { triggeredAt }),
  });
  if (edits !== undefined) {
    await sender.update(edits, reply, signal);
    return undefined;
  }
  const delivery: Delivery = {
    id: row.id,
    destination,
    ...(mention === undefined ? {} : { mention }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(threadOf === undefined ? {} : { threadOf }),
    about: deliverySubject(message, row.phase),
  };
  return sender.send(delivery, reply, signal);
}

/** A message that cannot be rendered is a bug: retries do not help. */
function renderMessage(
  { describe, log }: Pick<AttemptDependencies, "describe" | "log">,
  message: AlertMessage,
  context: DeliveryContext,
): Reply {
  try {
    return describe(message, context);
  } catch (thrown) {
    log.error({ err: thrown, type: message.type }, "alert not rendered");
    throw new SendError("permanent", "it cannot be worded", { cause: thrown });
  }
}

/** Each goes to another destination: one that hangs or fails says nothing about the token. */
const TRIALS_AT_ONCE = 5;
/** A dropped delivery proves nothing: the next ones are claimed instead, at most this often. */
const MAX_TRIAL_CLAIMS = 20;

/**
 * Claims a few trials on a platform that says that it accepts the token again; if nothing is due there, the platform
 * resumes at once.
 */
export async function claimTrial(
  tables: AlertTables,
  { sender, at }: { readonly sender: Sender; readonly at: Milliseconds },
  suspensions: PlatformSuspensions,
  dependencies: SuspensionDependencies,
  decisions: Decision[],
): Promise<(ClaimedDelivery | undefined)[]> {
  for (let claims = 0; claims < MAX_TRIAL_CLAIMS; claims += 1) {
    const due = await claimDue(tables, sender, at, TRIALS_AT_ONCE, decisions);
    if (due.length === 0) {
      await resumePlatform(tables, suspensions, { platform: sender.platform, at }, dependencies, decisions);
      return [];
    }
    if (due.some((one) => one !== undefined)) return due;
  }
  return [];
}
