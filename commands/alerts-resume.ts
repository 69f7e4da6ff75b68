import { changeSubscriptionState } from "../src/answers/alerts/subscriptions/change-state.ts";
import { command } from "../src/bot/command.ts";
import { RESUMABLE_OPTION } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsResume = command({
  name: "alerts resume",
  summary: "Resume a paused subscription, or bring back a removed one",
  verb: "Resume",
  title: "Resume a subscription",
  examples: ["alerts resume <id>"],
  // Everybody may change their own; rights on a channel's are checked once the subscription is found.
  access: "everyone",
  audience: "caller",
  changes: true,
  options: { id: RESUMABLE_OPTION },
  run: (context) => changeSubscriptionState(context, context.options.id, "resumed"),
});
