import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { Invocation } from "../../../bot/invocation.ts";
import { inTime } from "../../../in-time.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { refusedAnswerNotice } from "../../chat/notices.ts";
import { Progress } from "../../progress.ts";
import type { DiscordContext } from "../context.ts";
import { discordPlatform } from "../platform.ts";
import { MAX_FILES } from "../limits.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose, type ComposedMessage } from "../render/compose.ts";
import { errorForLog, hasErrorCode, isTransient } from "../transport/rest.ts";
import { openForm, takesForm, withBackToForm } from "./form.ts";
import type { InteractionApi } from "./interaction-api.ts";
import {
  callerOf,
  givenFile,
  isEphemeral,
  isShared,
  maxBytesOf,
  targetOf,
  type UserInteraction,
} from "./interaction.ts";
import { sendLateAnswer, takesDirectMessage } from "./late-answer.ts";
import { lateAnswerNotice } from "./notices.ts";

/** Where an answer appears. */
type AnswerPlacement =
  /** In a message of its own, with the command's visibility. */
  | "new"
  /** In an ephemeral message of its own. */
  | "private"
  /** In place of the message whose button was pressed. */
  | "replace";

/**
 * Runs a command and answers it on Discord, failures too. `form`: the question whose form asked for it. Rejects only when
 * Discord cannot be reached at all.
 */
export async function answerCommand(
  context: DiscordContext,
  api: InteractionApi,
  interaction: UserInteraction,
  ask: Ask,
  placement: AnswerPlacement,
  { form, ...more }: Pick<Invocation, "again" | "pressed"> & { readonly form?: Ask } = {},
): Promise<void> {
  const cancellation = new AbortController();
  const signal = AbortSignal.any([context.signal, cancellation.signal]);
  const caller = callerOf(interaction);
  let acknowledged: Promise<void> = Promise.resolve();
  // Edits share a rate-limit bucket with the answer itself.
  const progress = new Progress(
    ({ times, lastMillis }) => (times === 0 ? context.deferAfterMillis : context.progressEveryMillis - lastMillis),
    async (latest) => {
      await acknowledged.then(
        () => editProgress(context, interaction, api, latest, signal),
        () => undefined,
      );
      return true;
    },
  );
  const invocation: Invocation = {
    ...ask,
    ...more,
    here: targetOf(interaction),
    caller,
    signal,
    openFile: (given) => givenFile(interaction, given),
    // A page stays as it is until the next one is there.
    ...(placement === "replace" ? {} : { progress: (latest: Reply) => progress.update(latest) }),
  };
  const prepared = withBackToForm(context.bot.prepare(invocation), form);
  if (!prepared.ok) {
    await composeAndSend(context, interaction, prepared.reply, { asker: caller.id }, (message) => api.reply(message));
    return;
  }
  const visibility = placement === "new" ? prepared.visibility : "caller";
  const ephemeral = placement === "replace" ? isEphemeral(interaction) : visibility === "caller";
  // A form is a first answer alone: nothing is deferred before it is known whether it opens.
  const present =
    placement === "new" && takesForm(context, interaction, ask) ? context.bot.present(invocation) : undefined;
  const waitMillis = present === undefined ? context.deferAfterMillis : FORM_WAIT_MILLIS;
  const { running, early, fields } = await runBriefly(() => prepared.run(), present, waitMillis);
  if (early !== undefined && fields !== undefined && (await openForm(context, api, ask, fields))) {
    await Promise.all([progress.stop(), disposeReply(early)]);
    return;
  }
  if (early !== undefined && isSmall(early)) {
    await progress.stop();
    // Failures are for the asker alone.
    const isPrivate = ephemeral || early.failure !== undefined;
    const replaces = placement === "replace" && early.failure === undefined;
    await answerAtOnce(context, interaction, api, {
      reply: early,
      messageContext: messageContextOf(context, interaction, ask, isPrivate),
      isPrivate,
      replaces,
    });
    return;
  }
  acknowledged = placement === "replace" ? api.deferUpdate() : api.defer(ephemeral);
  const late = setTimeout(() => {
    if (placement === "replace") return;
    void takesDirectMessage(context, caller.id, ask).then((reachable) =>
      progress.updateLast(lateAnswerNotice(reachable)),
    );
  }, context.lateAfterMillis);
  late.unref();
  const reply = await runWhileAcknowledging(running ?? prepared.run(), acknowledged, cancellation).finally(() =>
    clearTimeout(late),
  );
  await progress.stop();
  const messageContext = messageContextOf(context, interaction, ask, ephemeral);
  await deliver(context, interaction, api, { reply, messageContext, ephemeral, placement, ask });
}

interface BriefRun {
  readonly running?: Promise<Reply>;
  /** The answer, where it was there in time. */
  readonly early?: Reply;
  /** What the form that may take its place holds at first. */
  readonly fields?: Ask["options"] | undefined;
}

/** Runs a command for so long before anything is deferred; without a wait it is not run yet. */
async function runBriefly(
  run: () => Promise<Reply>,
  present: Promise<Ask["options"] | undefined> | undefined,
  millis: Milliseconds,
): Promise<BriefRun> {
  if (millis === 0) return {};
  const running = run();
  const first = await inTime(Promise.all([running, present]), { millis }, () => undefined);
  if (first === undefined) return { running };
  const [early, fields] = first;
  return { running, early, fields: early.failure === undefined ? fields : undefined };
}

