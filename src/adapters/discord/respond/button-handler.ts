import { Readable } from "node:stream";

import { type APIAttachment, type APIMessageComponentInteraction, ComponentType } from "discord-api-types/v10";

import {
  type Ask,
  type Attachment,
  memoryAttachment,
  type MessageFile,
  reply,
  type Reply,
} from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { Invocation } from "../../../bot/invocation.ts";
import { keptReply, type Press, type ReadPress, forSharing } from "../../chat/press.ts";
import type { DiscordContext } from "../context.ts";
import type { MessageContext } from "../render/buttons.ts";
import { MAX_FILES } from "../limits.ts";
import { compose, type ComposedMessage, composeKept, keep } from "../render/compose.ts";
import { customIdsIn, decodePress } from "../render/press.ts";
import { renderAnswer } from "../render/render.ts";
import { errorForLog } from "../transport/rest.ts";
import { attachmentsOf } from "../transport/upload.ts";
import { answerCommand } from "./answer.ts";
import { answerInPlace, confirmBelow, confirmQuestion, messageAbove } from "./answer-in-place.ts";
import { openPressedForm } from "./form.ts";
import { callerOf, type InteractionContext, isEmbed, isEphemeral, isShared } from "./interaction.ts";
import { expiredNotice, notSharedNotice, shareFailedNotice } from "./notices.ts";
import { commandBehind, pressOf, replyPrivately } from "./read-press.ts";

/** The time limit for reading one file from Discord's CDN. */
const FETCH_TIMEOUT_MILLIS = 60_000;

/** Handles a pressed button, whichever process and version made it. */
export async function handleButton(context: InteractionContext<APIMessageComponentInteraction>): Promise<void> {
  const { interaction } = context;
  const { data } = interaction;
  const picked = data.component_type === ComponentType.StringSelect ? data.values[0] : undefined;
  const press = await pressOf(context, data.custom_id, picked);
  switch (press?.kind) {
    case undefined:
    case "files":
    case "home":
    case "question":
      return replyPrivately(context, expiredNotice(commandBehind(interaction)));
    case "form":
      return openPressedForm(context, press);
    case "ids":
      return replyPrivately(context, idsReply(press.ids));
    case "share":
      return (press.show === undefined ? shareKept : foldMessage)(context, press);
    case "ask":
      return answerAsk(context, press);
  }
}

/** Runs a button's command, and answers where that belongs. */
async function answerAsk(context: ButtonContext, press: Extract<ReadPress, { kind: "ask" }>): Promise<void> {
  const { interaction } = context;
  const { ask, asker, confirm, effect } = press;
  // The asker turns the pages in place; other users get pages of their own. An embed cannot become components.
  const own = (asker === callerOf(interaction).id || isEphemeral(interaction)) && !isEmbed(interaction);
  // Whoever takes an offer that all see, it is taken.
  const isOutdated = press.invalidates !== undefined && (own || (press.invalidates === true && !isEmbed(interaction)));
  // Asks in an ephemeral message, which the answer then replaces.
  if (confirm !== undefined) {
    if (isOutdated) return confirmBelow(context, press, confirm);
    return replyPrivately(context, confirmQuestion(context, press, confirm), { confirms: {} });
  }
  if (effect === "confirmed") {
    const first = isOutdated ? messageAbove(context, press) : undefined;
    return first === undefined ? answerCommand(context, ask, "replace") : answerInPlace(context, press, { first });
  }
  if (isOutdated) return answerInPlace(context, press);
  if (effect === "reply") {
    const { id: message, channel_id: channel } = interaction.message;
    // Only an alert has no asker.
    const pressed = asker === undefined ? { pressed: { platform: "discord", channel, message } } : {};
    // What comes of an answer that one alone sees is seen by nobody else, but for a change that all are told of.
    const announces = context.bot.commands.some(({ announced, name }) => name === ask.command && announced === true);
    return answerCommand(context, ask, isEphemeral(interaction) && !announces ? "private" : "new", pressed);
  }
  const placement = asker === undefined ? "new" : own ? "replace" : "private";
  return answerCommand(context, ask, placement, {
    again: true,
    ...(placement === "replace" ? seenBy(context, ask) : {}),
  });
}

