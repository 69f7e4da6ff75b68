import { hash } from "node:crypto";

import { plainText } from "../../reply/plain-text.ts";
import type { Milliseconds } from "../../units/time.ts";
import { idOf } from "../dependencies.ts";
import { type AlertEvent, type EventKind, rings, severityOfEvent } from "../judge/kinds/event.ts";
import { KINDS, needsThreshold } from "../judge/kinds/kinds.ts";
import { endedBecause, joinPlans, type Plan } from "../deliver/outbox/batch.ts";
import { holdMessage } from "../deliver/outbox/held.ts";
import type { ListMessage } from "../message/list-message.ts";
import type { MessageOf } from "../message/message.ts";
import { route, type RoutingDecision, type RoutingInput } from "../route/route.ts";
import type { Silence } from "../route/silence.ts";
import { covers, endsWithMarkets, isRolling, MARKET_OVER, type Subscription } from "../route/subscription.ts";
import { eventLine } from "../words/describe-event.ts";
import type { Decision } from "../judge/judge.ts";

/** More events of one kind at once than this become one digest. */
const MAX_SINGLE_EVENTS = 5;

interface EventsPlanInput {
  /** Of one observation, in the order in which they happened. */
  readonly events: readonly AlertEvent[];
  readonly simulated: boolean;
  /** By the key of their destination. */
  readonly subscriptions: ReadonlyMap<string, readonly Subscription[]>;
  /** By subject, those that an open episode of it is told to, whose end will say the same. */
  readonly told?: ReadonlyMap<string, ReadonlySet<Subscription>>;
  readonly silences: readonly Silence[];
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/** Plans the deliveries of new events. Pure. */
export function planEvents(input: EventsPlanInput): Plan {
  const label = input.simulated ? { simulated: true as const } : {};
  const happened = input.events.map((event): EventToRoute => {
    const { kind, network, subject } = event;
    const message = { type: "event", ...label, event } as const;
    return { event, message, routing: { kind, network, subject, severity: severityOfEvent(event) } };
  });
  const lists = new Map<string, ListMessage>();
  const plans: Plan[] = [];
  for (const [destination, subscriptions] of input.subscriptions) {
    const groups = new Map<string, EventGroup>();
    for (const one of happened) {
      const routed = routeEvent(input, destination, subscriptions, one);
      if (routed?.plan !== undefined) plans.push(routed.plan);
      if (routed?.to === undefined) continue;
      const isOwn = hasOwnPost(routed.to, one.event);
      const key = `${one.event.kind} ${isOwn}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { kind: one.event.kind, to: routed.to, happened: [one], isOwn });
      else known.happened.push(one);
    }
    for (const group of groups.values()) plans.push(planGroup(input, group, lists));
  }
  return joinPlans(plans);
}

/** Events of a kind that are told together. */
interface EventGroup {
  readonly kind: EventKind;
  readonly to: Subscription;
  readonly happened: EventToRoute[];
  /** Each has a post of its own, which rings. */
  readonly isOwn: boolean;
}

/** A state of a market rings where the subscription names it, but not where the alert of its auction does. */
function hasOwnPost({ kinds, subjects, events }: Subscription, event: AlertEvent): boolean {
  if (event.kind !== "market.state" || !subjects.includes(event.subject)) return false;
  if (!kinds.includes("market.state")) return true;
  if (events !== "usual" || !rings(event)) return false;
  const modes = [event.before?.tradingMode, event.after.tradingMode];
  return !(kinds.includes("market.auction") && modes.some((mode) => mode?.endsWith("_AUCTION") === true));
}

/** Whether it is the end of a market whose values a subscription watches. */
function endsWatch({ kinds, subjects }: Subscription, event: AlertEvent): boolean {
  const isOver = event.kind === "market.state" && event.over === true && event.before !== undefined;
  return isOver && subjects.includes(event.subject) && kinds.some((kind) => needsThreshold(kind));
}

interface EventToRoute {
  readonly event: AlertEvent;
  readonly message: MessageOf<"event">;
  readonly routing: RoutingInput;
}

/** What becomes of an event at a destination that is subscribed to it. */
interface RoutedEvent {
  /** The subscription by which it is notified, if it is. */
  readonly to?: Subscription;
  /** What is planned at once. */
  readonly plan?: Plan;
}

/** Routes an event by one of a destination's subscriptions: a notified one, if any. */
function routeEvent(
  { silences, at, told }: EventsPlanInput,
  destination: string,
  subscriptions: readonly Subscription[],
  one: EventToRoute,
): RoutedEvent | undefined {
  const { event, message, routing } = one;
  const watching = subscriptions.filter((of) => endsWatch(of, event) && told?.get(event.subject)?.has(of) !== true);
  const asked = subscriptions
    .filter((of) => (of.kinds.includes(event.kind) && covers(of, event)) || watching.includes(of))
    .toSorted((a, b) => Number(hasOwnPost(b, event)) - Number(hasOwnPost(a, event)));
  const done = KINDS[event.kind].final === true ? asked.filter(({ personal }) => personal === true) : [];
  const ended = {
    endings: [
      ...endedBecause("it has seen the final state", done),
      ...endedBecause(MARKET_OVER, watching.filter(endsWithMarkets), event.subject),
    ],
  };
  let suppressed: Exclude<RoutingDecision, { notify: true }> | undefined;
  for (const subscription of asked) {
    const routed = route(routing, subscription, silences, at);
    if (routed.notify) return { to: subscription, plan: ended };
    suppressed ??= routed;
  }
  if (suppressed === undefined) return undefined;
  const { by, detail, until } = suppressed;
  const decide = (what: string): readonly Decision[] => [
    { what, network: event.network, destination, detail: `${event.kind}: ${plainText(eventLine(event))}: ${detail}` },
  ];
  if (until === undefined) return { plan: { ...ended, decisions: decide(`suppressed by ${by}`) } };
  const deliveries = asked
    .slice(0, 1)
    .map((of) =>
      holdMessage({ id: idOf(`held ${causeOf(event)}`, of.destination), destination: of.destination }, message, until),
    );
  return { plan: { ...ended, deliveries, decisions: decide("held for the digest") } };
}

/** One message for each event of a kind, the day's rolling message, or one digest of many. */
function planGroup(
  input: EventsPlanInput,
  { kind, happened, to: subscription, isOwn }: EventGroup,
  lists: Map<string, ListMessage>,
): Plan {
  const { destination, guidance } = subscription;
  const how = {
    ...(happened[0]?.routing.severity === "info" && !isOwn ? { quiet: true as const } : {}),
    ...(subscription.events === "usual" ? {} : { joins: {} }),
  };
  const isMany = happened.length > MAX_SINGLE_EVENTS;
  if (isMany || (isRolling(subscription, kind) && !isOwn)) {
    const message = listOf(input, kind, happened, isMany, lists);
    const manner = isMany ? ({ phase: "digest", ...how } as const) : ({ phase: "rolling", quiet: true } as const);
    return { deliveries: [{ id: idOf(causeOfList(message), destination), destination, message, ...manner }] };
  }
  return {
    deliveries: happened.map(({ message, event }) => ({
      id: idOf(causeOf(event), destination),
      destination,
      phase: "event",
      message: guidance === undefined ? message : { ...message, guidance },
      ...how,
    })),
  };
}

function causeOf({ kind, network, key }: AlertEvent): string {
  return `${kind} ${network} ${key}`;
}

/** Many destinations share a list. */
const causesOfLists = new WeakMap<ListMessage, string>();

function causeOfList(list: ListMessage): string {
  const cause = causesOfLists.get(list) ?? hash("sha256", [list.type, ...list.events.map(causeOf)].join(" "));
  causesOfLists.set(list, cause);
  return cause;
}

/** The digest of many, or the day's list. Destinations that get the same list share one object. */
function listOf(
  { simulated, at }: EventsPlanInput,
  kind: EventKind,
  happened: readonly EventToRoute[],
  isMany: boolean,
  lists: Map<string, ListMessage>,
): ListMessage {
  const events = happened.map(({ event }) => event);
  const key = [isMany, kind, ...events.map((event) => event.key)].join(" ");
  const common = { ...(simulated ? { simulated: true as const } : {}), network: events[0]?.network ?? "", events };
  const list: ListMessage =
    lists.get(key) ??
    (isMany
      ? { type: "digest", ...common, reason: "catch-up", episodes: [] }
      : { type: "rolling", ...common, kind, day: new Date(at).toISOString().slice(0, 10), total: events.length });
  lists.set(key, list);
  return list;
}
