import { Readable } from "node:stream";

import type { APIAttachment, APIMessageComponentInteraction } from "discord-api-types/v10";

import type { Attachment } from "../../../reply/attachment.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { compose, type ComposedMessage } from "../render/compose.ts";
import { errorForLog } from "../transport/rest.ts";
import { callerOf, type InteractionContext } from "./interaction.ts";
import { shareFailedNotice } from "./notices.ts";

/** The time limit for reading one file from Discord's CDN. */
const FETCH_TIMEOUT_MILLIS = 60_000;

/**
 * Posts a message for all to see, with who shares it and when it was asked, and with copies of its files; without them
 * where they cannot be copied. A private notice says where nothing could be posted.
 */
export async function postShared(
  context: InteractionContext<APIMessageComponentInteraction>,
  askedAt: Milliseconds,
  bodyOf: (words: string, files: readonly MessageFile[]) => ComposedMessage["body"],
): Promise<void> {
  const { api, interaction } = context;
  const attachments = interaction.message.attachments ?? [];
  const words = `Shared by <@${callerOf(interaction).id}>, asked <t:${Math.trunc(askedAt / 1000)}:R>`;
  const post = (said: string, files: readonly MessageFile[]): Promise<void> =>
    api.followUp({ body: bodyOf(said, files), files }, false);
  try {
    const files = attachments.map((attachment) => sharedFile(attachment, context.signal));
    await post(words, files);
  } catch (error) {
    context.log.warn({ ...errorForLog(error), platform: "discord" }, "share without files");
    try {
      await post(attachments.length === 0 ? words : `${words}; its files could not be copied`, []);
    } catch (again) {
      context.log.warn({ ...errorForLog(again), platform: "discord" }, "share failed");
      const notice = await compose(shareFailedNotice(), {}, context);
      await api.followUp(notice, true);
    }
  }
}

/** A file from Discord's CDN, read while it is sent. */
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
