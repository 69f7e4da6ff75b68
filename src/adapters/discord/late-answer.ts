import { setTimeout as sleep } from "node:timers/promises";

import { Routes, type APIDMChannel } from "discord-api-types/v10";

import { disposeReply, type Ask, type Reply } from "../../reply/reply.ts";
import type { MessageContext } from "./buttons.ts";
import { compose } from "./compose.ts";
import type { DiscordContext } from "./desk.ts";
import { callerOf, type UserInteraction } from "./input.ts";
import { MAX_FILE_BYTES } from "./limits.ts";
import { asLateAnswer } from "./notices.ts";
import { isTransient } from "./rest-fault.ts";
import { uploadOf } from "./upload.ts";

/** Between two tries; each pause is twice the one before, as long as Discord surely drops a repeat. */
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 32_000;

/** The way left once the interaction's token is over: a direct message. Gives the reply's files up. */
export async function sendLateAnswer(
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
