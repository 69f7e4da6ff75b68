import { setTimeout as sleep } from "node:timers/promises";

import { type APIDMChannel, RESTJSONErrorCodes, Routes } from "discord-api-types/v10";
import { DiscordAPIError, type RequestData } from "discord.js";

import { formatLine } from "../../../bot/grammar/grammar.ts";
import type { Invocation, Prepared } from "../../../bot/invocation.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import { type Ask, disposeReply, forEverybody, type Reply } from "../../../reply/reply.ts";
import { commandLine } from "../../../reply/text.ts";
import { lateAnswer, refusedAnswerNotices } from "../../chat/notices.ts";
import { Progress } from "../../progress.ts";
import type { DiscordContext } from "../context.ts";
import { MAX_FILE_BYTES, MAX_FILES } from "../limits.ts";
import { discordPlatform } from "../platform.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose, type ComposedMessage, composeNotifying } from "../render/compose.ts";
import { errorForLog, hasErrorCode, isTransient } from "../transport/rest.ts";
import { uploadOf } from "../transport/upload.ts";
import { openForm, prepareForm, takesForm, withForm } from "./form.ts";
import { openingOf } from "./left-answers.ts";
import { callerOf, givenFile, type InteractionContext, isEphemeral, isShared, targetOf } from "./interaction.ts";
import { managedChannels } from "./managed-channels.ts";
import { directMessageTestNotice, lateAnswerNotice } from "./notices.ts";

/** Where an answer appears. */
type AnswerPlacement =
  /** In a message of its own, with the command's visibility. */
  | "new"
  /** In an ephemeral message of its own. */
  | "private"
  /** In place of the message whose button was pressed; a failure beside it. */
  | "replace"
  /** In place of a message that says what is wrong in a form, also where something still is. */
  | "mended";

/**
 * Runs a command and answers it on Discord, failures too. `form`: what was typed in a form that was sent, which is
 * offered again where it is wrong. Rejects only when Discord cannot be reached at all.
 */
