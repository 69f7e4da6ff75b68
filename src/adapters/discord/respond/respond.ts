import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIPingInteraction,
  ApplicationCommandType,
  InteractionType,
  RESTJSONErrorCodes,
} from "discord-api-types/v10";

import type { DiscordContext } from "../context.ts";
import { CHOICE_LENGTH, MAX_FILE_BYTES, MAX_OPTION_CHOICES } from "../limits.ts";
import { compose } from "../render/compose.ts";
import { errorForLog, hasErrorCode } from "../transport/rest.ts";
import { answerCommand } from "./answer.ts";
import { handleButton } from "./button-handler.ts";
import { InteractionApi } from "./interaction-api.ts";
import { callerOf, targetOf, typedCommand } from "./interaction.ts";
import { answerFailedNotice } from "./notices.ts";

/** Answers one interaction as Discord sends it, over the gateway or over HTTP. Never rejects. */
export async function respondToInteraction(desk: DiscordContext, interaction: APIInteraction): Promise<void> {
  // Pings are for the HTTP endpoint to answer.
  if (interaction.type === InteractionType.Ping) return;
  const api = new InteractionApi(desk, interaction);
  try {
    await respond(desk, api, interaction);
  } catch (error) {
    // Answered too late, or by another process: there is nothing left to say it to.
    const late = hasErrorCode(error, ...TOO_LATE_CODES);
    desk.log[late ? "warn" : "error"](
      { ...errorForLog(error), platform: "discord", interaction: interaction.id },
      "an interaction went without its answer",
    );
    if (!late && !api.expired) await sendApology(desk, api, interaction);
  }
}

/** What Discord says to whoever comes too late. */
const TOO_LATE_CODES = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
] as const;

async function respond(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: Exclude<APIInteraction, APIPingInteraction>,
): Promise<void> {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      // Only such commands are ever registered.
      if (!isChatInput(interaction)) throw new TypeError("a command that was never registered");
      return answerCommand(desk, api, interaction, typedCommand(interaction).ask, "new");
    }
    case InteractionType.MessageComponent:
      return handleButton(desk, api, interaction);
    case InteractionType.ApplicationCommandAutocomplete:
      return complete(desk, api, interaction);
    case InteractionType.ModalSubmit:
      throw new TypeError("a form that was never shown");
  }
}

/** A last word where everything else failed, so that nobody waits for nothing. */
async function sendApology(desk: DiscordContext, api: InteractionApi, interaction: APIInteraction): Promise<void> {
  try {
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (!api.acknowledged) await api.autocomplete([]);
      return;
    }
    const word = await compose(answerFailedNotice(), {}, MAX_FILE_BYTES, desk, desk.signal);
    if (!api.acknowledged) await api.reply(word);
    // What is still thinking says it in its own place; a message that was pressed stays as it is.
    else if (interaction.type === InteractionType.ApplicationCommand) await api.editWithoutRetry(word);
    else await api.followUp(word, true);
  } catch (error) {
    desk.log.debug({ ...errorForLog(error), platform: "discord" }, "nor could it be excused");
  }
}

function isChatInput(
  interaction: Extract<APIInteraction, { type: InteractionType.ApplicationCommand }>,
): interaction is APIChatInputApplicationCommandInteraction {
  return interaction.data.type === ApplicationCommandType.ChatInput;
}

/** Offers values in time, or none: an empty list tells the person to type on. */
async function complete(
  desk: DiscordContext,
  api: InteractionApi,
  interaction: APIApplicationCommandAutocompleteInteraction,
): Promise<void> {
  const { ask, focused } = typedCommand(interaction);
  const timeOut = AbortSignal.timeout(desk.autocompleteMillis);
  const signal = AbortSignal.any([desk.signal, timeOut]);
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  signal.addEventListener("abort", () => resolve([]), { once: true });
  const found =
    focused === undefined
      ? []
      : await Promise.race([
          desk.bot.suggest({ ...ask, ...focused, here: targetOf(interaction), caller: callerOf(interaction), signal }),
          late,
        ]);
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
