import { type APIEmbed, MessageFlags } from "discord-api-types/v10";

import type { Log } from "../../../log.ts";
import { fullText } from "../../../reply/full-text.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import type { Reply } from "../../../reply/reply.ts";
import { toText } from "../../../reply/text.ts";
import { type ButtonPayloadDependencies, storeButtonPayloads } from "../../store-button-payloads.ts";
import { BUTTONS_PER_ROW, CONTENT_LENGTH } from "../limits.ts";
import { attachmentsOf } from "../transport/upload.ts";
import { type ActionRows, type MessageContext, pressPayload, storedPressId } from "./buttons.ts";
import { fitFiles, type FittedFiles, tooLargeText } from "./files.ts";
import { renderText } from "./markdown.ts";
import { type DiscordMessage, renderDiscord } from "./render.ts";

/** A message ready for Discord's REST interface, with its files. */
export interface ComposedMessage {
  readonly body: {
    readonly content: string;
    readonly embeds: readonly APIEmbed[];
    readonly components: ActionRows;
    readonly allowed_mentions: { readonly parse: never[]; readonly roles?: string[]; readonly users?: string[] };
    readonly attachments: ReturnType<typeof attachmentsOf>;
    readonly flags?: number;
  };
  readonly files: readonly MessageFile[];
  /** Removes the archives made for sending; the caller disposes of the reply's own files. */
  dispose(): Promise<void>;
}

/** `<@&`, 20 digits, `>` and the end of the line. */
const MENTION_LENGTH = 25;

export const EPHEMERAL: number = MessageFlags.Ephemeral;
export const SILENT: number = MessageFlags.SuppressNotifications;

/** Renders a reply and makes it ready to send: long presses stored, files fitted. Rejects only with the signal's reason. */
export async function compose(
  reply: Reply,
  context: MessageContext,
  maxBytes: number,
  dependencies: ButtonPayloadDependencies,
  signal: AbortSignal,
): Promise<ComposedMessage> {
  const message = renderDiscord(reply, context);
  const [buttons, fitted] = await Promise.all([
    storeButtons(message, dependencies),
    fit(message.files, maxBytes, dependencies.log, signal),
  ]);
  const missing =
    buttons.missing === 0 ? "" : `Buttons missing here, since what they mean could not be kept: ${buttons.missing}.`;
  const tooLarge = tooLargeText(fitted.unsendable, maxBytes, context.ask, CONTENT_LENGTH - missing.length - 1);
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

/** A reply as escaped text alone, cut to one message: for a message whose usual form Discord refused. */
export function composePlain(reply: Reply): ComposedMessage {
  // Room for a mention above it.
  const max = CONTENT_LENGTH - MENTION_LENGTH;
  const { markdown } = renderText(toText(fullText(reply)), { max, lines: true });
  const body = { content: markdown, embeds: [], components: [], allowed_mentions: { parse: [] }, attachments: [] };
  return { body, files: [], dispose: () => Promise.resolve() };
}

/** Fits files by compressing them; where that fails (a full disk), keeps the files that fit as they are. */
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
    log.error({ err: error, platform: "discord" }, "compression failed");
    return await fitFiles(files, maxBytes, signal, false);
  }
}

/** The buttons with their final ids, without those whose press could not be stored. */
async function storeButtons(
  { components, unstored }: DiscordMessage,
  dependencies: ButtonPayloadDependencies,
): Promise<{ readonly rows: ActionRows; readonly missing: number }> {
  if (unstored.size === 0) return { rows: components, missing: 0 };
  const meanings = new Map([...unstored].map(([standIn, press]) => [standIn, pressPayload(press)]));
  const keys = await storeButtonPayloads("discord", meanings, dependencies);
  const rows = components
    .map((row, above) => ({
      ...row,
      components: row.components.flatMap((button, before) => {
        if (!("custom_id" in button) || !unstored.has(button.custom_id)) return [button];
        const key = keys.get(button.custom_id);
        const index = above * BUTTONS_PER_ROW + before;
        return key === undefined ? [] : [{ ...button, custom_id: storedPressId(key, index) }];
      }),
    }))
    .filter((row) => row.components.length > 0);
  return { rows, missing: unstored.size - keys.size };
}
