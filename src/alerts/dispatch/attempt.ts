import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis, type OnStep } from "../dependencies.ts";
import { type DeliveryContext, deliverySubject, isMerged } from "../outbox/delivery-subject.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { type Delivery, type Receipt, SendError } from "../sender.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { DeliveryResult } from "./record-result.ts";

export interface AttemptDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Pure and total. */
  readonly describe: (message: AlertMessage, wording: DeliveryContext) => Reply;
  readonly onStep?: OnStep;
  /** A try that takes longer has an unknown outcome. Default 20 s. */
  readonly tryMillis?: Milliseconds;
}

/** What a try that has ended aborts its own waiting with. */
const ATTEMPT_ENDED = new DOMException("This try has ended.", "AbortError");

/** One try to send what was claimed. Never rejects: a failure is an outcome. Aborting `leave` gives it up. */
export async function attemptDelivery(
  parts: AttemptDependencies,
  claimed: ClaimedDelivery,
  message: AlertMessage,
  leave: AbortSignal,
): Promise<DeliveryResult> {
  const { clock, onStep, tryMillis = 20_000 } = parts;
  const ended = new AbortController();
  const late = clock
    .sleep(tryMillis, ended.signal)
    .then(() => new SendError("maybe-sent", `no answer for ${tryMillis} ms`))
    .catch(() => undefined);
  try {
    onStep?.("before sending");
    const abort = AbortSignal.any([leave, ended.signal]);
    const result = await Promise.race([send(parts, claimed, message, abort), late]);
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
  parts: Pick<AttemptDependencies, "describe" | "log">,
  claimed: ClaimedDelivery,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const { row, sender, destination, mention, quiet, threadOf, edits, told, repeat } = claimed;
  const reply = renderMessage(parts, message, {
    ...(isMerged(message, row) ? { merged: true } : {}),
    ...(repeat ? { repeat: true } : {}),
    ...(told === undefined ? {} : { told }),
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

/** A message that cannot be worded is a bug, which no repetition mends. */
function renderMessage(
  { describe, log }: Pick<AttemptDependencies, "describe" | "log">,
  message: AlertMessage,
  wording: DeliveryContext,
): Reply {
  try {
    return describe(message, wording);
  } catch (thrown) {
    log.error({ err: thrown, type: message.type }, "an alert cannot be worded");
    throw new SendError("unhealable", "it cannot be worded", { cause: thrown });
  }
}
