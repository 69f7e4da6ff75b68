import { MessageFlags, type APIEmbed } from "discord-api-types/v10";

import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Payloads } from "../adapter.ts";
import type { MessageContext, Rows } from "./buttons.ts";
import { fitFiles, type FittedFiles } from "./fit-files.ts";
import { FILES } from "./limits.ts";
import { keepPress, keptCustomId } from "./press.ts";
import { renderDiscord, type DiscordMessage, type MessageFile } from "./render.ts";
import { tooLargeText } from "./too-large.ts";
import { attachmentsOf } from "./upload.ts";

/** A message as Discord takes it, with its files. */
export interface Composed {
  readonly body: {
    readonly content: string;
    readonly embeds: readonly APIEmbed[];
    readonly components: Rows;
    readonly allowed_mentions: { readonly parse: never[]; readonly roles?: string[]; readonly users?: string[] };
    readonly attachments: ReturnType<typeof attachmentsOf>;
    readonly flags?: number;
  };
  readonly files: readonly MessageFile[];
  /** Gives up what was made for sending; the reply's own files stay the caller's. */
  dispose(): Promise<void>;
}

export interface ComposeParts {
  readonly payloads: Payloads;
  readonly log: Log;
  /** For how long a button works whose meaning is kept in the store. */
  readonly keepMillis: number;
}

export const EPHEMERAL: number = MessageFlags.Ephemeral;
export const QUIET: number = MessageFlags.SuppressNotifications;

/** Renders a reply and makes it ready to send: presses kept, files fitted. Rejects only with the signal's reason. */
export async function compose(
  reply: Reply,
  context: MessageContext,
  maxBytes: number,
  parts: ComposeParts,
  signal: AbortSignal,
): Promise<Composed> {
  const message = renderDiscord(reply, context);
  const [components, fitted] = await Promise.all([
    keptButtons(message, parts),
    fit(message.files, maxBytes, parts.log, signal),
  ]);
  const names = new Set(fitted.files.map((file) => `attachment://${file.name}`));
  return {
    body: {
      content: fitted.lost.length === 0 ? "" : tooLargeText(fitted.lost, maxBytes, context.ask),
      embeds: message.embeds.map(({ image, ...embed }) =>
        image === undefined || !names.has(image.url) ? embed : { ...embed, image },
      ),
      components,
      allowed_mentions: { parse: [] },
      attachments: attachmentsOf(fitted.files),
    },
    files: fitted.files,
    dispose: () => fitted.dispose(),
  };
}

/** Files that fit; where none can be compressed (a full disk), those that fit as they are. */
async function fit(
  files: readonly MessageFile[],
  maxBytes: number,
  log: Log,
  signal: AbortSignal,
): Promise<FittedFiles> {
  try {
    return await fitFiles(files, maxBytes, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, platform: "discord" }, "files could not be compressed");
    const small = files.filter((file) => file.attachment.sizeBytes <= maxBytes / FILES).slice(0, FILES);
    const lost = files.filter((file) => !small.includes(file)).map((file) => ({ file, packedBytes: undefined }));
    return { files: small, lost, dispose: async () => {} };
  }
}

/** The buttons with their final ids. Where the store does not answer, those that need it are left out, and the log says so. */
async function keptButtons(message: DiscordMessage, parts: ComposeParts): Promise<Rows> {
  if (message.unkept.size === 0) return message.components;
  const customIds = new Map<string, string>();
  let index = 100;
  for (const [standIn, press] of message.unkept) {
    try {
      const key = await parts.payloads.put(keepPress(press), parts.keepMillis);
      customIds.set(standIn, keptCustomId(key, index));
      index += 1;
    } catch (error) {
      parts.log.error({ err: error, platform: "discord" }, "a button could not be kept and is left out");
    }
  }
  return message.components
    .map((row) => ({
      ...row,
      components: row.components.flatMap((button) => {
        if (!("custom_id" in button) || !message.unkept.has(button.custom_id)) return [button];
        const customId = customIds.get(button.custom_id);
        return customId === undefined ? [] : [{ ...button, custom_id: customId }];
      }),
    }))
    .filter((row) => row.components.length > 0);
}
