import type { ChangeMessage } from "../../../alerts/message/message.ts";
import { KIND_GROUPS, sortKinds } from "../../../alerts/judge/kinds/kinds.ts";
import { isAlive, rulesOf, type Subscription, undone, undoOf } from "../../../alerts/route/subscription.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import type { SuggestContext } from "../../../bot/options/options.ts";
import { together, UserError } from "../../../errors.ts";
import { inTime, type Milliseconds, toMillis } from "../../../units/time.ts";
import { paragraph } from "../../../reply/block.ts";
import { type Ask, givenOptions, invalidatingAction, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import { listWords } from "../../../reply/enum-words.ts";
import { parseKinds } from "../alert-kinds.ts";
import { ALL_SUBJECTS, resolveSubjects } from "../alert-subjects.ts";
import { type AlertCommandContext, changeAnnouncements, testAnnouncement } from "../alerts.ts";
import { isOwnSubscription, workspaceOf } from "../destination.ts";
import { findByShortId } from "../short-id.ts";
import { unreachable } from "../suspension-words.ts";
import { requireSubject, unreachableReply } from "./add-subscription.ts";
import { inCallersZone, parseNotificationSettings, threadNote } from "./notification-settings.ts";
import { withPast } from "./past.ts";
import {
  awaitDelivery,
  awaitFirstDelivery,
  countedWith,
  crossedThresholdNote,
  requireCapacity,
  requireUnlike,
  severityNotes,
  silenceNote,
  subscriptionReply,
} from "./subscription-checks.ts";
import { SUBSCRIPTION_OPTIONS } from "./subscription-options.ts";
import {
  contentKey,
  endingActions,
  findSubscription,
  labelsOf,
  listAction,
  notificationSettingsKey,
  subscriptionBlocks,
  visibleSubscriptions,
} from "./subscriptions.ts";
import {
  OFF,
  parseThresholds,
  presentThresholds,
  requireConsistentThresholds,
  type SubscriptionValues,
} from "./thresholds.ts";

/** Changes the named values of a subscription; values that hold already change and announce nothing. */
export async function editSubscription(
  context: AlertCommandContext & { readonly isForm: boolean; readonly signal: AbortSignal },
  typed: string,
  values: SubscriptionValues,
): Promise<Reply> {
  const { alerts } = context;
  const before = await findAlive(context, typed);
  if (Object.keys(SUBSCRIPTION_OPTIONS).every((name) => values[name as keyof SubscriptionValues] === undefined)) {
    return context.isForm ? unchangedReply(context, before) : changeableReply(context, before);
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
    return unchangedReply(context, before);
  }
  if (content !== contentKey(before, alerts.config)) requireConsistentThresholds(after, alerts.config);
  requireUnlike(after, countedWith(after, await alerts.subscriptions(), context), alerts.config, {
    remedy: `Change that one, or remove ${before.id} with:`,
    suggestion: `alerts remove ${before.id}`,
  });
  const isCounted = content !== contentKey(before, alerts.config) || after.floor !== before.floor;
  const undo = isCounted ? undoOf(before, toMillis(context.now()) + UNDO_WITHIN) : {};
  const stored = { ...after, ...undo };
  await putEdited(context, before, stored, labels);
  const changed = await subscriptionReply(context, after, labels, {
    tone: "good",
    title: text`Changed subscription ${code(after.id)}: ${subscriptionWords(after, labels)}`,
    more: [
      ...severityNotes(after),
      ...threadNote(values, after, context.platforms),
      ...(after.state === "active" && content !== contentKey(before, alerts.config)
        ? await crossedThresholdNote(context, after, labels)
        : []),
    ],
  });
  return isCounted ? withPast(changed, context, stored, before) : changed;
}

/** Stores what was changed, and tells those who read its messages. */
async function putEdited(
  context: AlertCommandContext,
  before: Subscription,
  after: Subscription,
  labels: Labels,
): Promise<void> {
  const announced = isOwnSubscription(before, context)
    ? []
    : changeAnnouncements(context, [before.destination], { what: "edited", subscription: after }, labels);
  await context.alerts.putSubscriptions([after], context.caller.name, announced, before);
}

/** Takes back the last change of a subscription, as long as nobody has changed it since. `change`: that one alone. */
export async function undoEdit(context: AlertCommandContext, typed: string, change?: string): Promise<Reply> {
  const { alerts } = context;
  const changed = await findAlive(context, typed);
  const before = undone(changed, toMillis(context.now()));
  if (before === undefined || (change !== undefined && change !== String(changed.undo?.until))) {
    throw new UserError(`Subscription ${changed.id} has no change that can be undone.`, {
      option: "id",
      remedy: "That is possible for ten minutes, until somebody changes it again. Change it by:",
      suggestion: `alerts edit ${changed.id}`,
    });
  }
  const others = countedWith(before, await alerts.subscriptions(), context);
  requireUnlike(before, others, alerts.config, { remedy: "All of them are listed by:", suggestion: "alerts list" });
  const labels = await labelsOf(before, context);
  await putEdited(context, changed, before, labels);
  const title = text`Undone: subscription ${code(before.id)} tells ${subscriptionWords(before, labels)} again`;
  return subscriptionReply(context, before, labels, { tone: "good", title });
}

async function findAlive(context: AlertCommandContext, typed: string): Promise<Subscription> {
  const found = await findSubscription(typed, context, "change its subscriptions");
  if (!isAlive(found)) throw isOver(found);
  return found;
}

/** For so long a change can be undone. */
const UNDO_WITHIN: Milliseconds = 600_000;

/** Says of these kinds no more that they tell often; `off` says it of all again. Nobody is told of it. */
export async function leaveNoise(context: AlertCommandContext, typed: string, leave: string): Promise<Reply> {
  const { alerts, caller } = context;
  const found = await findAlive(context, typed);
  const { leaves = [], ...rest } = found;
  const kinds = OFF.test(leave) ? [] : parseKinds(leave).kinds;
  const all = sortKinds([...leaves, ...kinds]);
  await alerts.putSubscriptions([kinds.length === 0 ? rest : { ...rest, leaves: all }], caller.name, [], found);
  const labels = await labelsOf(found, context);
  const title =
    kinds.length === 0
      ? text`What subscription ${code(found.id)} tells often is named again`
      : text`Left as it is: how often subscription ${code(found.id)} tells ${listWords(kinds, " and ")} is named no more`;
  return subscriptionReply(context, found, labels, { tone: "good", title });
}

async function unchangedReply(context: AlertCommandContext, one: Subscription): Promise<Reply> {
  const title = text`Nothing changed: subscription ${code(one.id)} is like that already`;
  return subscriptionReply(context, one, await labelsOf(one, context), { title });
}

/** Nothing is named to be changed: the subscription as it is, and what can be named. */
async function changeableReply(context: AlertCommandContext, one: Subscription): Promise<Reply> {
  const labels = await labelsOf(one, context);
  return reply({
    title: text`Subscription ${code(one.id)} tells ${subscriptionWords(one, labels)}`,
    blocks: [
      ...subscriptionBlocks(one, labels),
      ...(await silenceNote(context, one)),
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
  const { kinds, groups, quietHours: _1, mention: _2, guidance: _3, chart: _4, undo: _5, ...rest } = before;
  const same = groups === undefined ? { kinds } : { kinds, groups };
  const chosen = values.kinds === undefined ? same : parseKinds(values.kinds);
  const after = { ...rest, ...workspaceOf(before.destination, context) };
  const typed = await inCallersZone(context, values, before.quietHours);
  const [subjects, parameters, settings] = await together(
    () => editedSubjects(context, before, chosen.kinds, values.subjects),
    () => parseThresholds(chosen.kinds, typed, before.parameters),
    () => parseNotificationSettings(typed, { ...after.destination, ...after }, context.platforms, before),
  );
  if (values.kinds !== undefined) requireSubject(chosen.kinds, subjects);
  return { ...after, ...chosen, subjects, parameters, ...settings };
}

async function editedSubjects(
  context: AlertCommandContext,
  before: Subscription,
  kinds: Subscription["kinds"],
  typed: string | undefined,
): Promise<string[]> {
  if (typed === undefined) return before.subjects;
  if (ALL_SUBJECTS.test(typed.trim())) {
    requireSubject(kinds, []);
    return [];
  }
  if (before.network !== context.network) {
    throw new UserError(`Subscription ${before.id} is about ${before.network}.`, {
      option: "subjects",
      remedy: (named) => `Add ${named("network", before.network)}: its subjects are looked up there.`,
    });
  }
  return resolveSubjects(kinds, typed, context);
}

function isOver({ id, why, state }: Subscription): UserError {
  return new UserError(`Subscription ${id} is over: ${why ?? state}.`, {
    option: "id",
    remedy: "Add another one with:",
    suggestion: "alerts add",
  });
}

type StateChange = Extract<ChangeMessage["change"], { subscription: Subscription }>["what"];

const STATE_CHANGES = {
  removed: { doing: "remove its subscriptions", state: "removed", done: "Removed" },
  paused: { doing: "pause its subscriptions", state: "paused", done: "Paused" },
  resumed: { doing: "resume its subscriptions", state: "active", done: "Resumed" },
} as const satisfies Partial<Record<StateChange, { doing: string; state: Subscription["state"]; done: string }>>;

/** Removes, pauses or resumes a subscription; a state that holds already changes and announces nothing. */
export async function changeSubscriptionState(
  context: AlertCommandContext,
  typed: string,
  what: keyof typeof STATE_CHANGES,
): Promise<Reply> {
  const { alerts, caller } = context;
  const { doing, state, done } = STATE_CHANGES[what];
  const found = await findSubscription(typed, context, doing, true);
  if (found.state === "ended" || (found.state === "retired" && what === "paused")) throw isOver(found);
  if (state === "active" && !isAlive(found)) {
    // It returns only if the same was not added meanwhile, and within the limit.
    const there = countedWith(found, await alerts.subscriptions(), context);
    requireUnlike(found, there, alerts.config, {
      remedy: "There is nothing to bring back. All of them are listed by:",
      suggestion: "alerts list",
    });
    requireCapacity(found, there);
  }
  const labels = await labelsOf(found, context);
  if (found.state === state || (found.state === "removed" && what === "paused")) {
    const suspended = what === "resumed" ? await unreachable(alerts, found.destination) : undefined;
    if (suspended !== undefined) return retryDelivery(context, found, labels);
    const title = text`Nothing changed: subscription ${code(found.id)} is ${found.state} already`;
    return subscriptionReply(context, found, labels, { title });
  }
  const { why: _, undo: _undo, ...rest } = found;
  const changed: Subscription = { ...rest, ...workspaceOf(found.destination, context), state };
  const isBack = found.state === "retired";
  const announced = isOwnSubscription(found, context)
    ? isBack
      ? [testAnnouncement(context, found.destination, { subscription: changed })]
      : []
    : changeAnnouncements(context, [found.destination], { what, subscription: changed }, labels);
  const since = toMillis(context.now());
  await alerts.putSubscriptions([changed], caller.name, announced, found);
  if (isBack && announced.length > 0) {
    // The place was unreachable: the announcement shows whether it can be reached again.
    const delivery = await awaitFirstDelivery(context, found.destination, since);
    if (delivery.state === "lost") return unreachableReply(context, changed, delivery.why, labels);
  }
  return subscriptionReply(context, changed, labels, {
    tone: "good",
    title: text`${done} subscription ${code(found.id)}: ${subscriptionWords(found, labels)}`,
    actions: what === "removed" ? [invalidatingAction("Undo", "alerts resume", { id: found.id })] : [],
  });
}

/** A channel that cannot be reached is tried at once. */
async function retryDelivery(context: AlertCommandContext, found: Subscription, labels: Labels): Promise<Reply> {
  await context.alerts.retry(found.destination);
  const delivery = await awaitDelivery(context, found.destination, (suspended) =>
    Promise.resolve(suspended === undefined ? { state: "arrived" } : undefined),
  );
  if (delivery.state === "lost") return unreachableReply(context, found, delivery.why, labels);
  const title = text`Alerts arrive again: subscription ${code(found.id)} goes on`;
  return subscriptionReply(context, found, labels, { tone: "good", title });
}

/** A form does not wait longer for the names of markets; it then shows their ids. */
const NAMES_WAIT_MILLIS: Milliseconds = 800;

/**
 * The present values of a subscription, as the options of `alerts edit` would be typed: a form begins with them. Default
 * values are left out, except severity and style. Undefined where the caller sees no such subscription that is alive.
 */
export async function presentValues(id: string, context: SuggestContext): Promise<Ask["options"] | undefined> {
  const visible = visibleSubscriptions(await context.alerts.subscriptions(), context).filter(isAlive);
  const [only, ...others] = findByShortId(visible, id);
  if (only === undefined || others.length > 0) return undefined;
  const { chart, guidance, mention, quietHours } = only;
  return givenOptions({
    kinds: kindWords(only).join(","),
    subjects: await subjectWords(only, context),
    ...presentThresholds(only.kinds, only.parameters),
    severity: only.floor,
    style: only.style,
    events: only.events === "usual" ? undefined : only.events,
    quiet: quietHours === undefined ? undefined : `${quietHours.from}-${quietHours.to}`,
    zone: quietHours?.zone === "UTC" ? undefined : quietHours?.zone,
    mention,
    note: guidance?.note,
    runbook: guidance?.runbook,
    chart,
    network: only.network,
  });
}

/** The groups, then the kinds that are in none of them. */
function kindWords({ kinds, groups = [] }: Subscription): string[] {
  const covered = new Set<string>(groups.flatMap((group) => KIND_GROUPS[group]));
  return [...groups, ...kinds.filter((kind) => !covered.has(kind))];
}

/** Undefined for a subscription to all subjects. */
async function subjectWords(one: Subscription, context: SuggestContext): Promise<string | undefined> {
  if (one.subjects.length === 0) return undefined;
  const labels = await inTime(
    labelsOf(one, context),
    { millis: NAMES_WAIT_MILLIS, signal: context.signal },
    (): Labels => ({}),
  );
  // Two subjects may have the same name.
  const names = Map.groupBy(one.subjects, (id) => labels[id]?.toLowerCase());
  const nameOf = (id: string): string => {
    const name = labels[id];
    return name === undefined || name.includes(",") || names.get(name.toLowerCase())?.length !== 1 ? id : name;
  };
  return one.subjects.map(nameOf).join(",");
}
