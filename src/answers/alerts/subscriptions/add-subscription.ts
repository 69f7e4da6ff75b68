import { timeToText } from "../../../alerts/judge/kinds/json-fields.ts";
import type { AlertKind } from "../../../alerts/judge/kinds/kinds.ts";
import type { NetworkStatus } from "../../../alerts/judge/kinds/network-status.ts";
import type { TestMessage } from "../../../alerts/message/message.ts";
import { type ChosenKinds, isAlive, type Subscription } from "../../../alerts/route/subscription.ts";
import { networkStatusWords } from "../../../alerts/words/network-status-words.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { type Block, field, paragraph } from "../../../reply/block.ts";
import { commandAction, reply, type Reply } from "../../../reply/reply.ts";
import { commandLine, text } from "../../../reply/text.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { resolveSubjects, subjectLabels } from "../alert-subjects.ts";
import { type AlertCommandContext, changeAnnouncements, runExclusive } from "../alerts.ts";
import {
  type CallerContext,
  destinationHere,
  destinationWords,
  isSameDestination,
  parseDestination,
  requireManager,
  workspaceOf,
} from "../destination.ts";
import { networkStatus } from "../episodes/network-status.ts";
import { silencedUntil } from "../silences/silences.ts";
import { createShortId } from "../short-id.ts";
import { suspensionNote } from "../suspension-words.ts";
import { DEFAULT_NOTIFICATION_SETTINGS, parseNotificationSettings, threadNote } from "./notification-settings.ts";
import {
  awaitFirstDelivery,
  crossedThresholdNote,
  deliveryNote,
  overlapNote,
  severityNotes,
  silenceNote,
  coverageBy,
} from "./subscription-checks.ts";
import {
  contentKey,
  listAction,
  notificationSettingsKey,
  subscriptionActions,
  standingBlocks,
  subscriptionBlocks,
} from "./subscriptions.ts";
import { parseThresholds, requireConsistentThresholds, type SubscriptionValues } from "./thresholds.ts";
import type { Destination } from "../../../alerts/destination.ts";
import type { Announcement } from "../../../alerts/service/service.ts";

/** Each subscription costs a little at every observation, and nobody reads more in one channel. */
export const MAX_SUBSCRIPTIONS_PER_DESTINATION = 100;

export type AddValues = SubscriptionValues & { readonly to?: string | undefined };

/** Subscribes a channel; asking twice changes nothing. `offered`: no kinds were named, so these are the usual ones. */
export async function addSubscription(
  context: AlertCommandContext,
  chosen: ChosenKinds,
  values: AddValues,
  offered: boolean,
): Promise<Reply> {
  const { alerts } = context;
  const { kinds } = chosen;
  requireManager(context, "change what it is told");
  const destination = values.to === undefined ? destinationHere(context) : parseDestination(values.to, context, alerts);
  const subjects = values.subjects === undefined ? [] : await resolveSubjects(kinds, values.subjects, context);
  requireSubject(kinds, subjects);
  const labels = await subjectLabels([{ kinds, ids: subjects }], context);
  const request = { chosen, values, offered, destination, subjects, labels };
  const added = await runExclusive(alerts, () => addOnce(context, request));
  if (!("subscription" in added)) return added;
  const [delivery, crossed] = await Promise.all([
    awaitFirstDelivery(alerts, added.subscription, context.signal),
    crossedThresholdNote(context, added.subscription, labels),
  ]);
  const suspended = await suspensionNote(alerts, context, destination);
  return delivery.state === "lost"
    ? unreachableReply(context, added.subscription, delivery.why, labels)
    : addedReply(context, added.subscription, {
        status: added.status,
        labels,
        offered,
        notes: [
          ...added.overlapping,
          ...suspended,
          ...threadNote(values, added.subscription, context.platforms),
          ...crossed,
        ],
      });
}

interface SubscriptionRequest {
  readonly chosen: ChosenKinds;
  readonly values: AddValues;
  readonly offered: boolean;
  readonly destination: Destination;
  readonly subjects: readonly string[];
  readonly labels: Labels;
}

/** A new subscription, or the reply that says why there is none. */
type AddResult =
  | Reply
  | { readonly subscription: Subscription; readonly status: NetworkStatus; readonly overlapping: readonly Block[] };

