import type { Clock } from "../../../api/clock.ts";
import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { nowMillis, type OnStep } from "../../dependencies.ts";
import type { ClaimedDelivery } from "../outbox/claim.ts";
import { isOpen } from "../../judge/rules/episode.ts";
import { type DeliveryContext, deliverySubject, isMerged } from "../../message/delivery-subject.ts";
import type { AlertMessage } from "../../message/message.ts";
import type { DeliveryResult } from "../outbox/record.ts";
import { type Delivery, type Receipt, SendError } from "../../sender.ts";
import { incidentName } from "../../words/condition-words.ts";

export interface AttemptDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Wording from other tables takes a while. It may reject with SendError where it must be tried again. */
  readonly describe: (message: AlertMessage, context: DeliveryContext) => Reply | Promise<Reply>;
  readonly onStep?: OnStep;
  /** A receipt came after its attempt had ended. */
  readonly onLateReceipt?: (claimed: ClaimedDelivery, receipt: Receipt) => void;
  /** An attempt that takes longer has an unknown outcome. Default 20 s. */
  readonly attemptMillis?: Milliseconds;
}

/** A message with the file of an export takes as long as the file does. */
const EXPORT_ATTEMPT: Milliseconds = 900_000;

/** The abort reason of an attempt's timer. */
const ATTEMPT_ENDED = new DOMException("This attempt has ended.", "AbortError");

/** One attempt to send a claimed delivery. Never rejects: a failure is a result. Aborting `leave` abandons it. */
export async function attemptDelivery(
  dependencies: AttemptDependencies,
  claimed: ClaimedDelivery,
  leave: AbortSignal,
): Promise<DeliveryResult> {
  const { clock, onStep } = dependencies;
  const attemptMillis = claimed.message.type === "export" ? EXPORT_ATTEMPT : (dependencies.attemptMillis ?? 20_000);
  const ended = new AbortController();
  const late = clock
    .sleep(attemptMillis, ended.signal)
    .then(() => new SendError("maybe-sent", `no answer for ${attemptMillis} ms`))
    .catch(() => undefined);
  try {
    onStep?.("before sending");
    const abort = AbortSignal.any([leave, ended.signal]);
    const result = await Promise.race([send(dependencies, claimed, abort), late]);
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
  dependencies: Pick<AttemptDependencies, "describe" | "log" | "onLateReceipt">,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const { onLateReceipt } = dependencies;
  const {
    row,
    sender,
    message,
    destination,
    mention,
    quiet,
    threadOf,
    edits,
    triggeredAt,
    group,
    repeat,
    plain,
    outdated,
    twice,
    spent,
    growing,
    card,
  } = claimed;
  const link = card === undefined ? undefined : await sender.link?.(card, signal);
  const reply = await renderMessage(dependencies, message, {
    ...(isMerged(message, row) ? { merged: true } : {}),
    ...(repeat ? { repeat: true } : {}),
    ...withoutUndefined({ triggeredAt, group, growing, spent, card: link, plain, outdated, twice }),
  });
  if (edits !== undefined) {
    await sender.update(edits, reply, signal, plain, isOver(claimed) ? true : undefined);
    return undefined;
  }
  const about = deliverySubject(message, row.phase);
  const delivery: Delivery = {
    id: row.id,
    destination,
    ...(mention === undefined ? {} : { mention }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(row.urgency === 2 ? { urgent: true } : {}),
    ...(threadOf === undefined ? {} : { threadOf, ...threadName(message) }),
    about,
    ...(onLateReceipt === undefined ? {} : { onLateReceipt: (receipt: Receipt) => onLateReceipt(claimed, receipt) }),
    ...(plain === undefined ? {} : { plain }),
  };
  return sender.send(delivery, reply, signal);
}

/** Whether all alerts that a message says are over. */
function isOver({ message, group }: Pick<ClaimedDelivery, "message" | "group">): boolean {
  const own = message.type === "condition" ? [message.episode] : [];
  const episodes = group?.episodes ?? own;
  return episodes.length > 0 && !episodes.some((one) => isOpen(one));
}

/** A thread is named after its alert, whichever of its messages begins it. */
function threadName(message: AlertMessage): Pick<Delivery, "threadName"> {
  if (message.type === "condition") return { threadName: incidentName(message.episode) };
  if (message.type !== "change" || message.change.what !== "acknowledged") return {};
  return { threadName: incidentName(message.change.episode) };
}

/** A message that cannot be rendered is a bug: retries do not help, unless its wording asks for one. */
async function renderMessage(
  { describe, log }: Pick<AttemptDependencies, "describe" | "log">,
  message: AlertMessage,
  context: DeliveryContext,
): Promise<Reply> {
  try {
    return await describe(message, context);
  } catch (thrown) {
    if (thrown instanceof SendError) throw thrown;
    log.error({ err: thrown, type: message.type }, "alert not rendered");
    throw new SendError("unsendable", "it cannot be worded", { cause: thrown });
  }
}
