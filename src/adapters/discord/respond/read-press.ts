import { withTimeout } from "../../../in-time.ts";
import { disposeReply, type Reply } from "../../../reply/reply.ts";
import type { DiscordContext } from "../context.ts";
import { compose } from "../render/compose.ts";
import { type KeptReply, parseKeptPayload } from "../render/kept-reply.ts";
import { decodePress, parsePressPayload, type Press } from "../render/press.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { callerOf, maxBytesOf, type UserInteraction } from "./interaction.ts";

/** The time limit of the store: the press must be answered within 3 s. */
const STORE_TIMEOUT_MILLIS = 1500;

/** The press behind a custom_id, whichever process and version made it; undefined for an expired one. */
export async function pressOf(context: DiscordContext, customId: string): Promise<Press | undefined> {
  const decoded = decodePress(customId);
  if (decoded?.kind !== "stored") return decoded;
  return parsePressPayload(await withTimeout(context.payloads.get(decoded.key), STORE_TIMEOUT_MILLIS));
}

/** The reply behind Details, Less or Share; undefined for an expired one. */
export async function keptReply(context: DiscordContext, key: string): Promise<KeptReply | undefined> {
  return parseKeptPayload(await withTimeout(context.payloads.get(key), STORE_TIMEOUT_MILLIS));
}

/** Answers at once with an ephemeral message. */
export async function replyPrivately(
  context: DiscordContext,
  api: InteractionApi,
  interaction: UserInteraction,
  given: Reply,
  more: { readonly confirms?: true } = {},
): Promise<void> {
  const asker = callerOf(interaction).id;
  const message = await compose(given, { asker, ...more }, maxBytesOf(interaction), context, context.signal);
  try {
    await api.reply(message);
  } finally {
    await message.dispose();
    await disposeReply(given);
  }
}

/** The command that made the message, where Discord still has it. */
export function commandBehind({ message }: UserInteraction): string | undefined {
  const metadata = message?.interaction_metadata;
  const named = metadata !== undefined && "name" in metadata ? metadata.name : undefined;
  return typeof named === "string" ? named : undefined;
}
