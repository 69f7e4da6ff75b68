import { z } from "zod";

import { formatLine } from "../../../bot/grammar/grammar.ts";
import { Ask } from "../../../reply/document.ts";
import { commandLine } from "../../../reply/text.ts";
import { restartedNotice } from "../../chat/notices.ts";
import type { LeftAnswer } from "../../chat/open-answers.ts";
import type { DiscordContext } from "../context.ts";
import { compose } from "../render/compose.ts";
import { InteractionApi } from "./interaction-api.ts";
import { callerOf, type InteractionContext } from "./interaction.ts";

/** What closes an answer. */
const Left = z.object({
  v: z.literal(1),
  ask: Ask,
  asker: z.string(),
  id: z.string(),
  token: z.string(),
  application_id: z.string(),
  beside: z.boolean(),
});

/** What closes the answer to an interaction after a crash. `beside`: the pressed message stands in its place, and stays. */
export function openingOf(context: InteractionContext, ask: Ask, beside: boolean) {
  const { interaction, signal: stopping } = context;
  const { id, token, application_id } = interaction;
  const left: z.infer<typeof Left> = { v: 1, ask, asker: callerOf(interaction).id, id, token, application_id, beside };
  return { workspace: interaction.guild_id, content: () => left, stopping };
}

/**
 * Closes an answer of a dead process by an edit of the message that stands there, where that cannot be the answer.
 * Rejects where Discord takes nothing there.
 */
export async function closeLeft(context: DiscordContext, left: LeftAnswer): Promise<void> {
  const { bot } = context;
  const { ask, asker, beside, ...key } = Left.parse(left.content);
  const api = new InteractionApi(context, key);
  const command = bot.commands.find(({ name }) => name === ask.command);
  const notice = restartedNotice(commandLine(formatLine(ask)), command?.shownBy, left.isUncertain);
  const again = bot.commonButtons(ask.command).refresh ? { ask } : {};
  await using message = await compose(notice, { asker, ...again }, context);
  if (beside || left.isUncertain) {
    // A second message is worse than a second edit to the same.
    await left.forget();
    return api.followUp(message, true);
  }
  await api.edit(message);
  await left.forget();
}
