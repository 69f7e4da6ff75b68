import type { APIMessageComponentInteraction } from "discord-api-types/v10";
import { z } from "zod";

import type { Invocation } from "../../../bot/invocation.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Press } from "../../chat/press.ts";
import { compose } from "../render/compose.ts";
import { amend, composeAndSend, deliver, messageContextOf } from "./answer.ts";
import { prepareForm } from "./form.ts";
import { InteractionApi } from "./interaction-api.ts";
import { callerOf, givenFile, type InteractionContext, isEphemeral, isShared, targetOf } from "./interaction.ts";
import { managedChannels } from "./managed-channels.ts";
import { confirmNotice } from "./notices.ts";

// A press that makes its own message out of date: the answer takes the place of the message, or stands below it while
// the message is asked again.

type ButtonContext = InteractionContext<APIMessageComponentInteraction>;
type AskPress = Extract<Press, { kind: "ask" }>;

/** How to reach the message of a press. */
const Above = z.object({
  id: z.string(),
  token: z.string(),
  application_id: z.string(),
  /** Whether others see the message. */
  isPublic: z.boolean().default(false),
  /** Whether the bot posted it, not the answer to an interaction: then it may post in this channel. */
  isPosted: z.boolean().default(false),
});

/** The message of an earlier press. */
interface MessageAbove extends Pick<z.infer<typeof Above>, "isPublic" | "isPosted"> {
  readonly api: InteractionApi;
}

/** Asks below the message, which only the token of this press reaches where it is ephemeral. The button keeps it, sealed. */
export async function confirmBelow(context: ButtonContext, press: AskPress, confirm: string): Promise<void> {
  const { api, interaction } = context;
  await api.deferUpdate();
  const above = sealAbove(context);
  await using question = await compose(
    confirmQuestion(context, press, confirm),
    { asker: callerOf(interaction).id, confirms: { above } },
    context,
  );
  await api.followUp(question, true);
}

/** The question, with the button that confirms: by the verb of the command. */
export function confirmQuestion({ bot }: ButtonContext, { ask, invalidates }: AskPress, confirm: string): Reply {
  const verb = bot.commands.find(({ name }) => name === ask.command)?.verb;
  const shown = invalidates === undefined ? {} : { invalidates };
  const action = { label: verb ?? "Yes, go on", invocation: ask, effect: "reply", ...shown } as const;
  return { ...confirmNotice(confirm), actions: [action] };
}

function sealAbove(context: InteractionContext): string {
  const { interaction, openAnswers } = context;
  return openAnswers.keys.seal(
    JSON.stringify(Above.parse({ ...interaction, ...standingOf(interaction) })),
    aboutOf(context),
  );
}

function standingOf(interaction: InteractionContext["interaction"]): Pick<MessageAbove, "isPublic" | "isPosted"> {
  const isPublic = !isEphemeral(interaction) && isShared(interaction);
  return { isPublic, isPosted: isPublic && interaction.message?.interaction_metadata === undefined };
}

/** Reaches the message above a question or a refusal; undefined where no key opens its token any more, or that has expired. */
export function messageAbove(
  context: InteractionContext,
  { above = "" }: Pick<AskPress, "above">,
): MessageAbove | undefined {
  const opened = context.openAnswers.keys.open(above, aboutOf(context));
  if (opened === undefined) return undefined;
  const { isPublic, isPosted, ...key } = Above.parse(JSON.parse(opened));
  const api = new InteractionApi(context, key);
  return api.expired ? undefined : { api, isPublic, isPosted };
}

function aboutOf({ interaction }: InteractionContext): string {
  return `question discord/${callerOf(interaction).id}`;
}

/**
 * `first` is the message that is out of date: another one than that of this press, where that is a question or a refusal.
 * `form`: what was typed in the form that the press opened.
 */
export async function answerInPlace(
  context: InteractionContext,
  { above, ask, invalidates }: Pick<AskPress, "above" | "ask" | "invalidates">,
  { first, form }: { readonly first?: MessageAbove; readonly form?: Ask["options"] } = {},
): Promise<void> {
  const { api, interaction } = context;
  const ephemeral = isEphemeral(interaction);
  const outdated = first ?? { api, ...standingOf(interaction) };
  await api.deferUpdate();
  const answer = await run(context, ask, { form, taken: invalidates === true && outdated.isPosted });
  const failed = answer.failure !== undefined;
  if (invalidates === true && failed && form !== undefined) {
    // The form that is opened again answers the same offer.
    const offer = first === undefined ? sealAbove(context) : above;
    return deliver(context, answer, ask, first === undefined ? "replace" : "mended", ephemeral, offer);
  }
  if (invalidates === true && !failed) return takeOffer(context, answer, ask, outdated);
  if (first !== undefined || failed) await deliver(context, answer, ask, "replace", ephemeral);
  else await answerBelow(context, answer, ask);
  if (failed || typeof invalidates !== "object") return;
  const there = { ...context, api: outdated.api };
  await deliver(there, await run(context, invalidates, { again: true }), invalidates, "replace", ephemeral);
}

/** An offer goes: what came of it takes its place. Where others see it, what is not told to all is for whoever took it. */
async function takeOffer(
  context: InteractionContext,
  answer: Reply,
  ask: Ask,
  { api: above, isPublic }: MessageAbove,
): Promise<void> {
  const { api, interaction } = context;
  const ephemeral = isEphemeral(interaction);
  const there = { ...context, api: above };
  if (isPublic && answer.told !== true) {
    await (above === api ? answerBelow(context, answer, ask) : deliver(context, answer, ask, "replace", ephemeral));
    return above.remove();
  }
  await deliver(there, answer, ask, "replace", !isPublic && ephemeral);
  if (above !== api) await api.remove();
  await amend(there, answer, ask, !isPublic && ephemeral);
}

async function answerBelow(context: InteractionContext, answer: Reply, ask: Ask): Promise<void> {
  try {
    const below = messageContextOf(context, ask, true);
    await composeAndSend(context, answer, below, (message) => context.api.followUp(message, true));
  } finally {
    await disposeReply(answer);
  }
}

async function run(
  { bot, botRest, interaction, signal }: InteractionContext,
  ask: Ask,
  {
    again,
    form,
    taken = false,
  }: { readonly again?: true; readonly form?: Ask["options"] | undefined; readonly taken?: boolean },
): Promise<Reply> {
  const invocation: Invocation = {
    ...ask,
    ...(again === undefined ? {} : { again }),
    ...(taken ? { taken } : {}),
    here: targetOf(interaction),
    caller: callerOf(interaction),
    signal,
    openFile: (given) => givenFile(interaction, given),
    managed: () => managedChannels(botRest, interaction),
  };
  return form === undefined ? bot.run(invocation) : (await prepareForm(bot, invocation, form)).run();
}
