import { parseKinds, suggestKinds } from "../src/answers/alerts/alert-kinds.ts";
import { quietOptionFor } from "../src/answers/alerts/alert-times.ts";
import {
  editSubscription,
  leaveNoise,
  presentValues,
} from "../src/answers/alerts/subscriptions/change-subscription.ts";
import { gatherCondition, OFF } from "../src/answers/alerts/subscriptions/thresholds.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { subscriptionFields } from "../src/answers/alerts/subscriptions/subscription-fields.ts";
import { SUBSCRIPTION_OPTION, SUBSCRIPTION_OPTIONS } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsEdit = command({
  name: "alerts edit",
  alsoCalled: ["severity", "quiet hours", "digest", "card", "short post"],
  asked: [
    "change|edit|adjust|set subscription|severity|threshold",
    "change|edit|adjust alert",
    "quiet hours",
    "only critical alert|channel",
  ],
  summary: "Change a subscription",
  verb: "Save",
  title: "Change a subscription",
  examples: ["alerts edit <id> quiet:22:00-07:00 zone:Europe/Berlin", "alerts edit <id> high:75000"],
  // Everybody may change their own; rights on a channel's are checked once the subscription is found.
  access: "everyone",
  changes: true,
  shownBy: "alerts list",
  options: {
    id: SUBSCRIPTION_OPTION,
    ...SUBSCRIPTION_OPTIONS,
    leave: {
      kind: "text",
      hint: "",
      none: "off",
      description: "Kinds of which it may tell often: alerts list says so no more; off = none",
      example: "node.lagging",
      maxLength: 600,
      suggest: suggestKinds,
      reads: (_option, typed) => (OFF.test(typed) ? undefined : parseKinds(typed)),
    },
  },
  instead: quietOptionFor,
  gathers: gatherCondition,
  edits: { option: "id", values: presentValues },
  fields: (given) => subscriptionFields(given, false),
  run: (context) => {
    const { id, leave, ...values } = context.options;
    if (leave === undefined) return editSubscription(context, id, values);
    if (Object.keys(SUBSCRIPTION_OPTIONS).every((name) => values[name as keyof typeof values] === undefined))
      return leaveNoise(context, id, leave);
    throw new UserError((named) => `${named("leave")} stands alone.`, {
      option: "leave",
      remedy: "Change the rest by a line of its own.",
    });
  },
});
