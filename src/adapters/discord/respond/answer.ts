import { setTimeout as sleep } from "node:timers/promises";

import { type APIDMChannel, RESTJSONErrorCodes, Routes } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { Invocation, Prepared } from "../../../bot/invocation.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { DiscordContext } from "../context.ts";
import { MAX_FILE_BYTES } from "../limits.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose, type ComposedMessage } from "../render/compose.ts";
import { errorForLog, hasErrorCode, isTransient } from "../transport/rest.ts";
import { uploadOf } from "../transport/upload.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { callerOf, isEphemeral, isShared, maxBytesOf, targetOf, type UserInteraction } from "./interaction.ts";
import { asLateAnswer, lateAnswerNotice, refusedAnswerNotice } from "./notices.ts";

/** How an answer appears. */
type AnswerPlacement =
  /** A message of its own, seen by whom the command says. */
  | "new"
  /** A message of its own, for the asker alone. */
  | "private"
  /** In place of the message whose button was pressed. */
  | "replace";

/** Runs a question and answers it on Discord, whatever comes. Rejects only when Discord cannot be reached at all. */
export async function answerCommand(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: UserInteraction,
  ask: Ask,
  place: AnswerPlacement,
): Promise<void> {
  const given = new AbortController();
  const signal = AbortSignal.any([desk.signal, given.signal]);
  const caller = callerOf(interaction);
  let acknowledged: Promise<void> = Promise.resolve();
  const progress = new ProgressEdits<Reply>(
    (latest) =>
      acknowledged.then(
        () => editProgress(desk, interaction, api, latest, signal),
        () => undefined,
      ),
    desk.progressEveryMillis,
  );
  const invocation: Invocation = {
    ...ask,
    here: targetOf(interaction),
    caller,
    signal,
    // A page stays as it is until the next one is there.
    ...(place === "replace" ? {} : { progress: (latest: Reply) => progress.show(latest) }),
  };
  const prepared = desk.bot.prepare(invocation);
  if (!prepared.ok) {
    await composeAndSend(desk, interaction, prepared.reply, { asker: caller.id }, (message) => api.reply(message));
    return;
  }
  const ephemeral =
    place === "private" || (place === "replace" ? isEphemeral(interaction) : prepared.visibility === "caller");
  acknowledged = place === "replace" ? api.deferUpdate() : api.defer(ephemeral);
  const late = setTimeout(() => {
    if (place !== "replace") progress.showLast(lateAnswerNotice());
  }, desk.lateAfterMillis);
  late.unref();
  const reply = await runWhileAcknowledging(prepared, acknowledged, given).finally(() => clearTimeout(late));
  await progress.stop();
  const context: MessageContext = { asker: caller.id, ask, shareable: ephemeral && isShared(interaction) };
  await deliver(desk, interaction, api, { reply, context, ephemeral, place, ask });
}

/** Runs a question while its acknowledgement is under way; gives it up when that fails, since nobody could see the answer. */
async function runWhileAcknowledging(
  prepared: Extract<Prepared, { ok: true }>,
  acknowledged: Promise<void>,
  given: AbortController,
): Promise<Reply> {
  const running = prepared.run();
  try {
    await acknowledged;
  } catch (error) {
    given.abort();
    await disposeReply(await running);
    throw error;
  }
  return running;
}

interface Answer {
  readonly reply: Reply;
  readonly context: MessageContext;
  readonly ephemeral: boolean;
  readonly place: AnswerPlacement;
  readonly ask: Ask;
}

async function deliver(
  desk: DiscordContext,
  interaction: UserInteraction,
  api: InteractionApi,
  { reply, context, ephemeral, place, ask }: Answer,
): Promise<void> {
  if (api.expired) {
    await sendLateAnswer(desk, interaction, reply, context, ask);
    return;
  }
  const failed = reply.failure !== undefined;
  try {
    const beside = failed && (place === "replace" || !ephemeral);
    // What others see stays clean; the deferral must go first, or the follow-up would take its visibility.
    if (beside && place !== "replace") await api.remove();
    await composeAndSend(desk, interaction, reply, context, (message) =>
      beside ? api.followUp(message, true) : api.edit(message),
    );
  } catch (error) {
    if (hasErrorCode(error, RESTJSONErrorCodes.InvalidWebhookToken) || (isTransient(error) && api.expired)) {
      await sendLateAnswer(desk, interaction, reply, context, ask);
      return;
    }
    throw error;
  } finally {
    await disposeReply(reply);
  }
}

