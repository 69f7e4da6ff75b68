import { isPersonalKind } from "../src/alerts/judge/kinds/kinds.ts";
import { chosenKinds } from "../src/answers/alerts/alert-subjects.ts";
import { NEW_TO_OPTION } from "../src/answers/alerts/alert-options.ts";
import { addSubscription, offeredSubscription } from "../src/answers/alerts/subscriptions/add-subscription.ts";
import { quietOptionFor } from "../src/answers/alerts/alert-times.ts";
import { addPersonalWatch } from "../src/answers/alerts/subscriptions/personal-watch.ts";
import { gatherNewCondition, type SubscriptionValues } from "../src/answers/alerts/subscriptions/thresholds.ts";
import { command } from "../src/bot/command.ts";
import { subscriptionFields } from "../src/answers/alerts/subscriptions/subscription-fields.ts";
import { SUBSCRIPTION_OPTIONS } from "../src/answers/alerts/subscriptions/subscription-options.ts";

export const alertsAdd = command({
  name: "alerts add",
  alsoCalled: ["subscribe", "watch", "kind", "group"],
  asked: [
    "subscribe",
    "sub channel|us|me|here",
    "subscribe|sub|sign channel|us|me|here {high}|{low}",
    "subscribe|sub|sign channel|us|me|here|alert|alerting|notification",
    "send|post|tell|notify|inform|warn|page|ping|want|need|get|receive|set|turn|enable|activate|start|begin|put|make|add|hook|wire|plug|link|connect|register|enroll|join|route|pipe|forward|push|deliver|stream|go|like|have alert|alarm|notification|page|ping|warning {to}|to|into|channel|here|us|me",
    "we|i want|like|need|get|receive|have alert|notification",
    "want|like|need|get|receive|have alert|notification|page|ping|warning when|whenever|if|once|…",
    "turn|switch|enable|start|begin alert|notification on|enable|start|begin|send",
    "alert|notify|tell|inform|warn|page|ping|know|message|post|write|say|shout|yell|scream|wake|call|text|buzz|ring|beep {to}|channel|here|us|me when|whenever|if|soon|once|…",
    "alert|notify|inform|warn|page|ping|message|know {to}|channel|here|us|me about|on|…",
    "tell channel|here about",
    "alert|notify|tell|inform|warn|page|ping|know|hear channel|here|us|me|i when|whenever|if|once {kinds}|{subjects}",
    "send|post|report|put|get|push|route|pipe|forward|deliver {kinds} {to}|channel|here|us",
    "if|when|whenever|once|fall|drop|dip|sink|crash|rise|climb|jump|cross|hit|reach|break {high}|{low}",
    "loop|posted|informed|updated {to}|channel|here|us|me",
    "get told|informed|notified|alerted|warned|paged|pinged when|whenever|if|once|…",
    "hear|posted|informed|updated|told channel|here|us|me about|of|on|when|if|…",
    "alert|notify|inform|warn|notification channel|here|us|me",
    "send|post|report|put|drop|announce incident|problem|outage|issue|trouble|warning|update channel|here|us",
    "sign us|me|up|channel up|for|alert",
    "follow|watch|monitor|monitoring here|channel|us",
    "only {kinds}",
    "set|price|alert|alarm {high}|{low}",
    "watch order|market|stake|price|bundle|this",
  ],
  opposite: "alerts remove",
  summary: "Subscribe this channel, or watch one thing yourself",
  verb: "Subscribe",
  title: "Subscribe to alerts",
  examples: [
    "alerts add",
    "alerts add markets BTC/USDT style:thread",
    "alerts add market.price BTC/USDT high:70000",
    "alerts add BTC/USDT mark above 95k once",
    "alerts add order.final <id>",
  ],
  // Everybody may watch for themselves; rights on a channel are checked once the kinds are known.
  access: "everyone",
  changes: true,
  shownBy: "alerts list",
  options: { ...SUBSCRIPTION_OPTIONS, to: NEW_TO_OPTION },
  fields: (given) => [...subscriptionFields(given, true), ...("to" in given ? ["to"] : [])],
  instead: quietOptionFor,
  gathers: gatherNewCondition,
  offers: async (context) => {
    const { options } = context;
    const chosen = chosenKinds(options, context);
    const isPersonal = chosen.kinds.some(isPersonalKind);
    return offeredSubscription(context, chosen, { ...options, ...(isPersonal ? { to: "me" } : {}) });
  },
  run: async (context) => {
    const { options } = context;
    const chosen = chosenKinds(options, context);
    const [first] = chosen.kinds;
    return first !== undefined && isPersonalKind(first)
      ? addPersonalWatch(context, first, options)
      : addSubscription(context, chosen, options, isUsual(options));
  },
});

/** Whether nothing was named. */
function isUsual({ kinds, subjects }: Pick<SubscriptionValues, "kinds" | "subjects">): boolean {
  return kinds === undefined && subjects === undefined;
}
