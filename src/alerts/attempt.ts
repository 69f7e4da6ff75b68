import type { Clock } from "../api/clock.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/duration.ts";
import { aboutOf } from "./about.ts";
import type { Claimed } from "./claim.ts";
import { nowMillis } from "./engine-parts.ts";
import type { AlertMessage } from "./message.ts";
import { SendError, type Delivery, type Receipt } from "./sender.ts";
import type { Outcome } from "./settle.ts";
import type { OnStep } from "./steps.ts";
import { isMerged, type Wording } from "./wording.ts";

export interface AttemptParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Pure and total. */
  readonly describe: (message: AlertMessage, wording: Wording) => Reply;
  readonly onStep?: OnStep;
  /** A try that takes longer has an unknown outcome. Default 20 s. */
  readonly tryMillis?: Milliseconds;
}

/** What a try that has ended aborts its own waiting with. */
const ENDED = new DOMException("This try has ended.", "AbortError");

/** One try to send what was claimed. Never rejects: a failure is an outcome. Aborting `leave` gives it up. */
export async function attempt(
  parts: AttemptParts,
  claimed: Claimed,
  message: AlertMessage,
  leave: AbortSignal,
): Promise<Outcome> {
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
    ended.abort(ENDED);
  }
}

async function send(
  parts: Pick<AttemptParts, "describe" | "log">,
  claimed: Claimed,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const { row, sender, destination, mention, quiet, threadOf, edits, told, repeat } = claimed;
  const reply = worded(parts, message, {
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
    about: aboutOf(message, row.phase),
  };
  return sender.send(delivery, reply, signal);
}

/** A message that cannot be worded is a bug, which no repetition mends. */
function worded(
  { describe, log }: Pick<AttemptParts, "describe" | "log">,
  message: AlertMessage,
  wording: Wording,
): Reply {
  try {
    return describe(message, wording);
  } catch (thrown) {
    log.error({ err: thrown, type: message.type }, "an alert cannot be worded");
    throw new SendError("unhealable", "it cannot be worded", { cause: thrown });
  }
}
