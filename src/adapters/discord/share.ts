import { Readable } from "node:stream";

import {
  ComponentType,
  type APIActionRowComponent,
  type APIAttachment,
  type APIButtonComponent,
  type APIEmbed,
  type APIMessageComponentInteraction,
} from "discord-api-types/v10";

import type { Attachment } from "../../reply/attachment.ts";
import { safeFileName } from "../../reply/attachment.ts";
import type { ActionRows } from "./buttons.ts";
import { compose, type ComposedMessage } from "./compose.ts";
import type { DiscordContext } from "./desk.ts";
import { callerOf, maxBytesOf } from "./input.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { shareFailedNotice } from "./notices.ts";
import { decodePress } from "./press.ts";
import type { MessageFile } from "./render.ts";
import { errorForLog } from "./rest-fault.ts";
import { attachmentsOf } from "./upload.ts";

/** How long one file may take to come from Discord's own store. */
const FETCH_TIMEOUT_MILLIS = 60_000;

/** Posts a private reply for all, as it was: its text, buttons and files, who shares it and when it was asked. */
export async function shareMessage(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
): Promise<void> {
  const { message } = interaction;
  const components = rowsWithoutShare(message.components ?? []);
  // The acknowledgement takes the button away: pressed twice, it still shares once.
  await api.update({ components, allowed_mentions: { parse: [] } });
  const files = (message.attachments ?? []).map((attachment) => sharedFile(attachment, desk.signal));
  const asked = Math.trunc(Date.parse(message.edited_timestamp ?? message.timestamp) / 1000);
  const content = `Shared by <@${callerOf(interaction).id}>, asked <t:${asked}:R>`;
  const shared = (withFiles: boolean): ComposedMessage => ({
    body: {
      content: withFiles || files.length === 0 ? content : `${content}; its files could not be copied`,
      embeds: message.embeds.map((embed) => asSent(embed, withFiles ? files : [])),
      components,
      allowed_mentions: { parse: [] },
      attachments: attachmentsOf(withFiles ? files : []),
    },
    files: withFiles ? files : [],
    dispose: async () => {},
  });
  try {
    await api.followUp(shared(true), false);
  } catch (error) {
    desk.log.warn({ ...errorForLog(error), platform: "discord" }, "a reply could not be shared with its files");
    try {
      await api.followUp(shared(false), false);
    } catch (again) {
      desk.log.warn({ ...errorForLog(again), platform: "discord" }, "a reply could not be shared");
      await api.followUp(await compose(shareFailedNotice(), {}, maxBytesOf(interaction), desk, desk.signal), true);
    }
  }
}

function rowsWithoutShare(rows: APIMessageComponentInteraction["message"]["components"] & {}): ActionRows {
  return rows
    .filter((row): row is APIActionRowComponent<APIButtonComponent> => row.type === ComponentType.ActionRow)
    .map((row) => ({
      type: ComponentType.ActionRow as const,
      components: row.components.filter(
        (button) => !("custom_id" in button) || decodePress(button.custom_id)?.kind !== "share",
      ),
    }))
    .filter((row) => row.components.length > 0);
}

/** An embed as it was sent, without what Discord adds when it shows it. */
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

/** A file that Discord holds already, read anew while it is sent. */
function sharedFile(attachment: APIAttachment, signal: AbortSignal): MessageFile {
  const copy: Attachment = {
    name: attachment.filename,
    mediaType: attachment.content_type ?? "application/octet-stream",
    sizeBytes: attachment.size,
    sha256: "",
    open: () => Readable.from(downloadFile(attachment.url, signal)),
    dispose: async () => {},
  };
  return { name: attachment.filename, alt: attachment.description, attachment: copy };
}

async function* downloadFile(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MILLIS)]) });
  if (!response.ok || response.body === null) throw new Error(`Discord's file store answered ${response.status}`);
  yield* response.body;
}
