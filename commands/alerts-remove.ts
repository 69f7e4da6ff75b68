import { changeSubscriptionState } from "../src/answers/alerts/subscriptions/change-state.ts";
import { command } from "../src/bot/command.ts";
import { SUBSCRIPTION_OPTION } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsRemove = command({
  name: "alerts remove",
  alsoCalled: ["unsubscribe"],
  summary: "Remove a subscription",
  verb: "Remove",
  title: "Remove a subscription",
  examples: ["alerts remove <id>"],
  // Everybody may change their own; rights on a channel's are checked once the subscription is found.
  access: "everyone",
  audience: "caller",
  changes: true,
  options: { id: SUBSCRIPTION_OPTION },
  run: (context) => changeSubscriptionState(context, context.options.id, "removed"),
});
