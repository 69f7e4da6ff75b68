import type { APIMessageComponentInteraction } from "discord-api-types/v10";

import { memoryAttachment } from "../../reply/attachment.ts";
import { disposeReply, reply, type Reply } from "../../reply/reply.ts";
import { code, text } from "../../reply/text.ts";
import { withTimeout } from "../within.ts";
import { answerCommand } from "./answer-ask.ts";
import { compose } from "./compose.ts";
import type { DiscordContext } from "./desk.ts";
import { callerOf, isEphemeral, maxBytesOf } from "./input.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { confirmNotice, expiredNotice } from "./notices.ts";
import { decodePress, parsePressPayload, type Press } from "./press.ts";
import { shareMessage } from "./share.ts";

/** How long the store may look: the press must be answered within 3 s. */
const STORE_TIMEOUT_MILLIS = 1500;

/** Does what a button says, whichever process and version made it. */
export async function handleButton(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
): Promise<void> {
  const press = await pressOf(desk, interaction.data.custom_id);
  switch (press?.kind) {
    case undefined:
      return replyPrivately(desk, api, interaction, expiredNotice(commandBehind(interaction)));
    case "ids":
      return replyPrivately(desk, api, interaction, idsReply(press.ids));
    case "share":
      return shareMessage(desk, api, interaction);
    case "ask": {
      if (press.confirm !== undefined) return confirm(desk, api, interaction, press, press.confirm);
      if (press.effect === "reply" || press.asker === undefined) {
        return answerCommand(desk, api, interaction, press.ask, "new");
      }
      // Whoever asked turns the pages; anyone else gets pages of their own.
      const own = press.asker === callerOf(interaction).id || isEphemeral(interaction);
      return answerCommand(desk, api, interaction, press.ask, own ? "replace" : "private");
    }
  }
}

async function pressOf(desk: DiscordContext, customId: string): Promise<Press | undefined> {
  const routed = decodePress(customId);
  if (routed?.kind !== "kept") return routed;
  return parsePressPayload(await withTimeout(desk.payloads.get(routed.key), STORE_TIMEOUT_MILLIS));
}

/** Asks first, where only the presser sees it; the answer then takes the question's place. */
function confirm(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
  press: Extract<Press, { kind: "ask" }>,
  question: string,
): Promise<void> {
  const action = { label: "Yes, go on", invocation: press.ask, effect: "replace" } as const;
  return replyPrivately(desk, api, interaction, { ...confirmNotice(question), actions: [action] });
}

/** Something for the presser alone, at once. */
async function replyPrivately(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
  given: Reply,
): Promise<void> {
  const asker = callerOf(interaction).id;
  const message = await compose(given, { asker }, maxBytesOf(interaction), desk, desk.signal);
  try {
    await api.reply(message);
  } finally {
    await message.dispose();
    await disposeReply(given);
  }
}

/** Full identifiers, one a line: held down on a phone, each can be copied by itself. */
function idsReply(ids: Extract<Press, { kind: "ids" }>["ids"]): Reply {
  const items = ids.map(({ name, value }) => (name === "" ? text`${code(value)}` : text`${name}: ${code(value)}`));
  const lines = ids.map(({ name, value }) => (name === "" ? value : `${name}\t${value}`));
  const file =
    ids.length > 20 ? [memoryAttachment("ids.txt", "text/plain; charset=utf-8", `${lines.join("\n")}\n`)] : [];
  return reply({
    title: ids.length === 1 ? "The full id" : "The full ids",
    blocks: [{ kind: "list", items }],
    attachments: file,
  });
}

/** The command that made the message, where Discord still says so. */
function commandBehind(interaction: APIMessageComponentInteraction): string | undefined {
  const metadata = interaction.message.interaction_metadata;
  const named = metadata !== undefined && "name" in metadata ? metadata.name : undefined;
  return typeof named === "string" ? named : undefined;
}