/** Composes and sends; what Discord refuses for its content is replaced by a word about that. */
async function composeAndSend(
  desk: DiscordContext,
  interaction: UserInteraction,
  reply: Reply,
  context: MessageContext,
  deliverTo: (message: ComposedMessage) => Promise<void>,
): Promise<void> {
  const message = await compose(reply, context, maxBytesOf(interaction), desk, desk.signal);
  try {
    await deliverTo(message);
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    // Whoever deletes the message while it is being answered does not want it.
    if (hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) return;
    const refused = error.status === 400 || error.status === 413;
    if (!refused || hasErrorCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw error;
    desk.log.error(
      { ...errorForLog(error), platform: "discord", interaction: interaction.id },
      "Discord refused a message",
    );
    const word = await compose(refusedAnswerNotice(), {}, maxBytesOf(interaction), desk, desk.signal);
    await deliverTo(word);
  } finally {
    await message.dispose();
  }
}

async function editProgress(
  desk: DiscordContext,
  interaction: UserInteraction,
  api: InteractionApi,
  latest: Reply,
  signal: AbortSignal,
): Promise<void> {
  try {
    const message = await compose(latest, { asker: callerOf(interaction).id }, maxBytesOf(interaction), desk, signal);
    try {
      await api.editWithoutRetry(message);
    } finally {
      await message.dispose();
    }
  } catch (error) {
    desk.log.debug({ ...errorForLog(error), platform: "discord" }, "progress could not be shown");
  }
}

/** Between two tries; each pause is twice the one before, as long as Discord surely drops a repeat. */
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 32_000;

/** The way left once the interaction's token is over: a direct message. Gives the reply's files up. */
async function sendLateAnswer(
  desk: DiscordContext,
  interaction: UserInteraction,
  reply: Reply,
  context: MessageContext,
  ask: Ask,
): Promise<void> {
  const message = await compose(
    asLateAnswer(reply, ask),
    { ...context, shareable: false },
    MAX_FILE_BYTES,
    desk,
    desk.signal,
  );
  const recipient = { recipient_id: callerOf(interaction).id };
  // The nonce keeps a try that broke off from being said twice.
  const body = { ...message.body, nonce: interaction.id, enforce_nonce: true };
  const upload = uploadOf(body, message.files);
  try {
    for (let pause = FIRST_PAUSE_MILLIS; ; pause *= 2) {
      try {
        const channel = (await desk.botRest.post(Routes.userChannels(), { body: recipient })) as APIDMChannel;
        await desk.botRest.post(Routes.channelMessages(channel.id), upload);
        return;
      } catch (error) {
        if (!isTransient(error) || pause > MAX_PAUSE_MILLIS || upload.signal?.aborted === true) throw error;
        await sleep(pause, undefined, { signal: desk.signal });
      }
    }
  } finally {
    await message.dispose();
    await disposeReply(reply);
  }
}

/**
 * Shows how far a job is by editing one message: at most one edit at a time, and each a while after the last,
 * since edits share a bucket with the answer itself. What comes in between is replaced by what comes later.
 */
class ProgressEdits<T> {
  readonly #edit: (latest: T) => Promise<void>;
  readonly #everyMillis: number;
  #latest: T | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #sealed = false;

  /** `edit` must not reject. */
  constructor(edit: (latest: T) => Promise<void>, everyMillis: number) {
    this.#edit = edit;
    this.#everyMillis = everyMillis;
  }

  /** Shows this instead, and nothing after it. */
  showLast(latest: T): void {
    this.show(latest);
    this.#sealed = true;
  }

  show(latest: T): void {
    if (this.#stopped || this.#sealed) return;
    this.#latest = latest;
    if (this.#timer === undefined && this.#running === undefined) this.#begin();
  }

  /** Resolves once no edit is under way any more; none follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): void {
    const latest = this.#latest;
    this.#latest = undefined;
    this.#timer = undefined;
    if (latest === undefined || this.#stopped) return;
    this.#running = this.#edit(latest).finally(() => {
      this.#running = undefined;
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.#begin(), this.#everyMillis);
    });
  }
}
