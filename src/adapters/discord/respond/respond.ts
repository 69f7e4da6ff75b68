// Responds to interactions: commands, buttons, autocompletion. Read next: answer.ts (runs a command and answers it),
// button-handler.ts (a pressed button), interaction-api.ts (the calls that answer, and their retries),
// interaction.ts (who asks what, and where), notices.ts (the adapter's own texts).

import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageApplicationCommandInteraction,
  type APIPingInteraction,
  ApplicationCommandType,
  InteractionType,
  RESTJSONErrorCodes,
} from "discord-api-types/v10";

import { noAlertNotice, WHY_THIS_ALERT, whyAsk } from "../../chat/why-this-alert.ts";
import type { DiscordContext } from "../context.ts";
import { CHOICE_LENGTH, MAX_FILE_BYTES, MAX_OPTION_CHOICES } from "../limits.ts";
import { compose } from "../render/compose.ts";
import { customIdsIn } from "../render/press.ts";
import { errorForLog, hasErrorCode } from "../transport/rest.ts";
import { answerCommand } from "./answer.ts";
import { handleButton } from "./button-handler.ts";
import { InteractionApi } from "./interaction-api.ts";
import { callerOf, targetOf, typedCommand } from "./interaction.ts";
import { submittedAsk } from "./form.ts";
import { answerFailedNotice, expiredNotice } from "./notices.ts";
import { commandBehind, pressOf, replyPrivately } from "./read-press.ts";

/** Answers one interaction as Discord sends it, over the gateway or over HTTP. Never rejects. */
export async function respondToInteraction(context: DiscordContext, interaction: APIInteraction): Promise<void> {
  // The HTTP endpoint answers pings.
  if (interaction.type === InteractionType.Ping) return;
  const api = new InteractionApi(context, interaction);
  try {
    await respond(context, api, interaction);
  } catch (error) {
    // Too late, or answered by another process: no answer gets through any more.
    const late = hasErrorCode(error, ...TOO_LATE_CODES);
    context.log[late ? "warn" : "error"](
      { ...errorForLog(error), platform: "discord", interaction: interaction.id },
      "answer failed",
    );
    if (!late && !api.expired) await sendApology(context, api, interaction);
  }
}

/** Discord's error codes for an answer that comes too late. */
const TOO_LATE_CODES = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
] as const;

async function respond(
  context: DiscordContext,
  api: InteractionApi,
  interaction: Exclude<APIInteraction, APIPingInteraction>,
): Promise<void> {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      if (isChatInput(interaction))
        return answerCommand(context, api, interaction, typedCommand(interaction).ask, "new");
      if (isWhyThisAlert(interaction)) return whyThisAlert(context, api, interaction);
      throw new TypeError("a command that was never registered");
    }
    case InteractionType.MessageComponent:
      return handleButton(context, api, interaction);
    case InteractionType.ApplicationCommandAutocomplete:
      return complete(context, api, interaction);
    case InteractionType.ModalSubmit: {
      const submitted = await submittedAsk(context, interaction);
      if (submitted === undefined)
        return replyPrivately(context, api, interaction, expiredNotice(commandBehind(interaction)));
      const { ask, form } = submitted;
      return answerCommand(context, api, interaction, ask, "new", { form });
    }
  }
}

/** A last notice where everything else failed, so that the user does not wait for nothing. */
async function sendApology(context: DiscordContext, api: InteractionApi, interaction: APIInteraction): Promise<void> {
  try {
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (!api.acknowledged) await api.autocomplete([]);
      return;
    }
    const notice = await compose(answerFailedNotice(), {}, MAX_FILE_BYTES, context, context.signal);
    if (!api.acknowledged) await api.reply(notice);
    // It replaces "… is thinking"; the message of a pressed button stays as it is.
    else if (interaction.type === InteractionType.MessageComponent) await api.followUp(notice, true);
    else await api.editWithoutRetry(notice);
  } catch (error) {
    context.log.debug({ ...errorForLog(error), platform: "discord" }, "apology failed");
  }
}

function isChatInput(
  interaction: Extract<APIInteraction, { type: InteractionType.ApplicationCommand }>,
): interaction is APIChatInputApplicationCommandInteraction {
  return interaction.data.type === ApplicationCommandType.ChatInput;
}

function isWhyThisAlert(
  interaction: Extract<APIInteraction, { type: InteractionType.ApplicationCommand }>,
): interaction is APIMessageApplicationCommandInteraction {
  return interaction.data.type === ApplicationCommandType.Message && interaction.data.name === WHY_THIS_ALERT;
}

/** Tells the story of the alert in a message, to whoever chose it alone. */
async function whyThisAlert(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIMessageApplicationCommandInteraction,
): Promise<void> {
  const { target_id: target, resolved } = interaction.data;
  const ask = await whyAsk(customIdsIn(resolved.messages[target]?.components ?? []), async (id) => {
    const press = await pressOf(context, id).catch(() => undefined);
    return press?.kind === "ask" ? press.ask : undefined;
  });
  return ask === undefined
    ? replyPrivately(context, api, interaction, noAlertNotice())
    : answerCommand(context, api, interaction, ask, "private");
}

/** Autocompletes in time, or with an empty list. */
async function complete(
  context: DiscordContext,
  api: InteractionApi,
  interaction: APIApplicationCommandAutocompleteInteraction,
): Promise<void> {
  const { ask, focused } = typedCommand(interaction);
  const timeOut = AbortSignal.timeout(context.autocompleteMillis);
  const signal = AbortSignal.any([context.signal, timeOut]);
  const found =
    focused === undefined
      ? []
      : await context.bot.suggest({
          ...ask,
          ...focused,
          here: targetOf(interaction),
          caller: callerOf(interaction),
          signal,
        });
  const choices = found
    .filter(({ value }) => value.length > 0 && value.length <= CHOICE_LENGTH)
    .slice(0, MAX_OPTION_CHOICES)
    .map(({ label, value }) => ({ label: shorten(label.trim() === "" ? value : label), value }));
  await api.autocomplete(choices);
}

function shorten(label: string): string {
  const points = Array.from(label.toWellFormed());
  while (points.join("").length > CHOICE_LENGTH) points.pop();
  return points.join("");
}
