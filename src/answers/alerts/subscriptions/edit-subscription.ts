import { isAlive, rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import { parseKinds } from "../alert-kinds.ts";
import { resolveSubjects } from "../alert-subjects.ts";
import { type AlertCommandContext, changeAnnouncements } from "../alerts.ts";
import { isOwnSubscription, isSameDestination, workspaceOf } from "../destination.ts";
import { parseNotificationSettings, threadNote } from "./notification-settings.ts";
import { crossedThresholdNote, severityNotes, silenceNote } from "./subscription-checks.ts";
import {
  contentKey,
  endingActions,
  findSubscription,
  labelsOf,
  listAction,
  notificationSettingsKey,
  subscriptionActions,
  subscriptionBlocks,
} from "./subscriptions.ts";
import { parseThresholds, requireConsistentThresholds, type SubscriptionValues } from "./thresholds.ts";
import { SUBSCRIPTION_OPTIONS } from "./subscription-options.ts";

/** Removes the subjects, so that the subscription covers all of them. */
const ALL_SUBJECTS = /^(?:all|off|none|any)$/iu;

/** Changes the named values of a subscription; values that hold already change and announce nothing. */
export async function editSubscription(
  context: AlertCommandContext,
  typed: string,
  values: SubscriptionValues,
): Promise<Reply> {
  const { alerts, caller } = context;
  const before = await findSubscription(alerts, typed, context, "change its subscriptions");
  if (!isAlive(before)) {
    throw new UserError(`Subscription ${before.id} is over: ${before.why ?? before.state}.`, {
      option: "id",
      remedy: "Add another one with:",
      suggestion: "alerts add",
    });
  }
  if (Object.keys(SUBSCRIPTION_OPTIONS).every((name) => values[name as keyof SubscriptionValues] === undefined)) {
    return changeableReply(before, await labelsOf(before, context), await silenceNote(context, before));
  }
  const after = await applyEdit(context, before, values);
  // Throws for impossible thresholds.
  rulesOf(after, alerts.config);
  const labels = await labelsOf(after, context);
  const content = contentKey(after, alerts.config);
  if (
    content === contentKey(before, alerts.config) &&
    notificationSettingsKey(after) === notificationSettingsKey(before)
  ) {
    return reply({
      title: text`Nothing changed: subscription ${code(before.id)} is like that already`,
      blocks: [...subscriptionBlocks(before, labels), ...(await silenceNote(context, before))],
      actions: [...subscriptionActions(before, labels), listAction()],
    });
  }
  if (content !== contentKey(before, alerts.config)) requireConsistentThresholds(after, alerts.config);
  const twin = (await alerts.subscriptions()).find(
    (one) =>
      one.id !== before.id &&
      isAlive(one) &&
      isSameDestination(one.destination, before.destination) &&
      contentKey(one, alerts.config) === content,
  );
  if (twin !== undefined) {
    throw new UserError(`Subscription ${twin.id} tells that already.`, {
      option: "id",
      remedy: `Change that one, or remove ${before.id} with:`,
      suggestion: `alerts remove ${before.id}`,
    });
  }
  const announced = isOwnSubscription(before, context)
    ? []
    : changeAnnouncements(context, [before.destination], { what: "edited", subscription: after }, labels);
  await alerts.putSubscription(after, caller.name, announced, before);
  return reply({
    tone: "good",
    title: text`Changed subscription ${code(after.id)}: ${subscriptionWords(after, labels)}`,
    blocks: [
      ...subscriptionBlocks(after, labels),
      ...severityNotes(after),
      ...(await silenceNote(context, after)),
      ...threadNote(values, after, context.platforms),
      ...(after.state === "active" && content !== contentKey(before, alerts.config)
        ? await crossedThresholdNote(context, after, labels)
        : []),
    ],
    actions: [...subscriptionActions(after, labels), listAction()],
  });
}

/** Nothing is named to be changed: the subscription as it is, and what can be named. */
function changeableReply(one: Subscription, labels: Labels, notes: readonly Block[]): Reply {
  return reply({
    title: text`Subscription ${code(one.id)} tells ${subscriptionWords(one, labels)}`,
    blocks: [
      ...subscriptionBlocks(one, labels),
      ...notes,
      paragraph("Name what to change; the rest stays. For example:"),
      { kind: "code", text: `alerts edit ${one.id} severity:warning quiet:22:00-07:00`, command: true },
    ],
    actions: [...endingActions(one, labels), listAction()],
  });
}

async function applyEdit(
  context: AlertCommandContext,
  before: Subscription,
  values: SubscriptionValues,
): Promise<Subscription> {
  if (before.personal === true && (values.kinds ?? values.subjects) !== undefined) {
    throw new UserError("A watch keeps its subject.", {
      option: "kinds",
      remedy: `Remove it and add another one; alerts edit ${before.id} changes its quiet hours.`,
    });
  }
  const { kinds, groups, quietHours: _quiet, mention: _mention, guidance: _guidance, ...rest } = before;
  const same = groups === undefined ? { kinds } : { kinds, groups };
  const chosen = values.kinds === undefined ? same : parseKinds(values.kinds);
  const after = { ...rest, ...workspaceOf(before.destination, context) };
  const { workspace } = after;
  const place = { ...before.destination, ...(workspace === undefined ? {} : { workspace }) };
  return {
    ...after,
    ...chosen,
    subjects: await editedSubjects(context, before, chosen.kinds, values.subjects),
    parameters: parseThresholds(chosen.kinds, values, before.parameters),
    ...parseNotificationSettings(values, place, context.platforms, before),
  };
}

async function editedSubjects(
  context: AlertCommandContext,
  before: Subscription,
  kinds: Subscription["kinds"],
  typed: string | undefined,
): Promise<string[]> {
  if (typed === undefined) return before.subjects;
  const price = kinds.includes("market.price");
  if (ALL_SUBJECTS.test(typed.trim()) && !price) return [];
  if (before.network !== context.network) {
    throw new UserError(`Subscription ${before.id} is about ${before.network}.`, {
      option: "subjects",
      remedy: `Add network:${before.network}: its subjects are looked up there.`,
    });
  }
  return resolveSubjects(kinds, typed, context);
}
