import type { Announcement } from "../alerts/alert-engine.ts";
import { timeToText } from "../alerts/json-units.ts";
import { groupOf } from "../alerts/kind-groups.ts";
import type { AlertKind } from "../alerts/kinds.ts";
import type { Destination } from "../alerts/sender.ts";
import type { Standing } from "../alerts/standing.ts";
import { standingWords } from "../alerts/standing-words.ts";
import { isAlive, type Subscription } from "../alerts/subscription.ts";
import { mannerWords, subscriptionWords, type Labels } from "../alerts/subscription-words.ts";
import { systemClock } from "../api/clock.ts";
import { UserError } from "../errors.ts";
import { field, paragraph, type Block } from "../reply/block.ts";
import { reply, type Action, type Reply } from "../reply/reply.ts";
import { code, text } from "../reply/text.ts";
import { toMillis } from "../units/nanoseconds.ts";
import { arrivalOf } from "./alert-arrival.ts";
import { announcements, type ChangeContext } from "./alert-change.ts";
import { crossedAlready } from "./alert-crossed.ts";
import { floorNote } from "./alert-floor.ts";
import { parseManner, threadNote, USUAL_MANNER } from "./alert-manners.ts";
import {
  destinationHere,
  isSamePlace,
  parseDestination,
  placeWords,
  requireManager,
  type PlaceContext,
} from "./alert-place.ts";
import { standingOf } from "./alert-standing.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { refusedNote } from "./refused-token.ts";
import { resolveSubjects, subjectLabels } from "./alert-subjects.ts";
import { contentOf, mannerOf, subscriptionActions } from "./alert-subscriptions.ts";
import { parseThresholds, requireSense, type SubscriptionValues } from "./alert-thresholds.ts";
import type { ResolveContext } from "./resolve-id.ts";
import { shortId } from "./short-id.ts";

/** Nobody reads more of one channel, and each costs a little in every round. */
export const MAX_PER_PLACE = 100;

export type AddContext = ChangeContext & ResolveContext;
export type AddValues = SubscriptionValues & { readonly to?: string | undefined };

/** Subscribes a channel, once however often it is asked for; `offered` where nothing was asked for but to be told of what matters. */
export async function subscribePlace(
  context: AddContext,
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
  const made = await oneAtATime(alerts, () => subscribeOnce(context, wanted));
  if (!("subscription" in made)) return made;
  const [arrival, crossed] = await Promise.all([
    arrivalOf(alerts, made.subscription, systemClock, context.signal),
    crossedAlready(context, made.subscription, labels),
  ]);
  const held = await refusedNote(alerts, destination);
  return arrival.state === "lost"
    ? unreachable(context, made.subscription, arrival.why, labels)
    : subscribed(context, made.subscription, {
        standing: made.standing,
        labels,
        offered,
        notes: [...held, ...threadNote(values, made.subscription), ...crossed],
      });
}

interface Wanted {
  readonly kinds: readonly AlertKind[];
  readonly values: AddValues;
  readonly offered: boolean;
  readonly destination: Destination;
  readonly subjects: readonly string[];
  readonly labels: Labels;
}

/** A new subscription, or what there is to say instead. */
type Made = Reply | { readonly subscription: Subscription; readonly standing: Standing };