async function addOnce(context: AlertCommandContext, request: SubscriptionRequest): Promise<AddResult> {
  const { alerts, caller, network } = context;
  const { chosen, values, offered, destination, subjects, labels } = request;
  const defaults = context.platforms.isOperators(destination.platform)
    ? { ...DEFAULT_NOTIFICATION_SETTINGS, style: "plain" as const }
    : DEFAULT_NOTIFICATION_SETTINGS;
  const all = await alerts.subscriptions();
  const workspace = workspaceOf(destination, context);
  const subscription: Subscription = {
    id: createShortId(all.map(({ id }) => id)),
    destination,
    ...workspace,
    network,
    ...chosen,
    subjects: [...subjects],
    parameters: parseThresholds(chosen.kinds, values),
    ...parseNotificationSettings(values, { ...destination, ...workspace }, context.platforms, defaults),
    state: "active",
    created: toMillis(context.now()),
    by: { id: caller.id, name: caller.name },
  };
  // Checked first: a subscription that cannot be is not compared with others.
  requireConsistentThresholds(subscription, alerts.config);
  const there = all.filter(
    (one) => isAlive(one) && one.personal !== true && isSameDestination(one.destination, destination),
  );
  // The usual kinds, which nobody named, are not added twice.
  const known =
    there.find((one) => contentKey(one, alerts.config) === contentKey(subscription, alerts.config)) ??
    (offered ? there.find((one) => coverageBy(subscription, one, alerts.config) === "all") : undefined);
  if (known !== undefined) return existingSubscriptionReply(context, known, subscription, values, labels);
  if (there.length >= MAX_SUBSCRIPTIONS_PER_DESTINATION) {
    throw new UserError(`There are ${there.length} subscriptions in this place already, and no more are kept.`, {
      remedy: "Remove some of them, or name several markets in one. They are listed by:",
      suggestion: "alerts list",
    });
  }
  const silenced = silencedUntil(subscription, await alerts.silences(), subscription.created);
  const status = await networkStatus(network, alerts, { subscription, others: there, silenced });
  // Only a message shows whether direct messages can be sent. Nobody else reads them, so no change is announced there.
  const personal = destination.channel.startsWith("user:");
  const isKnown = personal || all.some((one) => isSameDestination(one.destination, destination));
  const first = isKnown ? {} : { first: true as const };
  const added = { subscription, standing: status, ...first };
  const announced =
    offered || personal
      ? [testAnnouncement(context, destination, added)]
      : changeAnnouncements(context, [destination], { what: "added", ...added }, labels);
  await alerts.putSubscription(subscription, caller.name, announced);
  return { subscription, status, overlapping: overlapNote(subscription, there, alerts.config, labels) };
}

/** A price threshold belongs to one market: one for all of them means nothing. */
function requireSubject(kinds: readonly AlertKind[], subjects: readonly string[]): void {
  if (!kinds.includes("market.price") || subjects.length > 0) return;
  throw new UserError("market.price needs a market: one threshold does not fit all of them.", {
    option: "subjects",
    remedy: "For example:",
    suggestion: "alerts add market.price BTC/USDT high:70000",
  });
}

/** A message that shows that a destination can be reached. */
export function testAnnouncement(
  context: AlertCommandContext,
  destination: Destination,
  added: Pick<TestMessage, "first" | "standing" | "subscription">,
): Announcement {
  const simulated = context.api.simulated ? { simulated: true as const } : {};
  const [by, at] = [context.caller.name, timeToText(context.now())];
  return { destination, message: { type: "test", ...simulated, by, at, ...added } };
}

function addedReply(
  context: AlertCommandContext,
  subscription: Subscription,
  more: { status: NetworkStatus; labels: Labels; offered: boolean; notes: readonly Block[] },
): Reply {
  const { status, labels, offered, notes } = more;
  const place = destinationWords(subscription.destination, context);
  const blocks: Block[] = [
    ...subscriptionBlocks(subscription, labels),
    ...severityNotes(subscription),
    ...notes,
    paragraph(networkStatusWords(status)),
    ...deliveryNote(context, subscription.destination),
  ];
  if (offered) {
    blocks.push(
      paragraph(
        text`A test message is on its way. Add more by name: ${commandLine("alerts add markets BTC/USDT")}, ${commandLine("alerts add all")}.`,
      ),
    );
  }
  return reply({
    tone: "good",
    title: text`Subscribed ${place} to ${subscriptionWords(subscription, labels)}`,
    blocks,
    actions: [...subscriptionActions(subscription, labels), listAction()],
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

/** The same subscription again changes nothing; other notification settings are offered as an edit. */
async function existingSubscriptionReply(
  context: AlertCommandContext,
  known: Subscription,
  wanted: Subscription,
  values: AddValues,
  labels: Labels,
): Promise<Reply> {
  const place = destinationWords(known.destination, context);
  const { severity, style, events, quiet, zone, mention, note, runbook } = values;
  const typed = Object.entries({ severity, style, events, quiet, zone, mention, note, runbook });
  const named = typed.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const differs = named.length > 0 && notificationSettingsKey(known) !== notificationSettingsKey(wanted);
  const notes = [
    ...(known.state === "paused" ? ["Nothing is told while it is paused: Resume ends that."] : []),
    ...(differs ? ["It is told in another way than you ask for: Change it does what you ask."] : []),
  ];
  const change = { id: known.id, ...Object.fromEntries(named) };
  return reply({
    title: text`Nothing changed: ${place} is told all of that already`,
    blocks: [
      ...notes.map((sentence) => paragraph(sentence)),
      ...standingBlocks(known, labels),
      ...(await silenceNote(context, known)),
    ],
    actions: [
      ...(differs ? [commandAction("Change it", "alerts edit", change)] : []),
      ...subscriptionActions(known, labels),
      listAction(),
    ],
  });
}
