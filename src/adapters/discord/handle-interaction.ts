import {
  ApplicationCommandType,
  InteractionType,
  RESTJSONErrorCodes,
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIPingInteraction,
} from "discord-api-types/v10";

import { answerAsk } from "./answer-ask.ts";
import { answerPress } from "./answer-press.ts";
import { compose } from "./compose.ts";
import type { Desk } from "./desk.ts";
import { callerOf, targetOf, typedIn } from "./input.ts";
import { InteractionApi } from "./interaction-api.ts";
import { CHOICE_LENGTH, FILE_BYTES, OPTION_CHOICES } from "./limits.ts";
import { unansweredNotice } from "./notices.ts";
import { faultForLog, hasCode } from "./rest-fault.ts";

/** Answers one interaction as Discord sends it, over the gateway or over HTTP. Never rejects. */
export async function handleInteraction(desk: Desk, interaction: APIInteraction): Promise<void> {
  // Pings are for the HTTP endpoint to answer.
  if (interaction.type === InteractionType.Ping) return;
  const api = new InteractionApi(desk, interaction);
  try {
    await answer(desk, api, interaction);
  } catch (error) {
    // Answered too late, or by another process: there is nothing left to say it to.
    const late = hasCode(error, ...LATE_CODES);
    desk.log[late ? "warn" : "error"](
      { ...faultForLog(error), platform: "discord", interaction: interaction.id },
      "an interaction went without its answer",
    );
    if (!late && !api.over) await excuse(desk, api, interaction);
  }
}

/** What Discord says to whoever comes too late. */
const LATE_CODES = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
] as const;

async function answer(
  desk: Desk,
  api: InteractionApi,
  interaction: Exclude<APIInteraction, APIPingInteraction>,
): Promise<void> {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      // Only such commands are ever registered.
      if (!isChatInput(interaction)) throw new TypeError("a command that was never registered");
      return answerAsk(desk, api, interaction, typedIn(interaction).ask, "new");
    }
    case InteractionType.MessageComponent:
      return answerPress(desk, api, interaction);
    case InteractionType.ApplicationCommandAutocomplete:
      return complete(desk, api, interaction);
    case InteractionType.ModalSubmit:
      throw new TypeError("a form that was never shown");
  }
}

/** A last word where everything else failed, so that nobody waits for nothing. */
async function excuse(desk: Desk, api: InteractionApi, interaction: APIInteraction): Promise<void> {
  try {
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (!api.acknowledged) await api.choices([]);
      return;
    }
    const word = await compose(unansweredNotice(), {}, FILE_BYTES, desk, desk.signal);
    if (!api.acknowledged) await api.reply(word);
    // What is still thinking says it in its own place; a message that was pressed stays as it is.
    else if (interaction.type === InteractionType.ApplicationCommand) await api.editOnce(word);
    else await api.followUp(word, true);
  } catch (error) {
    desk.log.debug({ ...faultForLog(error), platform: "discord" }, "nor could it be excused");
  }
}

function isChatInput(
  interaction: Extract<APIInteraction, { type: InteractionType.ApplicationCommand }>,
): interaction is APIChatInputApplicationCommandInteraction {
  return interaction.data.type === ApplicationCommandType.ChatInput;
}

/** Offers values in time, or none: an empty list tells the person to type on. */
async function complete(
  desk: Desk,
  api: InteractionApi,
  interaction: APIApplicationCommandAutocompleteInteraction,
): Promise<void> {
  const { ask, focused } = typedIn(interaction);
  const timeOut = AbortSignal.timeout(desk.suggestMillis);
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
    .slice(0, OPTION_CHOICES)
    .map(({ label, value }) => ({ label: shorten(label.trim() === "" ? value : label), value }));
  await api.choices(choices);
}

function shorten(label: string): string {
  const points = Array.from(label.toWellFormed());
  while (points.join("").length > CHOICE_LENGTH) points.pop();
  return points.join("");
}