/** What takes the place of an answer that everybody sees tells of the channel alone, unless the asker chose otherwise. */
function seenBy({ bot, interaction }: ButtonContext, { command, options }: Ask): Pick<Invocation, "openly"> {
  const isForAll = !isEphemeral(interaction) && isShared(interaction) && options["private"] === undefined;
  const readsHere = bot.commands.some((one) => one.name === command && one.readsHere === true);
  return isForAll && readsHere ? { openly: true } : {};
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

// Details, Less and Share show a reply that is kept for a day. No command runs, and files stay on the message. Files with
// what Details has no room for, such as the CSV of a long table, come with it: on a phone they are in the way before.

type ReadKept = Extract<ReadPress, { kind: "share" }>;
type ButtonContext = InteractionContext<APIMessageComponentInteraction>;

/** Shows a page of a reply, or folds it again: in place where nobody else sees it, else in a private copy. */
async function foldMessage(context: ButtonContext, press: ReadKept): Promise<void> {
  const { api, interaction } = context;
  const reply = keptReply(press);
  if (reply === undefined) return replyPrivately(context, expiredNotice(commandBehind(interaction)));
  const { key, show = "folded" } = press;
  const kept = contextOf(press, context);
  const caller = callerOf(interaction).id;
  const isOwn = isEphemeral(interaction) || (kept.asker === caller && !isShared(interaction));
  const shown = isOwn ? kept : { ...kept, asker: caller, shareable: false };
  const answer = renderAnswer(reply, { ...shown, asker: shown.asker ?? caller });
  const form = answer.formOf(show);
  const there = isOwn ? (interaction.message.attachments ?? []) : [];
  const names = there.map(({ filename }) => filename);
  const files = (show === "folded" ? [] : answer.laterFiles)
    .filter(({ name }) => !names.includes(name))
    .slice(0, MAX_FILES - names.length);
  const shownFiles = { names: [...names, ...files.map(({ name }) => name)], picture: answer.picture };
  const body = await composeKept(form, key, shownFiles, context);
  const added = attachmentsOf(files);
  if (!isOwn) return api.reply({ body: { ...body, attachments: added }, files });
  // An edit drops what it does not list.
  const attachments = [...there.map(({ id }) => ({ id })), ...added];
  return api.update(files.length === 0 ? body : { ...body, attachments }, files);
}

/** Posts a kept reply for all to see, with links for its only buttons, beside Details. */
async function shareKept(context: ButtonContext, press: ReadKept): Promise<void> {
  const { api, interaction } = context;
  const { at = context.now(), key } = press;
  const kept = contextOf(press, context);
  const command = kept.ask?.command ?? commandBehind(interaction);
  const given = keptReply(press);
  if (given === undefined) return replyPrivately(context, expiredNotice(command));
  if (command !== undefined && !context.bot.commonButtons(command).share) {
    return replyPrivately(context, notSharedNotice(command));
  }
  // The acknowledgement removes the button, so that it cannot share twice.
  const own = renderAnswer(given, { ...kept, shareable: false });
  const isWhole = customIdsIn(interaction.message.components ?? []).some((id) => {
    const press = decodePress(id);
    return press?.kind === "stored" && press.show === "folded";
  });
  const shown = own.formOf(isWhole ? "whole" : "folded");
  await api.update(await composeKept(shown, key, filesOf(interaction, own.picture), context));
  const reply = forSharing(given);
  const forAll: MessageContext = { keeps: true, mention: context.mention };
  const { folded: form, picture } = renderAnswer(reply, forAll);
  const sharedKey = await keep(reply, forAll, context, at);
  const names = (interaction.message.attachments ?? []).map(({ filename }) => filename);
  const withFiles = await composeKept(form, sharedKey, { names, picture }, context);
  const withoutFiles = await composeKept(form, sharedKey, { names: [], picture }, context);
  await postShared(context, at, (content, files) => {
    const { components, ...body } = files.length === 0 ? withoutFiles : withFiles;
    const attachments = attachmentsOf(files);
    return { ...body, components: [{ type: ComponentType.TextDisplay, content }, ...components], attachments };
  });
}

function contextOf({ context: kept }: ReadKept, { mention }: DiscordContext): MessageContext {
  return { ...kept, keeps: true, mention };
}

/** The files that are on the message already. */
function filesOf(interaction: APIMessageComponentInteraction, picture: string | undefined) {
  return { names: (interaction.message.attachments ?? []).map(({ filename }) => filename), picture };
}

/**
 * Posts a message for all to see, with who shares it and when it was asked, and with copies of its files; without them
 * where they cannot be copied. A private notice says where nothing could be posted.
 */
async function postShared(
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