export async function answerCommand(
  context: InteractionContext,
  ask: Ask,
  placement: AnswerPlacement,
  { form, ...more }: Pick<Invocation, "again" | "openly" | "pressed"> & { readonly form?: Ask["options"] } = {},
): Promise<void> {
  const { api, bot, interaction } = context;
  const { deferAfterMillis, lateAfterMillis, progressEveryMillis } = context.timing;
  const cancellation = new AbortController();
  const signal = AbortSignal.any([context.signal, cancellation.signal]);
  const caller = callerOf(interaction);
  const inPlace = placement === "replace" || placement === "mended";
  let acknowledged: Promise<void> = Promise.resolve();
  // Edits share a rate-limit bucket with the answer itself.
  const progress = new Progress(
    ({ times, lastMillis }) => (times === 0 ? deferAfterMillis : progressEveryMillis - lastMillis),
    async (latest) => {
      await acknowledged.then(
        () => tryEdit({ ...context, signal }, latest, { asker: caller.id }),
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
    managed: () => managedChannels(context.botRest, interaction),
    // A page stays as it is until the next one is there.
    ...(inPlace ? {} : { progress: (latest: Reply) => progress.update(latest) }),
  };
  const typed = (): Prepared => {
    const line = bot.prepare(invocation);
    return { ...line, run: async () => withForm(bot, ask, await line.run()) };
  };
  const prepared = form === undefined ? typed() : await prepareForm(bot, invocation, form);
  if (!prepared.ok) {
    return composeAndSend(context, await prepared.run(), { asker: caller.id }, (message) =>
      placement === "mended" ? api.update(message.body, message.files) : api.reply(message),
    );
  }
  const visibility = placement === "new" ? prepared.visibility : "caller";
  const ephemeral = inPlace ? isEphemeral(interaction) : visibility === "caller";
  // A form is a first answer alone: nothing is deferred before it is known whether it opens.
  const present = !inPlace && takesForm(context, ask) ? bot.present(invocation) : undefined;
  const waitMillis = present === undefined ? deferAfterMillis : FORM_WAIT_MILLIS;
  const { running, early, fields } = await runBriefly(() => prepared.run(), present, waitMillis);
  if (early !== undefined && fields !== undefined && (await openForm(context, { kind: "form", ask }, fields))) {
    await Promise.all([progress.stop(), disposeReply(early)]);
    return;
  }
  if (early !== undefined && isSmall(early)) {
    await progress.stop();
    await answerAtOnce(context, early, ask, placement, ephemeral);
    return amend(context, early, ask, ephemeral);
  }
  acknowledged = inPlace ? api.deferUpdate() : api.defer(ephemeral);
  const late = setTimeout(() => {
    if (inPlace) return;
    void takesDirectMessage(context, caller.id, ask).then((reachable) =>
      progress.updateLast(lateAnswerNotice(reachable)),
    );
  }, lateAfterMillis);
  late.unref();
  const answered = await context.openAnswers.during(openingOf(context, ask, inPlace), async (open) => {
    const reply = await runWhileAcknowledging(running ?? prepared.run(), acknowledged, cancellation).finally(() =>
      clearTimeout(late),
    );
    await progress.stop();
    await open.answering();
    await deliver(context, reply, ask, placement, ephemeral);
    return reply;
  });
  await amend(context, answered, ask, ephemeral);
}

/** Edits an answer that was sent to what it becomes later; one that cannot be edited any more stays. Never rejects. */
export async function amend(
  context: InteractionContext,
  { later }: Reply,
  ask: Ask,
  ephemeral: boolean,
): Promise<void> {
  const amendment = await later?.(context.signal);
  if (amendment === undefined || context.api.expired) return;
  await tryEdit(context, asSeen(context, amendment, ephemeral), messageContextOf(context, ask, ephemeral));
}

/** Edits an answer once, or leaves it as it is. Never rejects. */
async function tryEdit(context: InteractionContext, reply: Reply, messageContext: MessageContext): Promise<void> {
  try {
    await using message = await compose(reply, messageContext, context);
    await context.api.editWithoutRetry(message);
  } catch (error) {
    context.log.debug({ ...errorForLog(error), platform: "discord" }, "answer not amended");
  }
}

/** The first pause between two tries; it doubles for as long as Discord is sure to drop a repeat. */
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 32_000;

/**
 * Runs a command for at most `millis` before anything is deferred; with 0 it is not run yet. `early` is the answer, where
 * it came in time, and `fields` the first values of the form that may take its place.
 */
async function runBriefly(
  run: () => Promise<Reply>,
  present: Promise<Ask["options"] | undefined> | undefined,
  millis: Milliseconds,
): Promise<{ running?: Promise<Reply>; early?: Reply | undefined; fields?: Ask["options"] | undefined }> {
  if (millis === 0) return {};
  const running = run();
  const [early, fields] = await inTime(Promise.all([running, present]), { millis }, () => []);
  return { running, early, fields: early?.failure === undefined ? fields : undefined };
}

/** What an answer offers beside its own buttons. */
export function messageContextOf(
  { bot, interaction }: InteractionContext,
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

/** The wait for a command whose answer a form may replace: a part of the 3 s of a first answer. */
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

function asSeen({ interaction }: InteractionContext, reply: Reply, isPrivate: boolean): Reply {
  return isPrivate || !isShared(interaction) ? reply : forEverybody(reply);
}

/** Answers without "… is thinking". Failures are for the asker alone. Disposes of the reply's files. */
async function answerAtOnce(
  context: InteractionContext,
  reply: Reply,
  ask: Ask,
  placement: AnswerPlacement,
  ephemeral: boolean,
): Promise<void> {
  const { api } = context;
  const failed = reply.failure !== undefined;
  const isPrivate = ephemeral || failed;
  try {
    await composeAndSend(
      context,
      asSeen(context, reply, isPrivate),
      messageContextOf(context, ask, isPrivate),
      async (message) => {
        try {
          await (placement === "mended" || (placement === "replace" && !failed)
            ? api.update(message.body, message.files)
            : api.reply(message, isPrivate));
        } catch (error) {
          // It may have arrived: an edit to the same content shows it, or that it did not.
          if (!isTransient(error) || !api.acknowledged) throw error;
          await api.edit(message);
        }
      },
    );
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
  // What breaks before the acknowledgement has arrived is thrown behind it.
  running.catch(() => undefined);
  try {
    await acknowledged;
  } catch (error) {
    cancellation.abort();
    await disposeReply(await running);
    throw error;
  }
  return running;
}

/** Answers after a deferral, by direct message where the token has expired. Disposes of the reply's files. */
export async function deliver(
  context: InteractionContext,
  reply: Reply,
  ask: Ask,
  placement: AnswerPlacement,
  ephemeral: boolean,
  offer?: string,
): Promise<void> {
  const { api } = context;
  const messageContext = { ...messageContextOf(context, ask, ephemeral), offer };
  if (api.expired) return sendLateAnswer(context, reply, messageContext, ask);
  try {
    const beside = reply.failure !== undefined && placement !== "mended" && (placement === "replace" || !ephemeral);
    // Failures are ephemeral; the deferral must go first, or the follow-up would take its visibility.
    if (beside && placement !== "replace") await api.remove();
    await composeAndSend(context, asSeen(context, reply, ephemeral || beside), messageContext, (message) =>
      beside ? api.followUp(message, true) : api.edit(message),
    );
  } catch (error) {
    const over = hasErrorCode(error, RESTJSONErrorCodes.InvalidWebhookToken) || (isTransient(error) && api.expired);
    if (!over) throw error;
    await sendLateAnswer(context, reply, messageContext, ask);
  } finally {
    await disposeReply(reply);
  }
}

/** Composes and sends; its text, or a notice at least, replaces a message that Discord refuses. */
export async function composeAndSend(
  context: InteractionContext,
  reply: Reply,
  messageContext: MessageContext,
  send: (message: ComposedMessage) => Promise<void>,
  simpler?: readonly Reply[],
): Promise<void> {
  await using message = await compose(reply, messageContext, context);
  try {
    await send(message);
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    // Somebody deleted the message while it was being answered.
    if (hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) return;
    const refused = error.status === 400 || error.status === 413;
    const [less, ...others] = simpler ?? refusedAnswerNotices(discordPlatform.name, reply);
    const isOver = !refused || hasErrorCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
    if (isOver || less === undefined) throw error;
    const { interaction, log } = context;
    log.error({ ...errorForLog(error), platform: "discord", interaction: interaction.id }, "answer failed");
    // Status 413 is about the files.
    const next = error.status === 413 ? { ...less, attachments: [] } : less;
    await composeAndSend(context, next, {}, send, others);
  }
}

/** Answers by direct message, after the interaction's token expired. Disposes of the reply's files. */
async function sendLateAnswer(
  context: InteractionContext,
  reply: Reply,
  messageContext: MessageContext,
  ask: Ask,
): Promise<void> {
  const { interaction } = context;
  const { ask: again, asker } = messageContext;
  await using message = await composeNotifying(
    lateAnswer(reply, commandLine(formatLine(ask))),
    { ask: again, asker },
    { ...context, maxBytes: MAX_FILE_BYTES },
  );
  // The nonce prevents a duplicate post.
  const body = { ...message.body, nonce: interaction.id, enforce_nonce: true };
  const upload = uploadOf(body, message.files);
  try {
    for (let pause = FIRST_PAUSE_MILLIS; ; pause *= 2) {
      try {
        await postDirectly(context, callerOf(interaction).id, upload);
        return;
      } catch (error) {
        if (!isTransient(error) || pause > MAX_PAUSE_MILLIS || upload.signal?.aborted === true) throw error;
        await sleep(pause, undefined, { signal: context.signal });
      }
    }
  } finally {
    await disposeReply(reply);
  }
}

/** Whether the user takes direct messages: sends one, which says that the answer may follow. Never rejects. */
async function takesDirectMessage(context: DiscordContext, user: string, ask: Ask): Promise<boolean> {
  try {
    const { body } = await composeNotifying(directMessageTestNotice(ask), {}, context);
    await postDirectly(context, user, { body, signal: context.signal });
    return true;
  } catch (error) {
    context.log.debug({ ...errorForLog(error), platform: "discord" }, "progress not shown");
    return false;
  }
}

async function postDirectly(context: DiscordContext, user: string, message: RequestData): Promise<void> {
  const recipient = { recipient_id: user };
  const channel = (await context.botRest.post(Routes.userChannels(), { body: recipient })) as APIDMChannel;
  await context.botRest.post(Routes.channelMessages(channel.id), message);
}
