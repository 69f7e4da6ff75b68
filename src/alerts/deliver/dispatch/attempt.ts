import type { Clock } from "../../../api/clock.ts";
import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { type Attachment, disposeReply, type Reply } from "../../../reply/reply.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { nowMillis, type OnStep } from "../../dependencies.ts";
import type { ClaimedDelivery } from "../outbox/claim.ts";
import { type Episode, isOpen } from "../../judge/rules/episode.ts";
import { type DeliveryContext, deliverySubject, isMerged } from "../../message/delivery-subject.ts";
import type { AlertMessage } from "../../message/message.ts";
import { arrivedRevision, type DeliveryResult } from "../outbox/record.ts";
import { type AddPicture, type Delivery, type Receipt, SendError } from "../../sender.ts";
import { happening } from "../../words/condition-words.ts";

export interface AttemptDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Wording from other tables takes a while. It may reject with SendError where it must be tried again. */
  readonly describe: (message: AlertMessage, context: DeliveryContext) => Reply | Promise<Reply>;
  /** Draws an alert in a zone; undefined where nothing is kept of it, or it failed and that is logged. */
  readonly draw?: ((episode: Episode, zone: string) => Promise<Attachment | undefined>) | undefined;
  readonly onStep?: OnStep;
  /** A receipt came after its attempt had ended. */
  readonly onLateReceipt?: (claimed: ClaimedDelivery, receipt: Receipt) => void;
  /** The words of a message have arrived, and the attempt goes on with its files. */
  readonly onPosted?: (result: DeliveryResult) => void;
}

/** How long the file of an export may take, which is large: to be packed, and then to be sent. */
const EXPORT_ATTEMPT: Milliseconds = 900_000;
/** An attempt whose words take longer has an unknown outcome. */
const WORDS_ATTEMPT: Milliseconds = 20_000;
/** How long other files may take after the words. */
const FILES_ATTEMPT: Milliseconds = 60_000;

/** How long a picture may take: to be drawn, and to arrive. */
const PICTURE_ATTEMPT: Milliseconds = 30_000;

/** The abort reason of an attempt's timer. */
const ATTEMPT_ENDED = new DOMException("This attempt has ended.", "AbortError");
/** The abort reason of the timer of its words. */
const WORDS_POSTED = new DOMException("The words have arrived.", "AbortError");

/** One attempt to send a claimed delivery. Never rejects: a failure is a result. Aborting `leave` abandons it. */
export async function attemptDelivery(
  dependencies: AttemptDependencies,
  claimed: ClaimedDelivery,
  leave: AbortSignal,
): Promise<DeliveryResult> {
  const { clock, onStep } = dependencies;
  const isExport = claimed.message.type === "export";
  const wordsMillis = isExport ? EXPORT_ATTEMPT : WORDS_ATTEMPT;
  const filesMillis = isExport ? EXPORT_ATTEMPT : FILES_ATTEMPT;
  /** What is left once the words have arrived: the files. */
  let left: Pick<DeliveryResult, "claimed" | "ofFiles" | "pictured"> = { claimed };
  const ended = new AbortController();
  const posted = new AbortController();
  const onPosted = (receipt?: Receipt): void => {
    if (ended.signal.aborted || posted.signal.aborted) return;
    posted.abort(WORDS_POSTED);
    const shown = arrivedRevision(claimed.row);
    left = { ...left, claimed: { ...claimed, row: { ...claimed.row, shown, revision: shown } }, ofFiles: true };
    const at = nowMillis(clock);
    dependencies.onPosted?.({
      claimed,
      at,
      filesUntil: at + filesMillis,
      ...(receipt === undefined ? {} : { receipt }),
    });
  };
  const late = async (): Promise<SendError | undefined> => {
    if (await passes(clock, wordsMillis, AbortSignal.any([ended.signal, posted.signal]))) {
      return new SendError("maybe-sent", `no answer for ${wordsMillis} ms`);
    }
    if (!(await passes(clock, filesMillis, ended.signal))) return undefined;
    return new SendError("retry", `its files took longer than ${filesMillis} ms`);
  };
  try {
    onStep?.("before sending");
    const abort = AbortSignal.any([leave, ended.signal]);
    const picture = pictureOf(dependencies, claimed, abort, (name) => (left = { ...left, pictured: name }));
    const result = await Promise.race([send(dependencies, claimed, abort, { onPosted, picture }), late()]);
    onStep?.("after sending");
    const at = nowMillis(clock);
    if (result instanceof SendError) return { ...left, error: result, at };
    // The receipt of words that have arrived is stored already.
    return result === undefined || left.ofFiles === true ? { ...left, at } : { claimed, receipt: result, at };
  } catch (thrown) {
    const error =
      thrown instanceof SendError ? thrown : new SendError("maybe-sent", messageOf(thrown), { cause: thrown });
    return { ...left, error, at: nowMillis(clock) };
  } finally {
    ended.abort(ATTEMPT_ENDED);
  }
}

