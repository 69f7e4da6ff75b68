import { chosenKinds, resolveSubjects, subjectLabels } from "../src/answers/alerts/alert-subjects.ts";
import { chartAction } from "../src/answers/answer.ts";
import { callerZone } from "../src/answers/alerts/alert-times.ts";
import { requireSubject } from "../src/answers/alerts/subscriptions/add-subscription.ts";
import { subscriptionFields } from "../src/answers/alerts/subscriptions/subscription-fields.ts";
import { SUBSCRIPTION_OPTION, TRIED_OPTIONS } from "../src/answers/alerts/subscriptions/subscription-options.ts";
import { seenSubscription } from "../src/answers/alerts/subscriptions/subscriptions.ts";
import {
  gatherNewCondition,
  parseThresholds,
  presentThresholds,
  requireConsistentThresholds,
} from "../src/answers/alerts/subscriptions/thresholds.ts";
import { trialReply } from "../src/answers/alerts/subscriptions/trial-reply.ts";
import {
  othersOf,
  type Tried,
  type TriedAnswer,
  tryAll,
} from "../src/answers/alerts/subscriptions/try-subscription.ts";
import { isConditionKind } from "../src/alerts/judge/kinds/kinds.ts";
import { Severity } from "../src/alerts/judge/kinds/kind.ts";
import { command } from "../src/bot/command.ts";
import { together } from "../src/errors.ts";
import { givenOptions } from "../src/reply/reply.ts";
import { DAY, toMillis } from "../src/units/time.ts";

const { required: _, ...ANY_SUBSCRIPTION } = SUBSCRIPTION_OPTION;
const USUAL_DAYS = 30;
/** `chart` takes no longer text. */
const LONGEST_DRAWN = 400;

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
    id: {
      ...ANY_SUBSCRIPTION,
      hint: "One that there is, with what is named here changed",
      description: "A subscription that there is, with what is named here changed",
    },
  },
  fields: (given) => [...subscriptionFields(given, true).filter((name) => name in TRIED_OPTIONS), "days"],
  gathers: gatherNewCondition,
  run: async (context) => {
    const { options, alerts } = context;
    const known = options.id === undefined ? undefined : await seenSubscription(options.id, context);
    const { network = context.network, subjects: knownSubjects = [], floor = "info" } = known ?? {};
    const { kinds } =
      known !== undefined && options.kinds === undefined ? known : chosenKinds(options, context, "alerts try");
    const named = options.subjects === undefined ? knownSubjects : [options.subjects];
    const [subjects, , parameters] = await together(
      () => (options.subjects === undefined ? knownSubjects : resolveSubjects(kinds, options.subjects, context)),
      () => requireSubject(kinds, named),
      () => parseThresholds(kinds, options, known?.parameters),
    );
    const tried = { network, kinds, subjects, parameters, floor: Severity.parse(options.severity ?? floor) };
    requireConsistentThresholds(tried, alerts.config);
    const now = toMillis(context.now());
    const { days = USUAL_DAYS } = options;
    const same = Object.entries(options).filter(([name]) => name !== "days" && name !== "private");
    const others = othersOf(tried, alerts.config);
    const [answer, labels, zone] = await Promise.all([
      tryAll([tried, ...others.map((one) => one.tried)], { from: now - days * DAY, to: now }, { ...context, network }),
      subjectLabels([{ kinds, ids: subjects }], context),
      callerZone(context),
    ]);
    const ask = {
      command: known === undefined ? "alerts add" : "alerts edit",
      options: givenOptions(Object.fromEntries(same)),
    };
    const reply = trialReply(tried, answer, others, { labels, zone, now, ask });
    if (!isDrawn(tried, answer)) return reply;
    const given = {
      ...(subjects.length === 0 ? {} : { subjects: subjects.join(",") }),
      ...(tried.floor === "info" ? {} : { severity: tried.floor }),
      ...presentThresholds(kinds, parameters),
    };
    const typed = Object.entries(given).map(([option, value]) => `${option}:${value}`);
    const what = ["try", kinds.join(","), ...typed].join(" ");
    if (what.length > LONGEST_DRAWN) return reply;
    return { ...reply, actions: [...reply.actions, chartAction({ network }, what, { last: `${days}d` })] };
  },
});

/** Whether a picture can be made: it is of the first condition, and of one thing or of what the whole network has. */
function isDrawn({ kinds, subjects }: Tried, { seen, results }: TriedAnswer): boolean {
  const isOfOne = subjects.length > 0 || kinds.every((kind) => /^(?:network|node|watch)\./u.test(kind));
  const drawn = kinds.find(isConditionKind);
  if (!isOfOne || seen === undefined || drawn === undefined) return false;
  // Of histories nothing is kept but what differs.
  return drawn !== "node.diverges" && results[0]?.uncounted.includes(drawn) !== true;
}
