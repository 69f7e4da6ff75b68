import { ApplicationCommandType, InteractionType, type APIInteraction } from "discord-api-types/v10";
import { DiscordAPIError } from "@discordjs/rest";

import { answerAsk } from "./answer-ask.ts";
import { answerPress } from "./answer-press.ts";
import type { Desk } from "./desk.ts";
import { callerOf, targetOf, typedIn } from "./input.ts";
import { InteractionApi } from "./interaction-api.ts";
import { faultForLog } from "./rest-fault.ts";
import { CHOICE_LENGTH, OPTION_CHOICES } from "./limits.ts";

/** Answers one interaction as Discord sends it, over the gateway or over HTTP. Never rejects. */
export async function handleInteraction(desk: Desk, interaction: APIInteraction): Promise<void> {
  try {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        if (interaction.data.type !== ApplicationCommandType.ChatInput) return;
        return await answerAsk(desk, interaction as ChatInput, typedIn(interaction as ChatInput).ask, "new");
      case InteractionType.MessageComponent:
        return await answerPress(desk, interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return await complete(desk, interaction);
      case InteractionType.Ping:
      case InteractionType.ModalSubmit:
        // Pings are for the HTTP endpoint to answer; no form is ever shown.
        return;
    }
  } catch (error) {
    // 10062: answered too late, or by another process; there is nothing left to say it to.
    const late = error instanceof DiscordAPIError && error.code === 10_062;
    desk.log[late ? "warn" : "error"](
      { ...faultForLog(error), platform: "discord", interaction: interaction.id },
      "an interaction went without its answer",
    );
  }
}

type ChatInput = Parameters<typeof typedIn>[0];

/** Offers values in time, or none: an empty list tells the person to type on. */
async function complete(
  desk: Desk,
  interaction: Extract<APIInteraction, { type: InteractionType.ApplicationCommandAutocomplete }>,
): Promise<void> {
  const api = new InteractionApi(desk.rest, interaction);
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