function messageContextOf(
  { bot }: DiscordContext,
  interaction: UserInteraction,
  ask: Ask,
  isPrivate: boolean,
): MessageContext {
  const may = bot.commonButtons(ask.command);
  return {
    asker: callerOf(interaction).id,
    keeps: true,
    ask: may.refresh ? ask : undefined,
    shareable: may.share && isPrivate && isShared(interaction),
  };
}

/** Of the 3 s of a first answer, what the command may take that a form then takes the place of. */
const FORM_WAIT_MILLIS = 1000;

/**
 * Files that a first answer may carry. They must have arrived within 3 s of the question, of which the command may take a
 * tenth: on a line of 4 Mbit/s in time. After a deferral there are 15 min.
 */
const MAX_EARLY_FILE_BYTES = 1024 * 1024;

function isSmall({ attachments, picture }: Reply): boolean {
  const files = picture === undefined ? attachments : [...attachments, picture];
  return files.length <= MAX_FILES && files.reduce((total, file) => total + file.sizeBytes, 0) <= MAX_EARLY_FILE_BYTES;
}

interface EarlyAnswer {
  readonly reply: Reply;
  readonly messageContext: MessageContext;
  readonly isPrivate: boolean;
  /** It takes the place of the message whose button was pressed. */
  readonly replaces: boolean;
}

/** Answers without "… is thinking". Disposes of the reply's files. */
async function answerAtOnce(
  context: DiscordContext,
  interaction: UserInteraction,
  api: InteractionApi,
  { reply, messageContext, isPrivate, replaces }: EarlyAnswer,
): Promise<void> {
  try {
    await composeAndSend(context, interaction, reply, messageContext, async (message) => {
      try {
        await (replaces ? api.update(message.body, message.files) : api.reply(message, isPrivate));
      } catch (error) {
        // It may have arrived: an edit to the same content shows it, or that it did not.
        if (!isTransient(error) || !api.acknowledged) throw error;
        await api.edit(message);
      }
    });
  } finally {
    await disposeReply(reply);
  }
}

/** Waits for a command while its acknowledgement is under way; aborts it when that fails, since no answer could be seen. */
async function runWhileAcknowledging(
  running: Promise<Reply>,
  acknowledged: Promise<void>,
  cancellation: AbortController,
): Promise<Reply> {
  try {
    await acknowledged;
  } catch (error) {
    cancellation.abort();
    await disposeReply(await running);
    throw error;
  }
  return running;
}

interface Answer {
  readonly reply: Reply;
  readonly messageContext: MessageContext;
  readonly ephemeral: boolean;
  readonly placement: AnswerPlacement;
  readonly ask: Ask;
}

async function deliver(
  context: DiscordContext,
  interaction: UserInteraction,
  api: InteractionApi,
  { reply, messageContext, ephemeral, placement, ask }: Answer,
): Promise<void> {
  if (api.expired) {
    await sendLateAnswer(context, interaction, reply, messageContext, ask);
    return;
  }
  const failed = reply.failure !== undefined;
  try {
    const beside = failed && (placement === "replace" || !ephemeral);
    // Failures are ephemeral; the deferral must go first, or the follow-up would take its visibility.
    if (beside && placement !== "replace") await api.remove();
    await composeAndSend(context, interaction, reply, messageContext, (message) =>
      beside ? api.followUp(message, true) : api.edit(message),
    );
  } catch (error) {
    if (hasErrorCode(error, RESTJSONErrorCodes.InvalidWebhookToken) || (isTransient(error) && api.expired)) {
      await sendLateAnswer(context, interaction, reply, messageContext, ask);
      return;
    }
    throw error;
  } finally {
    await disposeReply(reply);
  }
}

/** Composes and sends; a notice replaces a message that Discord refuses. */
async function composeAndSend(
  context: DiscordContext,
  interaction: UserInteraction,
  reply: Reply,
  messageContext: MessageContext,
  deliverTo: (message: ComposedMessage) => Promise<void>,
): Promise<void> {
  const message = await compose(reply, messageContext, maxBytesOf(interaction), context, context.signal);
  try {
    await deliverTo(message);
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    // Somebody deleted the message while it was being answered.
    if (hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) return;
    const refused = error.status === 400 || error.status === 413;
    if (!refused || hasErrorCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw error;
    context.log.error({ ...errorForLog(error), platform: "discord", interaction: interaction.id }, "answer failed");
    const notice = await compose(
      refusedAnswerNotice(discordPlatform.name),
      {},
      maxBytesOf(interaction),
      context,
      context.signal,
    );
    await deliverTo(notice);
  } finally {
    await message.dispose();
  }
}

async function editProgress(
  context: DiscordContext,
  interaction: UserInteraction,
  api: InteractionApi,
  latest: Reply,
  signal: AbortSignal,
): Promise<void> {
  try {
    const message = await compose(
      latest,
      { asker: callerOf(interaction).id },
      maxBytesOf(interaction),
      context,
      signal,
    );
    try {
      await api.editWithoutRetry(message);
    } finally {
      await message.dispose();
    }
  } catch (error) {
    context.log.debug({ ...errorForLog(error), platform: "discord" }, "progress not shown");
  }
}
