import { changeSubscriptionState } from "../src/answers/alerts/subscriptions/change-state.ts";
import { command } from "../src/bot/command.ts";
import { SUBSCRIPTION_OPTION } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsPause = command({
  name: "alerts pause",
  summary: "Pause a subscription",
  verb: "Pause",
  title: "Pause a subscription",
  examples: ["alerts pause <id>"],
  // Everybody may change their own; rights on a channel's are checked once the subscription is found.
  access: "everyone",
  audience: "caller",
  changes: true,
  options: { id: SUBSCRIPTION_OPTION },
  run: (context) => changeSubscriptionState(context, context.options.id, "paused"),
});