/** Whether so much time passes before the signal. */
function passes(clock: Clock, millis: Milliseconds, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(millis, signal).then(
    () => true,
    () => false,
  );
}

/** What follows the words of a message. */
interface Following {
  readonly onPosted: (receipt?: Receipt) => void;
  readonly picture: AddPicture | undefined;
}

/** Adds the picture of an alert, where it is to have one. What fails, or takes too long, leaves the message as it is. */
function pictureOf(
  { clock, draw, log, onStep }: AttemptDependencies,
  { row, picture: wanted, plain }: ClaimedDelivery,
  leave: AbortSignal,
  onAdded: (name: string) => void,
): AddPicture | undefined {
  if (draw === undefined || wanted === undefined || plain === true) return undefined;
  const { episode, zone } = wanted;
  return async (put) => {
    const over = new AbortController();
    const signal = AbortSignal.any([leave, over.signal]);
    const add = async (): Promise<string | undefined> => {
      const drawn = await draw(episode, zone);
      onStep?.("picture drawn");
      return drawn === undefined || signal.aborted ? undefined : put(drawn, signal);
    };
    try {
      const name = await inTime(add(), { millis: PICTURE_ATTEMPT, clock, signal: leave }, () => {
        throw new Error(leave.aborted ? "the attempt has ended" : `it took longer than ${PICTURE_ATTEMPT} ms`);
      });
      if (name !== undefined) onAdded(name);
    } catch (thrown) {
      const { destination, id: delivery } = row;
      log.warn({ destination, delivery, episode: episode.id, why: messageOf(thrown) }, "picture not added");
    } finally {
      over.abort(ATTEMPT_ENDED);
    }
  };
}

async function send(
  dependencies: Pick<AttemptDependencies, "describe" | "log" | "onLateReceipt">,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
  following: Following,
): Promise<Receipt | undefined> {
  const { row, sender, message, triggeredAt, group, growing, spent, plain, outdated, twice, card } = claimed;
  const link = card === undefined ? undefined : await sender.link?.(card, signal);
  const merged = isMerged(message, row) ? (true as const) : undefined;
  const repeat = claimed.repeat ? (true as const) : undefined;
  const given = { merged, repeat, triggeredAt, group, growing, spent, card: link, plain, outdated, twice };
  const reply = await renderMessage(dependencies, message, withoutUndefined(given));
  try {
    return await sendReply(claimed, reply, signal, following, dependencies.onLateReceipt);
  } finally {
    await disposeReply(reply);
  }
}

async function sendReply(
  claimed: ClaimedDelivery,
  reply: Reply,
  signal: AbortSignal,
  { onPosted, picture }: Following,
  onLateReceipt: AttemptDependencies["onLateReceipt"],
): Promise<Receipt | undefined> {
  const { row, sender, message, destination, mention, quiet, threadOf, edits, plain, pictured } = claimed;
  if (edits !== undefined) {
    const { thread } = destination;
    const above = threadOf ?? (thread === undefined ? undefined : { ...edits, message: thread });
    const over = isOver(claimed) ? (true as const) : undefined;
    const how = withoutUndefined({ plain, over, threadOf: above, picture, pictured });
    await sender.update(edits, reply, signal, { ...how, onPosted });
    return undefined;
  }
  const delivery: Delivery = {
    id: row.id,
    destination,
    ...withoutUndefined({ mention, quiet, threadOf, plain, urgent: row.urgency === 2 ? (true as const) : undefined }),
    ...(threadOf === undefined ? {} : threadName(message)),
    about: deliverySubject(message, row.phase),
    onPosted,
    ...withoutUndefined({ picture }),
    ...(onLateReceipt === undefined ? {} : { onLateReceipt: (receipt: Receipt) => onLateReceipt(claimed, receipt) }),
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
  if (message.type === "condition") return { threadName: plainText(happening(message.episode)) };
  if (message.type !== "change" || message.change.what !== "acknowledged") return {};
  return { threadName: plainText(happening(message.change.episode)) };
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
