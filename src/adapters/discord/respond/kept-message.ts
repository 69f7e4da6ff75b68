import { type APIMessageComponentInteraction, ComponentType } from "discord-api-types/v10";

import type { Reply } from "../../../reply/reply.ts";
import { keptReply, type ReadPress } from "../../chat/press.ts";
import type { DiscordContext } from "../context.ts";
import type { MessageContext } from "../render/buttons.ts";
import { composeKept, keep } from "../render/compose.ts";
import { customIdsIn, decodePress } from "../render/press.ts";
import { renderAnswer } from "../render/render.ts";
import { attachmentsOf } from "../transport/upload.ts";
import { callerOf, type InteractionContext, isEphemeral } from "./interaction.ts";
import { expiredNotice, notSharedNotice } from "./notices.ts";
import { postShared } from "./post-shared.ts";
import { commandBehind, replyPrivately } from "./read-press.ts";

// Details, Less and Share show a reply that is kept for a day. No command runs, and files stay on the message.

type ReadKept = Extract<ReadPress, { kind: "share" }>;
type ButtonContext = InteractionContext<APIMessageComponentInteraction>;

/** Shows a reply whole, or folded again: to its asker in place, to anyone else in a private copy. */
export async function foldMessage(context: ButtonContext, press: ReadKept): Promise<void> {
  const { api, interaction } = context;
  const reply = keptReply(press);
  if (reply === undefined) return replyPrivately(context, expiredNotice(commandBehind(interaction)));
  const { key, show = "folded" } = press;
  const kept = contextOf(press, context);
  const caller = callerOf(interaction).id;
  const isOwn = kept.asker === caller || isEphemeral(interaction);
  const shown = isOwn ? kept : { ...kept, asker: caller, shareable: false };
  const answer = renderAnswer(reply, { ...shown, asker: shown.asker ?? caller });
  const form = answer[show];
  if (isOwn) return api.update(await composeKept(form, key, filesOf(interaction, answer.picture), context));
  const body = await composeKept(form, key, { names: [], picture: undefined }, context);
  return api.reply({ body: { ...body, attachments: [] }, files: [] });
}

/** Posts a kept reply for all to see, with links for its only buttons, beside Details. */
export async function shareKept(context: ButtonContext, press: ReadKept): Promise<void> {
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
  await api.update(
    await composeKept(own[isWhole ? "whole" : "folded"], key, filesOf(interaction, own.picture), context),
  );
  const reply = withoutCommands(given);
  const forAll: MessageContext = { keeps: true, mention: context.mention };
  const { whole, folded, picture } = renderAnswer(reply, forAll);
  const sharedKey = await keep(reply, forAll, context, at);
  const form = sharedKey === undefined ? whole : folded;
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

/** A reply without its actions, except for links. */
function withoutCommands(reply: Reply): Reply {
  return {
    ...reply,
    blocks: reply.blocks.map((block) => {
      if (block.kind !== "table") return block;
      const { rowAction: _rowAction, ...table } = block;
      return table;
    }),
    actions: reply.actions.filter((action) => "url" in action),
  };
}
