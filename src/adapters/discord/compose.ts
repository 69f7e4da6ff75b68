import { MessageFlags, type APIEmbed } from "discord-api-types/v10";

import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import { keepPresses, type KeepParts } from "../keep-presses.ts";
import type { MessageContext, Rows } from "./buttons.ts";
import { fitFiles, type FittedFiles, type LostFile } from "./fit-files.ts";
import { ALL_FILES_BYTES, BUTTONS_PER_ROW, CONTENT_LENGTH, FILES } from "./limits.ts";
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

export const EPHEMERAL: number = MessageFlags.Ephemeral;
export const QUIET: number = MessageFlags.SuppressNotifications;

/** Renders a reply and makes it ready to send: presses kept, files fitted. Rejects only with the signal's reason. */
export async function compose(
  reply: Reply,
  context: MessageContext,
  maxBytes: number,
  parts: KeepParts,
  signal: AbortSignal,
): Promise<Composed> {
  const message = renderDiscord(reply, context);
  const [buttons, fitted] = await Promise.all([
    keptButtons(message, parts),
    fit(message.files, maxBytes, parts.log, signal),
  ]);
  const missing =
    buttons.missing === 0 ? "" : `Buttons missing here, since what they mean could not be kept: ${buttons.missing}.`;
  const tooLarge = tooLargeText(fitted.lost, maxBytes, context.ask, CONTENT_LENGTH - missing.length - 1);
  const names = new Set(fitted.files.map((file) => `attachment://${file.name}`));
  return {
    body: {
      content: [tooLarge, missing].filter((part) => part !== "").join("\n"),
      embeds: message.embeds.map(({ image, ...embed }) =>
        image === undefined || !names.has(image.url) ? embed : { ...embed, image },
      ),
      components: buttons.rows,
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
    const kept: MessageFile[] = [];
    const lost: LostFile[] = [];
    let room = ALL_FILES_BYTES;
    for (const file of files) {
      const { sizeBytes } = file.attachment;
      if (kept.length === FILES || sizeBytes > Math.min(maxBytes, room)) {
        lost.push({ file, packedBytes: undefined });
        continue;
      }
      kept.push(file);
      room -= sizeBytes;
    }
    return { files: kept, lost, dispose: async () => {} };
  }
}

/** The buttons with their final ids, without those whose meaning could not be kept. */
async function keptButtons(
  { components, unkept }: DiscordMessage,
  parts: KeepParts,
): Promise<{ readonly rows: Rows; readonly missing: number }> {
  if (unkept.size === 0) return { rows: components, missing: 0 };
  const meanings = new Map([...unkept].map(([standIn, press]) => [standIn, keepPress(press)]));
  const keys = await keepPresses("discord", meanings, parts);
  const rows = components
    .map((row, above) => ({
      ...row,
      components: row.components.flatMap((button, before) => {
        if (!("custom_id" in button) || !unkept.has(button.custom_id)) return [button];
        const key = keys.get(button.custom_id);
        const index = above * BUTTONS_PER_ROW + before;
        return key === undefined ? [] : [{ ...button, custom_id: keptCustomId(key, index) }];
      }),
    }))
    .filter((row) => row.components.length > 0);
  return { rows, missing: unkept.size - keys.size };
}
