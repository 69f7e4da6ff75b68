import type { Reply } from "../../../reply/reply.ts";
import { readPress, type ReadPress } from "../../chat/press.ts";
import type { DiscordContext } from "../context.ts";
import type { MessageContext } from "../render/buttons.ts";
import { compose } from "../render/compose.ts";
import { decodePress } from "../render/press.ts";
import { callerOf, type InteractionContext, type UserInteraction } from "./interaction.ts";

/** The press behind a custom_id, and the option picked, whichever process and version made it; undefined for an expired one. */
export function pressOf({ payloads }: DiscordContext, customId: string, picked = ""): Promise<ReadPress | undefined> {
  const decoded = decodePress(customId);
  const at = /^\d{1,3}$/u.test(picked) ? Number(picked) : undefined;
  return readPress(payloads, decoded?.kind === "stored" ? { ...decoded, at } : decoded);
}

/** Answers at once with an ephemeral message. */
export async function replyPrivately(
  context: InteractionContext,
  given: Reply,
  more: Pick<MessageContext, "confirms"> = {},
): Promise<void> {
  const { id: asker } = callerOf(context.interaction);
  await using message = await compose(given, { asker, ...more }, context);
  await context.api.reply(message);
}

/** The command that made the message, where Discord still has it. */
export function commandBehind({ message }: UserInteraction): string | undefined {
  const metadata = message?.interaction_metadata;
  const named = metadata !== undefined && "name" in metadata ? metadata.name : undefined;
  return typeof named === "string" ? named : undefined;
}
