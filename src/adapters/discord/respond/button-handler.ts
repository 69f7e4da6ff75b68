import { Readable } from "node:stream";

import {
  type APIActionRowComponent,
  type APIAttachment,
  type APIButtonComponent,
  type APIEmbed,
  type APIMessageComponentInteraction,
  ComponentType,
} from "discord-api-types/v10";

import { withTimeout } from "../../../in-time.ts";
import { type Attachment, memoryAttachment, safeFileName } from "../../../reply/attachment.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import { disposeReply, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import type { DiscordContext } from "../context.ts";
import { type ActionRows, decodePress, parsePressPayload, type Press } from "../render/buttons.ts";
import { compose, type ComposedMessage } from "../render/compose.ts";
import { errorForLog } from "../transport/rest.ts";
import { attachmentsOf } from "../transport/upload.ts";
import { answerCommand } from "./answer.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { callerOf, isEphemeral, maxBytesOf } from "./interaction.ts";
import { confirmNotice, expiredNotice, notSharedNotice, shareFailedNotice } from "./notices.ts";

/** The time limit of the store: the press must be answered within 3 s. */
const STORE_TIMEOUT_MILLIS = 1500;

/** Handles a pressed button, whichever process and version made it. */
export async function handleButton(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
): Promise<void> {
  const press = await pressOf(context, interaction.data.custom_id);
  switch (press?.kind) {
    case undefined:
      return replyPrivately(context, api, interaction, expiredNotice(commandBehind(interaction)));
    case "ids":
      return replyPrivately(context, api, interaction, idsReply(press.ids));
    case "share":
      return shareMessage(context, api, interaction);
    case "ask": {
      if (press.confirm !== undefined) return confirm(context, api, interaction, press, press.confirm);
      if (press.effect === "confirmed") return answerCommand(context, api, interaction, press.ask, "replace");
      if (press.effect === "reply") {
        const { id: message, channel_id: channel } = interaction.message;
        // Only an alert has no asker.
        const pressed = press.asker === undefined ? { pressed: { platform: "discord", channel, message } } : {};
        return answerCommand(context, api, interaction, press.ask, "new", pressed);
      }
      // The asker turns the pages in place; other users get pages of their own.
      const own = press.asker === callerOf(interaction).id || isEphemeral(interaction);
      const placement = press.asker === undefined ? "new" : own ? "replace" : "private";
      return answerCommand(context, api, interaction, press.ask, placement, { again: true });
    }
  }
}

async function pressOf(context: DiscordContext, customId: string): Promise<Press | undefined> {
  const decoded = decodePress(customId);
  if (decoded?.kind !== "stored") return decoded;
  return parsePressPayload(await withTimeout(context.payloads.get(decoded.key), STORE_TIMEOUT_MILLIS));
}

/** Asks for confirmation in an ephemeral message, which the answer then replaces. */
function confirm(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
  press: Extract<Press, { kind: "ask" }>,
  question: string,
): Promise<void> {
  const action = { label: "Yes, go on", invocation: press.ask, effect: "reply" } as const;
  const notice = { ...confirmNotice(question), actions: [action] };
  return replyPrivately(context, api, interaction, notice, { confirms: true });
}

/** Answers at once with an ephemeral message. */
async function replyPrivately(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageComponentInteraction,
  given: Reply,
  more: { readonly confirms?: true } = {},
): Promise<void> {
  const asker = callerOf(interaction).id;
  const message = await compose(given, { asker, ...more }, maxBytesOf(interaction), context, context.signal);
  try {
    await api.reply(message);
  } finally {
    await message.dispose();
    await disposeReply(given);
  }
}

/** Full identifiers, one a line, so that a phone can copy each by itself. */
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

/** The command that made the message, where Discord still has it. */
function commandBehind(interaction: APIMessageComponentInteraction): string | undefined {
  const metadata = interaction.message.interaction_metadata;
  const named = metadata !== undefined && "name" in metadata ? metadata.name : undefined;
  return typeof named === "string" ? named : undefined;
}

/** The time limit for reading one file from Discord's CDN. */
const FETCH_TIMEOUT_MILLIS = 60_000;

/**
 * Posts a private reply for all to see, as it was shown, with who shares it and when it was asked. It runs nothing, and
 * of the buttons only those go along that run nothing: links and full ids.
 */
async function shareMessage(
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
  const files = (message.attachments ?? []).map((attachment) => sharedFile(attachment, context.signal));
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
    context.log.warn({ ...errorForLog(error), platform: "discord" }, "share without files");
    try {
      await api.followUp(shared(false), false);
    } catch (again) {
      context.log.warn({ ...errorForLog(again), platform: "discord" }, "share failed");
      await api.followUp(
        await compose(shareFailedNotice(), {}, maxBytesOf(interaction), context, context.signal),
        true,
      );
    }
  }
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