async function subscribeOnce(context: AddContext, wanted: Wanted): Promise<Made> {
  const { alerts, caller, network } = context;
  const { kinds, values, offered, destination, subjects, labels } = wanted;
  const usual = destination.platform === "web" ? { ...USUAL_MANNER, style: "plain" as const } : USUAL_MANNER;
  const all = await alerts.subscriptions();
  const subscription: Subscription = {
    id: shortId(all.map(({ id }) => id)),
    destination,
    network,
    kinds: [...kinds],
    subjects: [...subjects],
    parameters: parseThresholds(kinds, values),
    ...parseManner(values, destination.platform, usual),
    state: "active",
    created: toMillis(context.now()),
    by: { id: caller.id, name: caller.name },
  };
  // Before anything else is looked at.
  requireSense(subscription, alerts.config);
  const there = all.filter((one) => isAlive(one) && one.personal !== true && isSamePlace(one.destination, destination));
  const known = there.find((one) => contentOf(one, alerts.config) === contentOf(subscription, alerts.config));
  if (known !== undefined) return alreadyThere(context, known, subscription, values, labels);
  if (there.length >= MAX_PER_PLACE) {
    throw new UserError(`There are ${there.length} subscriptions in this place already, and no more are kept.`, {
      remedy: "Remove some of them, or name several markets in one. They are listed by:",
      suggestion: "alerts list",
    });
  }
  const standing = await standingOf(network, alerts, subscription);
  const announced = offered
    ? [testOf(context, destination, subscription, standing)]
    : announcements(context, [destination], { what: "added", subscription, standing }, labels);
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

function testOf(
  context: AddContext,
  destination: Destination,
  subscription: Subscription,
  standing: Standing,
): Announcement {
  const simulated = context.api.simulated ? { simulated: true as const } : {};
  const at = timeToText(context.now());
  return { destination, message: { type: "test", ...simulated, by: context.caller.name, at, subscription, standing } };
}

function subscribed(
  context: AddContext,
  subscription: Subscription,
  more: { standing: Standing; labels: Labels; offered: boolean; notes: readonly Block[] },
): Reply {
  const { standing, labels, offered, notes } = more;
  const place = placeWords(subscription.destination, context);
  const blocks: Block[] = [
    { kind: "fields", fields: subscriptionFields(subscription, labels) },
    ...floorNote(subscription),
    ...notes,
    paragraph(text`Now: ${standingWords(standing)}`),
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
export function unreachable(context: PlaceContext, subscription: Subscription, why: string, labels: Labels): Reply {
  const options = { id: subscription.id };
  return reply({
    tone: "bad",
    title: text`The bot cannot post in ${placeWords(subscription.destination, context)}`,
    blocks: [
      { kind: "fields", fields: [...subscriptionFields(subscription, labels), field("Why", why, { wide: true })] },
      paragraph("Nothing is told there. Let the bot into the channel and let it post there, then resume."),
    ],
    actions: [{ label: "Resume", invocation: { command: "alerts resume", options }, effect: "reply" }],
    failure: "caller",
  });
}

/** The same again changes nothing; the same in another way is offered as a change of what there is. */
function alreadyThere(
  context: AddContext,
  known: Subscription,
  wanted: Subscription,
  values: AddValues,
  labels: Labels,
): Reply {
  const place = placeWords(known.destination, context);
  const same = mannerOf(known) === mannerOf(wanted);
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
  const manner = mannerWords(one);
  return [
    field("Subscription", code(one.id)),
    field("Tells", subscriptionWords(one, labels), { wide: true }),
    ...(groupOf(one.kinds) === undefined ? [] : [field("Kinds", one.kinds.join(", "), { wide: true })]),
    ...(manner.length === 0 ? [] : [field("How", manner, { wide: true })]),
    ...(one.state === "active" ? [] : [field("State", one.why === undefined ? one.state : `${one.state}: ${one.why}`)]),
  ];
}

/** Said where nothing delivers to that platform at the moment. */
export function deliveryNote({ alerts }: Pick<ChangeContext, "alerts">, { platform }: Destination): Block[] {
  if (alerts.platforms().includes(platform)) return [];
  const where = platform === "web" ? "the console" : platform === "slack" ? "Slack" : "Discord";
  return [
    paragraph(`Nothing delivers to ${where} from here at the moment; what is owed goes once the bot runs there.`),
  ];
}

export function listAction(): Action {
  return { label: "All subscriptions", invocation: { command: "alerts list", options: {} }, effect: "reply" };
}
