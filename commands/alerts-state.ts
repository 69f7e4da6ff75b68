import { changeSubscriptionState, undoEdit } from "../src/answers/alerts/subscriptions/change-subscription.ts";
import { RESUMABLE_OPTION, SUBSCRIPTION_OPTION } from "../src/answers/alerts/subscriptions/subscription-options.ts";
import { type AnyCommand, command } from "../src/bot/command.ts";

/** Everybody may change their own; rights on a channel's are checked once the subscription is found. */
const CHANGE = { access: "everyone", changes: true, shownBy: "alerts list" } as const;

/** A command that gives a subscription another state, and no more. */
function stateCommand(
  state: Parameters<typeof changeSubscriptionState>[2],
  words: Pick<AnyCommand, "name" | "summary" | "verb" | "title" | "alsoCalled" | "asked">,
): AnyCommand {
  return command({
    ...words,
    examples: [`${words.name} <id>`],
    ...CHANGE,
    options: { id: SUBSCRIPTION_OPTION },
    run: (context) => changeSubscriptionState(context, context.options.id, state),
  });
}

export const alertsRemove = stateCommand("removed", {
  name: "alerts remove",
  alsoCalled: ["unsubscribe"],
  asked: [
    "unsubscribe|unsub",
    "unsubscribe|unsub|remove|delete|end|cancel subscription|alert|channel|us|me|{id}",
    "turn|switch off alert|subscription|price",
    "unsubscribe|unsub|remove|delete|end|cancel|turn|switch off|price|subscription|alert|me|us {id}",
    "stop|quit|cease|no|not alert|tell|notify|inform|warn|page|ping|message|post|send channel|here|us|me",
  ],
  summary: "Remove a subscription",
  verb: "Remove",
  title: "Remove a subscription",
});

export const alertsPause = stateCommand("paused", {
  name: "alerts pause",
  asked: ["pause", "pause|suspend subscription|alert|channel"],
  summary: "Pause a subscription",
  verb: "Pause",
  title: "Pause a subscription",
});

export const alertsResume = command({
  name: "alerts resume",
  asked: ["resume", "resume|unpause|continue|restore subscription|alert|channel"],
  summary: "Resume a paused or removed subscription",
  verb: "Resume",
  title: "Resume a subscription",
  ...CHANGE,
  examples: ["alerts resume <id>"],
  options: {
    id: RESUMABLE_OPTION,
    undo: { kind: "flag", description: "Take back its last change, for ten minutes", default: false },
    change: {
      kind: "text",
      operatorsOnly: true,
      description: "With undo: that change alone, as its button names it",
      example: "1767225600000",
    },
  },
  // A button gives the other one.
  fields: () => ["id"],
  run: (context) => {
    const { id, undo, change } = context.options;
    return undo ? undoEdit(context, id, change) : changeSubscriptionState(context, id, "resumed");
  },
});
