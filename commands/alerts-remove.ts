import { SUBSCRIPTION_OPTION } from "../src/answers/alerts/alert-options.ts";
import { changeSubscriptionState } from "../src/answers/alerts/subscriptions/change-state.ts";
import { command } from "../src/bot/command.ts";

export const alertsRemove = command({
  name: "alerts remove",
  summary: "Ends one subscription",
  examples: ["alerts remove <id>"],
  // One's own are everybody's; a channel's is checked once it is known which one is meant.
  access: "everyone",
  audience: "caller",
  options: { id: SUBSCRIPTION_OPTION },
  run: (context) => changeSubscriptionState(context, context.options.id, "removed"),
});
