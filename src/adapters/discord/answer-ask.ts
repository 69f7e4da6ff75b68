import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { Invocation, Prepared } from "../../bot/invocation.ts";
import { disposeReply, type Ask, type Reply } from "../../reply/reply.ts";
import type { MessageContext } from "./buttons.ts";
import { compose, type Composed } from "./compose.ts";
import type { Desk } from "./desk.ts";
import { callerOf, isOnEphemeral, isShared, maxBytesOf, targetOf, type PersonsInteraction } from "./input.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { answerLate } from "./late-answer.ts";
import { laterNotice, unshowableNotice } from "./notices.ts";
import { ProgressEdits } from "./progress-edits.ts";
import { faultForLog, hasCode, mayPass } from "./rest-fault.ts";

/** How an answer appears. */
export type Place =
  /** A message of its own, seen by whom the command says. */
  | "new"
  /** A message of its own, for the asker alone. */
  | "private"
  /** In place of the message whose button was pressed. */
  | "replace";

/** Runs a question and answers it on Discord, whatever comes. Rejects only when Discord cannot be reached at all. */
export async function answerAsk(
  desk: Desk,
  api: InteractionApi,
  interaction: PersonsInteraction,
  ask: Ask,
  place: Place,
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
    await send(desk, interaction, prepared.reply, { asker: caller.id }, (message) => api.reply(message));
    return;
  }
  const ephemeral =
    place === "private" || (place === "replace" ? isOnEphemeral(interaction) : prepared.visibility === "caller");
  acknowledged = place === "replace" ? api.deferUpdate() : api.defer(ephemeral);
  const late = setTimeout(() => {
    if (place !== "replace") progress.showLast(laterNotice());
  }, desk.lateAfterMillis);
  late.unref();
  const reply = await runBeside(prepared, acknowledged, given).finally(() => clearTimeout(late));
  await progress.stop();
  const context: MessageContext = { asker: caller.id, ask, shareable: ephemeral && isShared(interaction) };
  await deliver(desk, interaction, api, { reply, context, ephemeral, place, ask });
}

/** Runs a question while its acknowledgement is under way; gives it up when that fails, since nobody could see the answer. */
async function runBeside(
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
  readonly place: Place;
  readonly ask: Ask;
}

async function deliver(
  desk: Desk,
  interaction: PersonsInteraction,
  api: InteractionApi,
  { reply, context, ephemeral, place, ask }: Answer,
): Promise<void> {
  if (api.over) {
    await answerLate(desk, interaction, reply, context, ask);
    return;
  }
  const failed = reply.failure !== undefined;
  try {
    const beside = failed && (place === "replace" || !ephemeral);
    // What others see stays clean; the deferral must go first, or the follow-up would take its visibility.
    if (beside && place !== "replace") await api.remove();
    await send(desk, interaction, reply, context, (message) =>
      beside ? api.followUp(message, true) : api.edit(message),
    );
  } catch (error) {
    if (hasCode(error, RESTJSONErrorCodes.InvalidWebhookToken) || (mayPass(error) && api.over)) {
      await answerLate(desk, interaction, reply, context, ask);
      return;
    }
    throw error;
  } finally {
    await disposeReply(reply);
  }
}

/** Composes and sends; what Discord refuses for its content is replaced by a word about that. */
async function send(
  desk: Desk,
  interaction: PersonsInteraction,
  reply: Reply,
  context: MessageContext,
  deliverTo: (message: Composed) => Promise<void>,
): Promise<void> {
  const message = await compose(reply, context, maxBytesOf(interaction), desk, desk.signal);
  try {
    await deliverTo(message);
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    // Whoever deletes the message while it is being answered does not want it.
    if (hasCode(error, RESTJSONErrorCodes.UnknownMessage)) return;
    const refused = error.status === 400 || error.status === 413;
    if (!refused || hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw error;
    desk.log.error(
      { ...faultForLog(error), platform: "discord", interaction: interaction.id },
      "Discord refused a message",
    );
    const word = await compose(unshowableNotice(), {}, maxBytesOf(interaction), desk, desk.signal);
    await deliverTo(word);
  } finally {
    await message.dispose();
  }
}

async function editProgress(
  desk: Desk,
  interaction: PersonsInteraction,
  api: InteractionApi,
  latest: Reply,
  signal: AbortSignal,
): Promise<void> {
  try {
    const message = await compose(latest, { asker: callerOf(interaction).id }, maxBytesOf(interaction), desk, signal);
    try {
      await api.editOnce(message);
    } finally {
      await message.dispose();
    }
  } catch (error) {
    desk.log.debug({ ...faultForLog(error), platform: "discord" }, "progress could not be shown");
  }
}
