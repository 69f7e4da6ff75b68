// Responds to interactions: commands, buttons, autocompletion. Read next: answer.ts (runs a command and answers it),
// button-handler.ts (a pressed button), interaction-api.ts (the calls that answer, and their retries),
// interaction.ts (who asks what, and where), notices.ts (the adapter's own texts).

import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
  type APIMessageApplicationCommandInteractionData,
  ApplicationCommandType,
  InteractionType,
  RESTJSONErrorCodes,
} from "discord-api-types/v10";

import { noAlertNotice, WHY_THIS_ALERT, whyAsk } from "../../chat/why-this-alert.ts";
import type { DiscordContext } from "../context.ts";
import { CHOICE_LENGTH, MAX_OPTION_CHOICES } from "../limits.ts";
import { compose } from "../render/compose.ts";
import { customIdsIn } from "../render/press.ts";
import { errorForLog, hasErrorCode } from "../transport/rest.ts";
import { answerCommand } from "./answer.ts";
import { answerInPlace, messageAbove } from "./answer-in-place.ts";
import { handleButton } from "./button-handler.ts";
import { InteractionApi } from "./interaction-api.ts";
import { callerOf, type InteractionContext, isEmbed, maxBytesOf, targetOf, typedCommand } from "./interaction.ts";
import { openLackingForm, submittedAsk, typedIn } from "./form.ts";
import { answerFailedNotice, expiredFormNotice } from "./notices.ts";
import { commandBehind, pressOf, replyPrivately } from "./read-press.ts";

/** Answers one interaction as Discord sends it, over the gateway or over HTTP. Never rejects. */
export async function respondToInteraction(adapter: DiscordContext, interaction: APIInteraction): Promise<void> {
  // The HTTP endpoint answers pings.
  if (interaction.type === InteractionType.Ping) return;
  const api = new InteractionApi(adapter, interaction);
  const context = { ...adapter, api, interaction, maxBytes: maxBytesOf(interaction) };
  try {
    await respond(context);
  } catch (error) {
    // Too late, or answered by another process: no answer gets through any more.
    const late = hasErrorCode(error, ...TOO_LATE_CODES);
    context.log[late ? "warn" : "error"](
      { ...errorForLog(error), platform: "discord", interaction: interaction.id },
      "answer failed",
    );
    if (!late && !api.expired) await sendApology(context);
  }
}

/** Discord's error codes for an answer that comes too late. */
const TOO_LATE_CODES = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
] as const;

async function respond(context: InteractionContext): Promise<void> {
  const { interaction } = context;
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const { data } = interaction;
      if (data.type === ApplicationCommandType.ChatInput) {
        const { ask } = typedCommand(data);
        return (await openLackingForm(context, ask)) ? undefined : answerCommand(context, ask, "new");
      }
      if (data.type === ApplicationCommandType.Message && data.name === WHY_THIS_ALERT)
        return whyThisAlert(context, data);
      throw new TypeError("a command that was never registered");
    }
    case InteractionType.MessageComponent:
      return handleButton({ ...context, interaction });
    case InteractionType.ApplicationCommandAutocomplete:
      return complete({ ...context, interaction });
    case InteractionType.ModalSubmit: {
      const submitted = await submittedAsk({ ...context, interaction });
      if (submitted === undefined)
        return replyPrivately(context, expiredFormNotice(commandBehind(interaction), typedIn(interaction)));
      const { ask, press, typed } = submitted;
      const first = press.above === undefined ? undefined : messageAbove(context, press);
      if (first !== undefined) return answerInPlace(context, { ...press, ask }, { first, form: typed });
      if (press.effect === "replace") return answerCommand(context, ask, "mended", { form: typed });
      // An embed cannot become components.
      const isOutdated = press.invalidates === true && !isEmbed(interaction);
      return isOutdated
        ? answerInPlace(context, { ...press, ask }, { form: typed })
        : answerCommand(context, ask, "new", { form: typed });
    }
  }
}

/** A last notice where everything else failed, so that the user does not wait for nothing. */
async function sendApology(context: InteractionContext): Promise<void> {
  const { api, interaction } = context;
  try {
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (!api.acknowledged) await api.autocomplete([]);
      return;
    }
    const typed = interaction.type === InteractionType.ModalSubmit ? typedIn(interaction) : {};
    const notice = await compose(answerFailedNotice(typed), {}, context);
    if (!api.acknowledged) await api.reply(notice);
    // It replaces "… is thinking"; the message of a pressed button stays as it is.
    else if (interaction.type === InteractionType.MessageComponent) await api.followUp(notice, true);
    else await api.editWithoutRetry(notice);
  } catch (error) {
    context.log.debug({ ...errorForLog(error), platform: "discord" }, "apology failed");
  }
}

/** Tells the story of the alert in a message, to whoever chose it alone. */
async function whyThisAlert(
  context: InteractionContext,
  { target_id: target, resolved }: APIMessageApplicationCommandInteractionData,
): Promise<void> {
  const ask = await whyAsk(customIdsIn(resolved.messages[target]?.components ?? []), async (id) => {
    const press = await pressOf(context, id).catch(() => undefined);
    return press?.kind === "ask" ? press.ask : undefined;
  });
  return ask === undefined ? replyPrivately(context, noAlertNotice()) : answerCommand(context, ask, "private");
}

/** Autocompletes in time, or with an empty list. */
async function complete({
  api,
  bot,
  interaction,
  signal,
  timing,
}: InteractionContext<APIApplicationCommandAutocompleteInteraction>): Promise<void> {
  const { ask, focused } = typedCommand(interaction.data);
  const asking = {
    ...ask,
    here: targetOf(interaction),
    caller: callerOf(interaction),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timing.autocompleteMillis)]),
  };
  const found = focused === undefined ? [] : await bot.suggest({ ...asking, ...focused });
  const choices = found
    .filter(({ value }) => value.length > 0 && value.length <= CHOICE_LENGTH)
    .slice(0, MAX_OPTION_CHOICES)
    .map(({ label, value }) => ({ label: shorten(label.trim() === "" ? value : label), value }));
  await api.autocomplete(choices);
}

function shorten(label: string): string {
  return label
    .toWellFormed()
    .slice(0, CHOICE_LENGTH)
    .replace(/[\uD800-\uDBFF]$/u, "");
}
