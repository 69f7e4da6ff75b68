import { type APIModalSubmitInteraction, InteractionType } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { AnyCommand } from "../../../bot/command.ts";
import type { Prepared } from "../../../bot/invocation.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import { KEPT_MILLIS, storePresses } from "../../chat/press.ts";
import { changedOptions, formValues, readModal, renderModal } from "../render/modal.ts";
import { storedPressId } from "../render/press.ts";
import { errorForLog } from "../transport/rest.ts";
import { pressOf } from "./read-press.ts";
import type { InteractionContext } from "./interaction.ts";

// The form of a command that changes a thing. It opens where only the thing is named, and only as the first answer.

/** Whether a form can answer: the command changes a thing, and nothing but this thing is named. */
export function takesForm({ bot, interaction }: InteractionContext, ask: Ask): boolean {
  const edits = commandOf(bot.commands, ask)?.edits;
  const named = Object.keys(ask.options);
  const namesThing = edits !== undefined && named.length === 1 && named[0] === edits.option;
  return namesThing && interaction.type !== InteractionType.ModalSubmit;
}

/** Opens the form of a command with the present values of the thing; false where the store or Discord does not take it. */
export async function openForm(context: InteractionContext, ask: Ask, present: Ask["options"]): Promise<boolean> {
  const { api } = context;
  const command = commandOf(context.bot.commands, ask);
  if (command === undefined) return false;
  const before = formValues(command, present);
  const press = { kind: "form", ask, before } as const;
  const keys = await storePresses("discord", [["form", press]], { ...context, ttlMillis: KEPT_MILLIS });
  const key = keys.get("form");
  if (key === undefined) return false;
  try {
    await api.showForm(renderModal(command, before, context.bot.networks, storedPressId({ key }, 0)));
    return true;
  } catch (error) {
    if (!(error instanceof DiscordAPIError) || api.acknowledged) throw error;
    context.log.error({ ...errorForLog(error), platform: "discord", command: ask.command }, "form not opened");
    return false;
  }
}

/** What a submitted form asks, and the question that opened it; undefined for one that is no longer known. */
export async function submittedAsk(
  context: InteractionContext<APIModalSubmitInteraction>,
): Promise<{ readonly ask: Ask; readonly form: Ask } | undefined> {
  const { data } = context.interaction;
  const press = await pressOf(context, data.custom_id);
  const command = press?.kind === "form" ? commandOf(context.bot.commands, press.ask) : undefined;
  if (press?.kind !== "form" || command === undefined) return undefined;
  const changed = changedOptions(command, press.before ?? {}, readModal(data));
  return { ask: { ...press.ask, options: { ...press.ask.options, ...changed } }, form: press.ask };
}

/** Adds a button that leads back to the form to a mistake in it: Discord shows no error in its fields. */
export function withBackToForm(prepared: Prepared, form: Ask | undefined): Prepared {
  if (form === undefined) return prepared;
  const back = { label: "Back to the form", invocation: form, effect: "reply" } as const;
  const mended = (reply: Reply): Reply =>
    reply.failure === "caller" ? { ...reply, actions: [...reply.actions, back] } : reply;
  return prepared.ok
    ? { ...prepared, run: async () => mended(await prepared.run()) }
    : { ...prepared, reply: mended(prepared.reply) };
}

function commandOf(commands: readonly AnyCommand[], { command }: Ask): AnyCommand | undefined {
  return commands.find(({ name }) => name === command);
}
