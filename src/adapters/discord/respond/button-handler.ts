import { type APIMessageComponentInteraction, ComponentType } from "discord-api-types/v10";

import { memoryAttachment } from "../../../reply/attachment.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import type { Press } from "../../chat/press.ts";
import { answerCommand } from "./answer.ts";
import { callerOf, type InteractionContext, isEmbed, isEphemeral } from "./interaction.ts";
import { foldMessage, shareKept } from "./kept-message.ts";
import { confirmNotice, expiredNotice } from "./notices.ts";
import { commandBehind, pressOf, replyPrivately } from "./read-press.ts";

/** Handles a pressed button, whichever process and version made it. */
export async function handleButton(context: InteractionContext<APIMessageComponentInteraction>): Promise<void> {
  const { interaction } = context;
  const { data } = interaction;
  const picked = data.component_type === ComponentType.StringSelect ? data.values[0] : undefined;
  const press = await pressOf(context, data.custom_id, picked);
  switch (press?.kind) {
    case undefined:
    case "files":
    case "form":
    case "home":
    case "question":
      return replyPrivately(context, expiredNotice(commandBehind(interaction)));
    case "ids":
      return replyPrivately(context, idsReply(press.ids));
    case "share":
      return (press.show === undefined ? shareKept : foldMessage)(context, press);
    case "ask": {
      // Asks in an ephemeral message, which the answer then replaces.
      if (press.confirm !== undefined) {
        const action = { label: "Yes, go on", invocation: press.ask, effect: "reply" } as const;
        return replyPrivately(context, { ...confirmNotice(press.confirm), actions: [action] }, { confirms: true });
      }
      if (press.effect === "confirmed") return answerCommand(context, press.ask, "replace");
      if (press.effect === "reply") {
        const { id: message, channel_id: channel } = interaction.message;
        // Only an alert has no asker.
        const pressed = press.asker === undefined ? { pressed: { platform: "discord", channel, message } } : {};
        return answerCommand(context, press.ask, "new", pressed);
      }
      // The asker turns the pages in place; other users get pages of their own. An embed cannot become components.
      const own = (press.asker === callerOf(interaction).id || isEphemeral(interaction)) && !isEmbed(interaction);
      const placement = press.asker === undefined ? "new" : own ? "replace" : "private";
      return answerCommand(context, press.ask, placement, { again: true });
    }
  }
}

/** Full identifiers, one a line, so that a phone can copy each by itself. */
function idsReply(ids: Extract<Press, { kind: "ids" }>["ids"]): Reply {
  const items = ids.map(({ name, value }) => (name === "" ? text`${code(value)}` : text`${name}: ${code(value)}`));
  const lines = ids.map(({ name, value }) => (name === "" ? value : `${name}\t${value}`));
  const file = memoryAttachment("ids.txt", "text/plain; charset=utf-8", `${lines.join("\n")}\n`);
  return reply({
    title: ids.length === 1 ? "The full id" : "The full ids",
    blocks: [{ kind: "list", items }],
    attachments: ids.length > 20 ? [file] : [],
  });
}
