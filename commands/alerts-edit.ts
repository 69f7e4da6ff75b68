import { quietOptionFor } from "../src/answers/alerts/alert-times.ts";
import { editSubscription, presentValues } from "../src/answers/alerts/subscriptions/change-subscription.ts";
import { gatherCondition } from "../src/answers/alerts/subscriptions/thresholds.ts";
import { command } from "../src/bot/command.ts";
import { subscriptionFields } from "../src/answers/alerts/subscriptions/subscription-fields.ts";
import { SUBSCRIPTION_OPTION, SUBSCRIPTION_OPTIONS } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsEdit = command({
  name: "alerts edit",
  alsoCalled: ["severity", "quiet hours", "digest", "card", "short post"],
  asked: ["change|edit|adjust|set subscription|severity|threshold|alert", "quiet hours", "only critical alert|channel"],
  summary: "Change a subscription",
  verb: "Save",
  title: "Change a subscription",
  examples: ["alerts edit <id> quiet:22:00-07:00 zone:Europe/Berlin", "alerts edit <id> high:75000"],
  // Everybody may change their own; rights on a channel's are checked once the subscription is found.
  access: "everyone",
  changes: true,
  shownBy: "alerts list",
  options: { id: SUBSCRIPTION_OPTION, ...SUBSCRIPTION_OPTIONS },
  instead: quietOptionFor,
  gathers: gatherCondition,
  edits: { option: "id", values: presentValues },
  fields: (given) => subscriptionFields(given, false),
  run: (context) => editSubscription(context, context.options.id, context.options),
});
