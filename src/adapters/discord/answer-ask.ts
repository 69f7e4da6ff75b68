import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { Invocation, Prepared } from "../../bot/invocation.ts";
import { disposeReply, type Ask, type Reply } from "../../reply/reply.ts";
import type { MessageContext } from "./buttons.ts";
import { compose, type ComposedMessage } from "./compose.ts";
import type { DiscordContext } from "./desk.ts";
import { callerOf, isEphemeral, isShared, maxBytesOf, targetOf, type UserInteraction } from "./input.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { sendLateAnswer } from "./late-answer.ts";
import { lateAnswerNotice, refusedAnswerNotice } from "./notices.ts";
import { ProgressEdits } from "./progress-edits.ts";
import { errorForLog, hasErrorCode, isTransient } from "./rest-fault.ts";

/** How an answer appears. */
export type AnswerPlacement =
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
