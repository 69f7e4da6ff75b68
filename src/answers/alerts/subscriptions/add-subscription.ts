import { type AlertKind, needsThreshold } from "../../../alerts/judge/kinds/kinds.ts";
import type { ChosenKinds, Subscription } from "../../../alerts/route/subscription.ts";
import { networkStatusWords } from "../../../alerts/words/network-status-words.ts";
import { kindNoun, type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { managerRemedy } from "../../../bot/invocation.ts";
import { together, UserError } from "../../../errors.ts";
import { details, field, fields, paragraph } from "../../../reply/block.ts";
import { commandAction, givenOptions, invalidatingAction, reply, type Reply } from "../../../reply/reply.ts";
import { text } from "../../../reply/text.ts";
import { toMillis } from "../../../units/time.ts";
import { resolveSubjects, subjectLabels } from "../alert-subjects.ts";
import { type AlertCommandContext, changeAnnouncements, runExclusive, testAnnouncement } from "../alerts.ts";
import {
  type CallerContext,
  destinationHere,
  destinationWords,
  directMessages,
  isManager,
  isOperator,
  isOwnSubscription,
  isSameDestination,
  parseDestination,
  workspaceOf,
} from "../destination.ts";
import { networkStatus } from "../episodes/network-status.ts";
import { silencedUntil } from "../silences/silences.ts";
import { createShortId } from "../short-id.ts";
import { suspensionNote } from "../suspension-words.ts";
import {
  DEFAULT_NOTIFICATION_SETTINGS,
  inCallersZone,
  type NotificationSettings,
  parseNotificationSettings,
  threadNote,
} from "./notification-settings.ts";
import {
  awaitFirstDelivery,
  countedWith,
  coverageBy,
  crossedThresholdNote,
  deliveryNote,
  overlapNote,
  requireCapacity,
  severityNotes,
  silenceNote,
} from "./subscription-checks.ts";
import {
  contentKey,
  firstActions,
  listAction,
  notificationSettingsKey,
  standingBlocks,
  subscriptionBlocks,
} from "./subscriptions.ts";
import { withPast } from "./past.ts";
import { parseThresholds, requireConsistentThresholds, type SubscriptionValues } from "./thresholds.ts";
import type { Destination } from "../../../alerts/destination.ts";
import type { OfferedChange } from "../../../bot/command.ts";
import { listWords } from "../../../reply/enum-words.ts";

export type AddValues = SubscriptionValues & { readonly to?: string | undefined };

/** Where it would be told. */
function destinationOf({ to }: AddValues, context: AlertCommandContext): Destination {
  return to === undefined ? destinationHere(context) : parseDestination(to, context);
}

/** A subscription before it is kept: `draft` makes it, beside all that there are. @throws UserError for wrong values. */
export async function draftSubscription(context: AlertCommandContext, chosen: ChosenKinds, given: AddValues) {
  const { alerts, platforms } = context;
  const values = await inCallersZone(context, given);
  const { kinds } = chosen;
  const destination = destinationOf(values, context);
  const place = { destination, ...workspaceOf(destination, context) };
  const defaults = platforms.isOperators(destination.platform)
    ? { ...DEFAULT_NOTIFICATION_SETTINGS, style: "plain" as const }
    : DEFAULT_NOTIFICATION_SETTINGS;
  const [subjects] = await together(
    () => (values.subjects === undefined ? [] : resolveSubjects(kinds, values.subjects, context)),
    () => requireSubject(kinds, values.subjects === undefined ? [] : [values.subjects]),
    () => parseThresholds(kinds, values),
    () => parseNotificationSettings(values, { ...destination, ...place }, platforms, defaults),
  );
  const there = (await alerts.subscriptions()).filter((one) => isSameDestination(one.destination, destination));
  const told = there.map((one) => ({ kinds: one.kinds, ids: one.subjects }));
  const labels = await subjectLabels([{ kinds, ids: subjects }, ...told], context);
  const draft = (all: readonly Subscription[]): Subscription =>
    newSubscription(context, all, { ...place, ...chosen, subjects }, values, defaults);
  return { values, destination, labels, draft };
}

/** The one that tells the same there; what nobody typed yet (`offered`), also where it tells more. */
export function toldAlready(
  subscription: Subscription,
  there: readonly Subscription[],
  { config }: AlertCommandContext["alerts"],
  offered: boolean,
): Subscription | undefined {
  const same = there.find((one) => contentKey(one, config) === contentKey(subscription, config));
  return same ?? (offered ? there.find((one) => coverageBy(subscription, one, config) === "all") : undefined);
}

/** Subscribes a channel; asking twice changes nothing. `offered`: nothing was named, so these are the usual kinds. */
export async function addSubscription(
  context: AlertCommandContext & { readonly signal: AbortSignal },
  chosen: ChosenKinds,
  given: AddValues,
  offered: boolean,
): Promise<Reply> {
  const { alerts, network, platforms } = context;
  requireOwnOrManager(destinationOf(given, context), context, given);
  const { values, destination, labels, draft } = await draftSubscription(context, chosen, given);
  const added = await runExclusive(alerts, async () => {
    const all = await alerts.subscriptions();
    const subscription = draft(all);
    // Checked first: a subscription that cannot be is not compared with others.
    requireConsistentThresholds(subscription, alerts.config);
    const there = countedWith(subscription, all, context);
    const known = toldAlready(subscription, there, alerts, offered);
    if (known !== undefined) return existingSubscriptionReply(context, known, subscription, values, labels);
    requireCapacity(subscription, there);
    const silenced = silencedUntil(subscription, await alerts.silences(), subscription.created);
    const status = await networkStatus(network, alerts, { subscription, others: there, silenced });
    // Only a message shows whether direct messages can be sent. Nobody else reads them, so no change is announced there.
    const personal = destination.channel.startsWith("user:");
    const isKnown = personal || all.some((one) => isSameDestination(one.destination, destination));
    const news = { subscription, standing: status, ...(isKnown ? {} : { first: true as const }) };
    const announced = personal
      ? [testAnnouncement(context, destination, news)]
      : changeAnnouncements(context, [destination], { what: "added", ...news }, labels);
    await alerts.putSubscriptions([subscription], context.caller.name, announced);
    return {
      subscription,
      status,
      isTold: announced.length === 0,
      overlapping: overlapNote(subscription, there, alerts.config, labels),
    };
  });
  if (!("subscription" in added)) return added;
  const { subscription, status, isTold, overlapping } = added;
  const [delivery, crossed] = await Promise.all([
    isTold ? ARRIVED : awaitFirstDelivery(context, destination, subscription.created),
    crossedThresholdNote(context, subscription, labels),
  ]);
  const suspended = await suspensionNote(context, destination);
  if (delivery.state === "lost") return unreachableReply(context, subscription, delivery.why, labels);
  const confirmation = reply({
    tone: "good",
    title: isOwnSubscription(subscription, context)
      ? text`By direct message you will be told of ${subscriptionWords(subscription, labels)}`
      : text`Subscribed ${destinationWords(destination, context)} to ${subscriptionWords(subscription, labels)}`,
    blocks: [
      ...subscriptionBlocks(subscription, labels),
      ...severityNotes(subscription),
      ...overlapping,
      ...suspended,
      ...threadNote(values, subscription, platforms),
      ...crossed,
      paragraph(networkStatusWords(status)),
      ...deliveryNote(context, destination),
    ],
    actions: [...firstActions(subscription), listAction()],
  });
  return withPast(confirmation, context, subscription);
}

/** Where the answer stands in place of the bot's own message, the channel can be reached. */
const ARRIVED = { state: "arrived" } as const;

/** @throws UserError for whoever may not manage the channel: they may be told alone. */
function requireOwnOrManager(destination: Destination, context: CallerContext, given: AddValues): void {
  if (isManager(context) || isSameDestination(destination, directMessages(context))) return;
  throw new UserError("Only people who manage this channel can change what it is told.", {
    remedy: `${managerRemedy(context, context.platforms)} You can be told alone, by direct message.`,
    starts: [subscribeMe(given)],
  });
}

/** For whoever may not manage the channel. */
function subscribeMe(given: AddValues) {
  const options = givenOptions({ ...given, to: "me" });
  return { label: "Subscribe me", command: "alerts add", options, invalidates: true } as const;
}

/** A subscription of the caller to the network asked about, with the thresholds and settings that were typed. */
export function newSubscription(
  context: AlertCommandContext,
  all: readonly Subscription[],
  what: Pick<Subscription, "destination" | "workspace" | "kinds" | "groups" | "subjects" | "personal">,
  values: SubscriptionValues,
  defaults: NotificationSettings,
): Subscription {
  const { caller, network, platforms } = context;
  return {
    id: createShortId(all),
    network,
    ...what,
    parameters: parseThresholds(what.kinds, values),
    ...parseNotificationSettings(values, { ...what.destination, ...what }, platforms, defaults),
    state: "active",
    created: toMillis(context.now()),
    by: { id: caller.id, name: caller.name },
  };
}

/** A price threshold belongs to one market: one for all of them means nothing. */
export function requireSubject(kinds: readonly AlertKind[], subjects: readonly string[]): void {
  const kind = kinds.find((one) => needsThreshold(one));
  if (kind === undefined || subjects.length > 0) return;
  const example = kind === "market.price" ? "high:70000" : 'if:"mark above 70,000"';
  throw new UserError(`${kind} needs a market: one threshold does not fit all of them.`, {
    option: "subjects",
    remedy: "For example:",
    suggestion: `alerts add ${kind} BTC/USDT ${example}`,
  });
}

/** The reply where the first message did not arrive: otherwise people would notice that at the first alert. */
export function unreachableReply(
  context: CallerContext,
  subscription: Subscription,
  why: string,
  labels: Labels,
): Reply {
  const options = { id: subscription.id };
  return reply({
    tone: "bad",
    title: text`The bot cannot post in ${destinationWords(subscription.destination, context)}`,
    blocks: [
      ...subscriptionBlocks(subscription, labels, [field("Why", why, { wide: true })]),
      paragraph(
        `${reachRemedy(subscription.destination, context)}, then try again. Messages wait for a day and are sent once they can be.`,
      ),
    ],
    actions: [commandAction("Try again", "alerts resume", options)],
    failure: "caller",
  });
}

function reachRemedy({ platform, channel }: Destination, { platforms }: CallerContext): string {
  const person = channel.startsWith("user:") ? platforms.chat(platform)?.directMessagesRemedy : undefined;
  return person ?? "Let the bot into the channel and let it post there";
}

/** The same subscription again changes nothing: it says what stands. Other notification settings are offered as an edit. */
export async function existingSubscriptionReply(
  context: AlertCommandContext & { readonly openly?: true },
  known: Subscription,
  wanted: Subscription,
  values: AddValues,
  labels: Labels,
): Promise<Reply> {
  const { here, platforms } = context;
  const isPersonal = !isOperator(context) && isSameDestination(known.destination, directMessages(context));
  const mayChange = isPersonal || context.openly === true || isManager(context);
  const me = subscribeMe(values);
  const isHere = isSameDestination(known.destination, destinationHere(context));
  const { severity, style, events, quiet, zone, mention, note, runbook, chart } = values;
  const named = givenOptions({ severity, style, events, quiet, zone, mention, note, runbook, chart });
  const differs = Object.keys(named).length > 0 && notificationSettingsKey(known) !== notificationSettingsKey(wanted);
  const notes = [
    ...(known.state === "paused" ? ["Nothing is told while it is paused: Resume ends that."] : []),
    ...(differs ? ["It is told in another way than you ask for: Change it does what you ask."] : []),
    ...(platforms.isOperators(here.platform) ? ["To tell a channel of a chat, ask the same there."] : []),
    ...(mayChange ? [] : [`Only people who manage this channel change that. ${managerRemedy(context, platforms)}`]),
  ];
  return reply({
    title: isPersonal
      ? text`Subscribed already: by direct message you are told of ${subscriptionWords(known, labels)}`
      : text`Subscribed already: ${destinationWords(known.destination, context)} is told of ${subscriptionWords(known, labels)}`,
    blocks: [
      ...notes.map((sentence) => paragraph(sentence)),
      ...standingBlocks(known, labels),
      ...(await silenceNote(context, known)),
    ],
    actions: [
      ...(differs && mayChange ? [invalidatingAction("Change it", "alerts edit", { id: known.id, ...named })] : []),
      ...(mayChange
        ? [...(isHere ? [commandAction("Send a test", "alerts drill")] : []), ...firstActions(known)]
        : [invalidatingAction(me.label, me.command, me.options)]),
      listAction(),
    ],
  });
}

/** The kinds that are named; the rest is counted. */
const NAMED_KINDS = 4;

/**
 * `Subscribe this channel to the ops alerts on mainnet?` Whoever may not manage the channel is offered to be told alone.
 * The answer where all of it is told already.
 */
export async function offeredSubscription(
  context: AlertCommandContext & { readonly openly?: true },
  chosen: ChosenKinds,
  given: AddValues,
): Promise<OfferedChange | Reply> {
  const { alerts } = context;
  const { kinds } = chosen;
  const { values, destination, labels, draft } = await draftSubscription(context, chosen, given);
  const all = await alerts.subscriptions();
  const wanted = draft(all);
  const known = toldAlready(wanted, countedWith(wanted, all, context), alerts, true);
  if (known !== undefined) return existingSubscriptionReply(context, known, wanted, values, labels);
  const isPersonal = !isOperator(context) && isSameDestination(destination, directMessages(context));
  const remedy = managerRemedy(context, context.platforms);
  if (!isPersonal && !isManager(context) && context.openly !== true) {
    const alone = await offeredSubscription(context, chosen, { ...given, to: "me" });
    if (!("question" in alone)) return alone;
    const facts = [...alone.facts, field("This channel", `Only people who manage it subscribe it. ${remedy}`)];
    return { ...alone, facts, options: { to: "me" } };
  }
  const what = subscriptionWords(wanted, labels);
  const named = kinds.slice(0, NAMED_KINDS).map(kindNoun);
  const others = kinds.length - named.length;
  return {
    question: isPersonal
      ? text`Subscribe you, by direct message, to ${what}?`
      : text`Subscribe ${destinationWords(destination, context)} to ${what}?`,
    facts: [
      field("Tells of", listWords([...named, ...(others > 0 ? [`${others} more`] : [])], " and "), { wide: true }),
      // Nobody knows yet what whoever presses may do.
      ...(context.openly === true && !isPersonal ? [field("Who may", "Whoever manages this channel")] : []),
    ],
    ...(others > 0
      ? { details: details([fields([field("All of them", listWords(kinds.map(kindNoun), " and "))])]) }
      : {}),
  };
}
