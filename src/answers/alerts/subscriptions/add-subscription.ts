import type { Announcement } from "../../../alerts/engine/engine.ts";
import { timeToText } from "../../../alerts/kinds/json-fields.ts";
import { type AlertKind, groupOf } from "../../../alerts/kinds/kinds.ts";
import type { NetworkStatus } from "../../../alerts/kinds/network-status.ts";
import { isAlive, type Subscription } from "../../../alerts/routing/subscription.ts";
import type { Destination } from "../../../alerts/sender.ts";
import { networkStatusWords } from "../../../alerts/wording/network-status-words.ts";
import { deliveryOptionWords, type Labels, subscriptionWords } from "../../../alerts/wording/subscription-words.ts";
import { systemClock } from "../../../api/clock.ts";
import { UserError } from "../../../errors.ts";
import { type Block, field, paragraph } from "../../../reply/block.ts";
import { type Action, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import type { ResolveContext } from "../../ids/resolve-id.ts";
import { resolveSubjects, subjectLabels } from "../alert-subjects.ts";
import { type AlertCommandContext, changeAnnouncements, runExclusive } from "../alerts.ts";
import {
  type CallerContext,
  destinationHere,
  destinationWords,
  isSameDestination,
  parseDestination,
  requireManager,
} from "../destination.ts";
import { networkStatus } from "../episodes/network-status.ts";
import { createShortId } from "../short-id.ts";
import { suspensionNote } from "../suspension-words.ts";
import { DEFAULT_NOTIFICATION_SETTINGS, parseNotificationSettings, threadNote } from "./notification-settings.ts";
import { awaitFirstDelivery, crossedThresholdNote, minimumSeverityNote } from "./subscription-checks.ts";
import { contentKey, notificationSettingsKey, subscriptionActions } from "./subscriptions.ts";
import { parseThresholds, requireConsistentThresholds, type SubscriptionValues } from "./thresholds.ts";

/** Nobody reads more of one channel, and each costs a little in every round. */
export const MAX_SUBSCRIPTIONS_PER_DESTINATION = 100;

export type SubscriptionContext = AlertCommandContext & ResolveContext;
export type AddValues = SubscriptionValues & { readonly to?: string | undefined };

/** Subscribes a channel, once however often it is asked for; `offered` where nothing was asked for but to be told of what matters. */
export async function addSubscription(
  context: SubscriptionContext,
  kinds: readonly AlertKind[],
  values: AddValues,
  offered: boolean,
): Promise<Reply> {
  const { alerts } = context;
  requireManager(context, "change what it is told");
  const destination = values.to === undefined ? destinationHere(context) : parseDestination(values.to, context, alerts);
  const subjects = values.subjects === undefined ? [] : await resolveSubjects(kinds, values.subjects, context);
  requireSubject(kinds, subjects);
  const labels = await subjectLabels([{ kinds, ids: subjects }], context);
  const wanted = { kinds, values, offered, destination, subjects, labels };
  const made = await runExclusive(alerts, () => addOnce(context, wanted));
  if (!("subscription" in made)) return made;
  const [arrival, crossed] = await Promise.all([
    awaitFirstDelivery(alerts, made.subscription, systemClock, context.signal),
    crossedThresholdNote(context, made.subscription, labels),
  ]);
  const held = await suspensionNote(alerts, destination);
  return arrival.state === "lost"
    ? unreachableReply(context, made.subscription, arrival.why, labels)
    : addedReply(context, made.subscription, {
        standing: made.standing,
        labels,
        offered,
        notes: [...held, ...threadNote(values, made.subscription), ...crossed],
      });
}

interface SubscriptionRequest {
  readonly kinds: readonly AlertKind[];
  readonly values: AddValues;
  readonly offered: boolean;
  readonly destination: Destination;
  readonly subjects: readonly string[];
  readonly labels: Labels;
}

/** A new subscription, or what there is to say instead. */
type AddResult = Reply | { readonly subscription: Subscription; readonly standing: NetworkStatus };

async function addOnce(context: SubscriptionContext, wanted: SubscriptionRequest): Promise<AddResult> {
  const { alerts, caller, network } = context;
  const { kinds, values, offered, destination, subjects, labels } = wanted;
  const usual =
    destination.platform === "web"
      ? { ...DEFAULT_NOTIFICATION_SETTINGS, style: "plain" as const }
      : DEFAULT_NOTIFICATION_SETTINGS;
  const all = await alerts.subscriptions();
  const subscription: Subscription = {
    id: createShortId(all.map(({ id }) => id)),
    destination,
    network,
    kinds: [...kinds],
    subjects: [...subjects],
    parameters: parseThresholds(kinds, values),
    ...parseNotificationSettings(values, destination.platform, usual),
    state: "active",
    created: toMillis(context.now()),
    by: { id: caller.id, name: caller.name },
  };
  // Before anything else is looked at.
  requireConsistentThresholds(subscription, alerts.config);
  const there = all.filter(
    (one) => isAlive(one) && one.personal !== true && isSameDestination(one.destination, destination),
  );
  const known = there.find((one) => contentKey(one, alerts.config) === contentKey(subscription, alerts.config));
  if (known !== undefined) return existingSubscriptionReply(context, known, subscription, values, labels);
  if (there.length >= MAX_SUBSCRIPTIONS_PER_DESTINATION) {
    throw new UserError(`There are ${there.length} subscriptions in this place already, and no more are kept.`, {
      remedy: "Remove some of them, or name several markets in one. They are listed by:",
      suggestion: "alerts list",
    });
  }
  const standing = await networkStatus(network, alerts, subscription);
  const announced = offered
    ? [testAnnouncement(context, destination, subscription, standing)]
    : changeAnnouncements(context, [destination], { what: "added", subscription, standing }, labels);
  await alerts.putSubscription(subscription, caller.name, announced);
  return { subscription, standing };
}

/** A price is watched market by market: one threshold for all of them says nothing. */
function requireSubject(kinds: readonly AlertKind[], subjects: readonly string[]): void {
  if (!kinds.includes("market.price") || subjects.length > 0) return;
  throw new UserError("market.price needs a market: one threshold does not fit all of them.", {
    option: "subjects",
    remedy: "Type for example:",
    suggestion: "alerts add market.price BTC/USDT high:70000",
  });
}

function testAnnouncement(
  context: SubscriptionContext,
  destination: Destination,
  subscription: Subscription,
  standing: NetworkStatus,
): Announcement {
  const simulated = context.api.simulated ? { simulated: true as const } : {};
  const at = timeToText(context.now());
  return { destination, message: { type: "test", ...simulated, by: context.caller.name, at, subscription, standing } };
}

function addedReply(
  context: SubscriptionContext,
  subscription: Subscription,
  more: { standing: NetworkStatus; labels: Labels; offered: boolean; notes: readonly Block[] },
): Reply {
  const { standing, labels, offered, notes } = more;
  const place = destinationWords(subscription.destination, context);
  const blocks: Block[] = [
    { kind: "fields", fields: subscriptionFields(subscription, labels) },
    ...minimumSeverityNote(subscription),
    ...notes,
    paragraph(text`Now: ${networkStatusWords(standing)}`),
    ...deliveryNote(context, subscription.destination),
  ];
  if (offered) {
    blocks.push(
      paragraph(
        text`These are the kinds that ops channels need; a test message is on its way. Others are added by name, such as ${code("alerts add markets BTC/USDT")} or ${code("alerts add all")}.`,
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

/** The place could not be told even that: better said now than missed when it matters. */
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
      { kind: "fields", fields: [...subscriptionFields(subscription, labels), field("Why", why, { wide: true })] },
      paragraph("Nothing is told there. Let the bot into the channel and let it post there, then resume."),
    ],
    actions: [{ label: "Resume", invocation: { command: "alerts resume", options }, effect: "reply" }],
    failure: "caller",
  });
}

/** The same again changes nothing; the same in another way is offered as a change of what there is. */
function existingSubscriptionReply(
  context: SubscriptionContext,
  known: Subscription,
  wanted: Subscription,
  values: AddValues,
  labels: Labels,
): Reply {
  const place = destinationWords(known.destination, context);
  const same = notificationSettingsKey(known) === notificationSettingsKey(wanted);
  const paused = known.state === "paused" ? ["It is paused."] : [];
  const { severity, style, events, quiet, zone, mention } = values;
  const typed = Object.entries({ severity, style, events, quiet, zone, mention });
  const named = typed.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const change: Action[] =
    same || named.length === 0
      ? []
      : [
          {
            label: "Change it",
            invocation: { command: "alerts edit", options: { id: known.id, ...Object.fromEntries(named) } },
            effect: "reply",
          },
        ];
  const otherwise =
    same || named.length === 0
      ? []
      : [text`It is told in another way than you ask for; ${code("alerts edit")} changes that.`];
  return reply({
    title: text`Nothing changed: ${place} was subscribed to that already`,
    blocks: [
      { kind: "fields", fields: subscriptionFields(known, labels) },
      ...[...paused, ...otherwise].map((sentence) => paragraph(sentence)),
    ],
    actions: [...change, ...subscriptionActions(known, labels), listAction()],
  });
}

export function subscriptionFields(one: Subscription, labels: Labels) {
  const manner = deliveryOptionWords(one);
  return [
    field("Subscription", code(one.id)),
    field("Tells", subscriptionWords(one, labels), { wide: true }),
    ...(groupOf(one.kinds) === undefined ? [] : [field("Kinds", one.kinds.join(", "), { wide: true })]),
    ...(manner.length === 0 ? [] : [field("How", manner, { wide: true })]),
    ...(one.state === "active" ? [] : [field("State", one.why === undefined ? one.state : `${one.state}: ${one.why}`)]),
  ];
}

/** Said where nothing delivers to that platform at the moment. */
export function deliveryNote({ alerts }: Pick<AlertCommandContext, "alerts">, { platform }: Destination): Block[] {
  if (alerts.platforms().includes(platform)) return [];
  const where = platform === "web" ? "the console" : platform === "slack" ? "Slack" : "Discord";
  return [
    paragraph(`Nothing delivers to ${where} from here at the moment; what is owed goes once the bot runs there.`),
  ];
}

export function listAction(): Action {
  return { label: "All subscriptions", invocation: { command: "alerts list", options: {} }, effect: "reply" };
}
