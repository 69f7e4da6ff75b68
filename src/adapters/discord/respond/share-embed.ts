import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIEmbed,
  type APIMessageComponentInteraction,
  ComponentType,
} from "discord-api-types/v10";

import { safeFileName } from "../../../reply/attachment.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import type { DiscordContext } from "../context.ts";
import type { ActionRows } from "../render/buttons.ts";
import { decodePress } from "../render/press.ts";
import { attachmentsOf } from "../transport/upload.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { notSharedNotice } from "./notices.ts";
import { commandBehind, pressOf, replyPrivately } from "./pressed.ts";
import { postShared } from "./post-shared.ts";

/**
 * Posts a private message of before for all to see, as it was shown. It runs nothing, and of the buttons only those go
 * along that run nothing: links and full ids.
 */
export async function shareMessage(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
): Promise<void> {
  const { message } = interaction;
  const command = commandBehind(interaction);
  if (command !== undefined && !context.bot.commonButtons(command).share) {
    return replyPrivately(context, api, interaction, notSharedNotice(command));
  }
  const rows = message.components ?? [];
  // The acknowledgement removes the button, so that it cannot share twice.
  const left = rowsOf(rows, (button) => !isPress(button) || decodePress(button.custom_id)?.kind !== "share");
  await api.update({ components: left, allowed_mentions: { parse: [] } });
  const components = await harmlessRows(context, rows);
  const asked = Date.parse(message.edited_timestamp ?? message.timestamp);
  await postShared(context, api, interaction, asked, (content, files) => ({
    content,
    embeds: message.embeds.map((embed) => asSent(embed, files)),
    components,
    allowed_mentions: { parse: [] },
    attachments: attachmentsOf(files),
  }));
}

type Rows = NonNullable<APIMessageComponentInteraction["message"]["components"]>;
type PressButton = Extract<APIButtonComponent, { custom_id: string }>;

function isPress(button: APIButtonComponent): button is PressButton {
  return "custom_id" in button;
}

/** The rows with the buttons that `keep` accepts. */
function rowsOf(rows: Rows, keep: (button: APIButtonComponent) => boolean): ActionRows {
  return rows
    .filter((row): row is APIActionRowComponent<APIButtonComponent> => row.type === ComponentType.ActionRow)
    .map((row) => ({ type: ComponentType.ActionRow as const, components: row.components.filter(keep) }))
    .filter((row) => row.components.length > 0);
}

/** The rows with the buttons that run nothing. */
async function harmlessRows(context: DiscordContext, rows: Rows): Promise<ActionRows> {
  const presses = rowsOf(rows, isPress).flatMap(({ components }) => components.filter(isPress));
  const ids = await Promise.all(
    presses.map(async ({ custom_id: customId }) => {
      const press = await pressOf(context, customId).catch(() => undefined);
      return press?.kind === "ids" ? [customId] : [];
    }),
  );
  const kept = new Set(ids.flat());
  return rowsOf(rows, (button) => !isPress(button) || kept.has(button.custom_id));
}

/** An embed as it was sent, without the members that Discord adds. */
function asSent(embed: APIEmbed, files: readonly MessageFile[]): APIEmbed {
  const { title, description, url, color, image } = embed;
  const name =
    image === undefined
      ? undefined
      : safeFileName(decodeURIComponent(new URL(image.url).pathname.split("/").at(-1) ?? ""));
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(url === undefined ? {} : { url }),
    ...(color === undefined ? {} : { color }),
    ...(name !== undefined && files.some((file) => file.name === name)
      ? { image: { url: `attachment://${name}` } }
      : {}),
  };
}
