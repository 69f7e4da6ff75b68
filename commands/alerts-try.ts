import { parseKinds } from "../src/answers/alerts/alert-kinds.ts";
import { resolveSubjects, subjectLabels } from "../src/answers/alerts/alert-subjects.ts";
import { callerZone } from "../src/answers/alerts/alert-times.ts";
import { requireSubject } from "../src/answers/alerts/subscriptions/add-subscription.ts";
import { subscriptionFields } from "../src/answers/alerts/subscriptions/subscription-fields.ts";
import { TRIED_OPTIONS } from "../src/answers/alerts/subscriptions/subscription-options.ts";
import {
  gatherNewCondition,
  parseThresholds,
  requireConsistentThresholds,
} from "../src/answers/alerts/subscriptions/thresholds.ts";
import { trialReply } from "../src/answers/alerts/subscriptions/trial-reply.ts";
import { othersOf, tryAll } from "../src/answers/alerts/subscriptions/try-subscription.ts";
import { Severity } from "../src/alerts/judge/kinds/severity.ts";
import { command } from "../src/bot/command.ts";
import { together } from "../src/errors.ts";
import { givenOptions } from "../src/reply/reply.ts";
import { toMillis } from "../src/units/nanoseconds.ts";

const USUAL_DAYS = 30;
const DAY = 86_400_000;

export const alertsTry = command({
  name: "alerts try",
  alsoCalled: ["trial"],
  asked: [
    "try|test alert|threshold|subscription",
    "how often|many would|alert|threshold",
    "would have|i|it told|fired|alerted|paged|rung",
  ],
  summary: "What it would have told you",
  verb: "Try",
  title: "Try an alert",
  examples: ["alerts try", "alerts try node.lagging behind:2m", "alerts try BTC/USDT mark above 95k days:7"],
  options: {
    ...TRIED_OPTIONS,
    days: {
      kind: "integer",
      label: "Days",
      hint: "So many days back; 30, where it is empty",
      description: "So many days back; left out = 30",
      min: 1,
      max: 1825,
    },
  },
  fields: (given) => [...subscriptionFields(given, true).filter((name) => name in TRIED_OPTIONS), "days"],
  gathers: gatherNewCondition,
  run: async (context) => {
    const { options, alerts } = context;
    const chosen = parseKinds(options.kinds ?? "ops", "alerts try");
    const { kinds } = chosen;
    const [subjects, , parameters] = await together(
      () => (options.subjects === undefined ? [] : resolveSubjects(kinds, options.subjects, context)),
      () => requireSubject(kinds, options.subjects === undefined ? [] : [options.subjects]),
      () => parseThresholds(kinds, options),
    );
    const tried = {
      network: context.network,
      ...chosen,
      subjects,
      parameters,
      floor: Severity.parse(options.severity ?? "info"),
    };
    requireConsistentThresholds(tried, alerts.config);
    const now = toMillis(context.now());
    const { days = USUAL_DAYS } = options;
    const same = Object.entries(options).filter(([name]) => name !== "days" && name !== "private");
    const others = othersOf(tried, alerts.config);
    const [answer, labels, zone] = await Promise.all([
      tryAll([tried, ...others.map((one) => one.tried)], { from: now - days * DAY, to: now }, context),
      subjectLabels([{ kinds, ids: subjects }], context),
      callerZone(context),
    ]);
    return trialReply(tried, answer, others, { labels, zone, now, options: givenOptions(Object.fromEntries(same)) });
  },
});
