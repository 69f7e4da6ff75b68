import { type GatewayMessageCreateDispatchData, MessageType, RESTJSONErrorCodes, Routes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";

import type { Invocation } from "../../../bot/invocation.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { disposeReply, forEverybody, type Reply } from "../../../reply/reply.ts";
import type { DiscordContext } from "../context.ts";
import { ANSWER_WITHIN_MILLIS, MAX_FILE_BYTES } from "../limits.ts";
import { discordPlatform } from "../platform.ts";
import { compose, SILENT } from "../render/compose.ts";
import { errorForLog, hasErrorCode } from "../transport/rest.ts";
import { uploadOf } from "../transport/upload.ts";
import { tooManyNotice } from "./notices.ts";

// A message that mentions the bot, or comes by direct message, is a typed line. Its content is neither kept nor logged.

type Message = GatewayMessageCreateDispatchData;

/** The questions of one person that are answered in this time: Discord allows five messages in five seconds a channel, alerts among them. */
const MAX_QUESTIONS = 4;
const QUESTIONS_MILLIS = 10_000;
const EVERY_MILLIS = QUESTIONS_MILLIS / MAX_QUESTIONS;
const PEOPLE = { maxSize: 5000, sizeCalculation: () => 1 };

/** Spreads the questions of each person, and forgets them soon. */
export class QuestionLimit {
  /** When the last of each person's questions is paid for. */
  readonly #paid = new LRUCache<string, Milliseconds>(PEOPLE);
  readonly #refused = new LRUCache<string, true>({ ...PEOPLE, ttl: QUESTIONS_MILLIS });

  /** How long one more of this person's waits; one that would wait for too long is refused in words now and then. */
  take(person: string, now: Milliseconds): Milliseconds | "refuse" | "ignore" {
    const paid = Math.max(now, this.#paid.get(person) ?? now) + EVERY_MILLIS;
    const wait = Math.max(0, paid - now - QUESTIONS_MILLIS);
    if (wait <= QUESTIONS_MILLIS) {
      this.#paid.set(person, paid);
      return wait;
    }
    if (this.#refused.has(person)) return "ignore";
    this.#refused.set(person, true);
    return "refuse";
  }
}

/** The line that a message asks; undefined for what is no question of a person to the bot. */
export function questionOf({ author, content, guild_id, type, webhook_id }: Message, bot: string): string | undefined {
  const isPersons = author.bot !== true && author.system !== true && webhook_id === undefined;
  if (!isPersons || (type !== MessageType.Default && type !== MessageType.Reply)) return undefined;
  // Who replies to the bot, or to everyone, mentions it without its name in the text.
  const parts = content.split(new RegExp(`<@!?${bot}>`, "u"));
  if (guild_id !== undefined && parts.length === 1) return undefined;
  const line = parts
    .join(" ")
    .replace(/^[\s:,]+/u, "")
    .trim();
  return line === "" ? undefined : line;
}

/** Answers a question by a message that replies to it and notifies nobody; `refused`: it is one too many. Never rejects. */
export async function answerQuestion(
  context: DiscordContext,
  message: Message,
  { line, refused }: { readonly line: string; readonly refused: boolean },
): Promise<void> {
  const { bot, log } = context;
  try {
    const reply = refused
      ? tooManyNotice(MAX_QUESTIONS, QUESTIONS_MILLIS)
      : await bot.runLine(line, askerOf(context, message));
    try {
      await post(context, message, message.guild_id === undefined ? reply : forEverybody(reply));
    } finally {
      await disposeReply(reply);
    }
  } catch (error) {
    log.warn({ ...errorForLog(error), platform: "discord" }, "answer failed");
  }
}

function askerOf({ signal }: DiscordContext, message: Message): Omit<Invocation, "command" | "options"> {
  const { author, channel_id: channel, guild_id: guild, member } = message;
  const { id } = author;
  const name = member?.nick ?? author.global_name ?? author.username;
  const here = {
    platform: "discord",
    channel,
    files: { ...discordPlatform.files, maxBytes: MAX_FILE_BYTES },
    answerWithin: ANSWER_WITHIN_MILLIS,
  };
  if (guild === undefined) return { here, caller: { id, name, mayManageChannel: true }, signal };
  // A message does not say what its author may do.
  const caller = { id, name, groups: member?.roles ?? [], mayManageChannel: false };
  return { here: { ...here, workspace: guild }, caller, signal, openly: true };
}

async function post(context: DiscordContext, message: Message, reply: Reply): Promise<void> {
  const { channel_id: channel, id } = message;
  const composing = { ...context, maxBytes: MAX_FILE_BYTES };
  await using answer = await compose(reply, { asker: message.author.id, keeps: true }, composing);
  const { allowed_mentions, flags = 0, ...body } = answer.body;
  const alone = {
    ...body,
    // The notification of a message of components is blank, and the asker reads it here.
    flags: flags | SILENT,
    allowed_mentions: { ...allowed_mentions, replied_user: false },
    nonce: id,
    enforce_nonce: true,
  };
  const replying = { ...alone, message_reference: { message_id: id, fail_if_not_exists: false } };
  const send = (given: object): Promise<unknown> =>
    context.botRest.post(Routes.channelMessages(channel), uploadOf(given, answer.files, context.signal));
  try {
    await send(replying);
  } catch (error) {
    // Servers that added the bot before it asked for Read Message History.
    if (!hasErrorCode(error, RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory)) throw error;
    await send(alone);
  }
}
