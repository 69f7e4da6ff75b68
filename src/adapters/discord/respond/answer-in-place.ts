import type { APIMessageComponentInteraction } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";

import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Press } from "../../chat/press.ts";
import { compose } from "../render/compose.ts";
import { composeAndSend, deliver, messageContextOf } from "./answer.ts";
import type { InteractionApi } from "./interaction-api.ts";
import { callerOf, givenFile, type InteractionContext, isEphemeral, targetOf } from "./interaction.ts";
import { confirmNotice } from "./notices.ts";

// A press that makes its own message out of date: the answer takes the place of the message, or stands below it while
// the message is asked again.

type ButtonContext = InteractionContext<APIMessageComponentInteraction>;
type AskPress = Extract<Press, { kind: "ask" }>;

/** Of each adapter, the presses whose questions were asked below their messages, by who is asked what. */
const confirming = new WeakMap<object, LRUCache<string, InteractionApi>>();
const MAX_CONFIRMING = 1000;

/** Asks below the message, which only the token of this press reaches where it is ephemeral. */
export async function confirmBelow(context: ButtonContext, press: AskPress, confirm: string): Promise<void> {
  const { api } = context;
  const asked = confirming.get(context.rest) ?? new LRUCache({ max: MAX_CONFIRMING });
  confirming.set(context.rest, asked.set(keyOf(context, press.ask), api));
  await api.deferUpdate();
  await using question = await compose(
    confirmQuestion(press, confirm),
    { asker: callerOf(context.interaction).id, confirms: true },
    context,
  );
  await api.followUp(question, true);
}

/** The question, with the button that confirms. */
export function confirmQuestion({ ask, invalidates }: AskPress, confirm: string): Reply {
  const shown = invalidates === undefined ? {} : { invalidates };
  const action = { label: "Yes, go on", invocation: ask, effect: "reply", ...shown } as const;
  return { ...confirmNotice(confirm), actions: [action] };
}

/** The press whose question was asked below; undefined where this process does not know it, or its token has expired. */
export function confirmedPress(context: ButtonContext, ask: Ask): InteractionApi | undefined {
  const asked = confirming.get(context.rest);
  const api = asked?.get(keyOf(context, ask));
  asked?.delete(keyOf(context, ask));
  return api?.expired === true ? undefined : api;
}

/** `message` reaches the message that is out of date: another one than that of this press, where that is the question. */
export async function answerInPlace(
  context: ButtonContext,
  { ask, invalidates }: AskPress,
  message: InteractionApi,
): Promise<void> {
  const { api, interaction } = context;
  const ephemeral = isEphemeral(interaction);
  const there = { ...context, api: message };
  const asksBefore = message !== api;
  await api.deferUpdate();
  const answer = await run(context, ask);
  const failed = answer.failure !== undefined;
  if (invalidates === true && !failed) {
    await deliver(there, answer, ask, "replace", ephemeral);
    if (asksBefore) await api.remove();
    return;
  }
  if (asksBefore || failed) await deliver(context, answer, ask, "replace", ephemeral);
  else await answerBelow(context, answer, ask);
  if (failed || typeof invalidates !== "object") return;
  await deliver(there, await run(context, invalidates, true), invalidates, "replace", ephemeral);
}

async function answerBelow(context: ButtonContext, answer: Reply, ask: Ask): Promise<void> {
  try {
    const below = messageContextOf(context, ask, true);
    await composeAndSend(context, answer, below, (message) => context.api.followUp(message, true));
  } finally {
    await disposeReply(answer);
  }
}

function run({ bot, interaction, signal }: ButtonContext, ask: Ask, again?: true): Promise<Reply> {
  return bot.run({
    ...ask,
    ...(again === undefined ? {} : { again }),
    here: targetOf(interaction),
    caller: callerOf(interaction),
    signal,
    openFile: (given) => givenFile(interaction, given),
  });
}

function keyOf({ interaction }: ButtonContext, ask: Ask): string {
  return JSON.stringify([callerOf(interaction).id, ask.command, ask.options]);
}
