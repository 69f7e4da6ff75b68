// Answers that come after the interaction's token has expired, by direct message.
import { setTimeout as sleep } from "node:timers/promises";

import { type APIDMChannel, Routes } from "discord-api-types/v10";
import type { RequestData } from "discord.js";

import { formatLine } from "../../../bot/grammar/grammar.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import { commandLine } from "../../../reply/text.ts";
import { lateAnswer } from "../../chat/notices.ts";
import type { DiscordContext } from "../context.ts";
import { MAX_FILE_BYTES } from "../limits.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose } from "../render/compose.ts";
import { errorForLog, isTransient } from "../transport/rest.ts";
import { uploadOf } from "../transport/upload.ts";
import { callerOf, type InteractionContext } from "./interaction.ts";
import { directMessageTestNotice } from "./notices.ts";

/** The first pause between two tries; it doubles for as long as Discord is sure to drop a repeat. */
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 32_000;

/** Answers by direct message, after the interaction's token expired. Disposes of the reply's files. */
export async function sendLateAnswer(
  context: InteractionContext,
  reply: Reply,
  messageContext: MessageContext,
  ask: Ask,
): Promise<void> {
  const { interaction } = context;
  await using message = await compose(
    lateAnswer(reply, commandLine(formatLine(ask))),
    { ...messageContext, shareable: false },
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
export async function takesDirectMessage(context: DiscordContext, user: string, ask: Ask): Promise<boolean> {
  try {
    const { body } = await compose(directMessageTestNotice(ask), {}, context);
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
