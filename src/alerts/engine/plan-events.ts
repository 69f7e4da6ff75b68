import type { Milliseconds } from "../../units/duration.ts";
import { type AlertEvent, type EventKind, severityOfEvent } from "../judge/kinds/event.ts";
import { KINDS } from "../judge/kinds/kinds.ts";
import { joinPlans, type Plan } from "../deliver/outbox/batch.ts";
import { holdMessage } from "../deliver/outbox/held.ts";
import type { AlertMessage } from "../message/message.ts";
import { route, type RoutingDecision, type RoutingInput } from "../route/route.ts";
import type { Silence } from "../route/silence.ts";
import { covers, isRolling, type Subscription } from "../route/subscription.ts";
import { storyKey } from "./plan-open.ts";
import { belongsToStories } from "./stories.ts";
import type { Decision } from "../judge/judge.ts";

/** More events of one kind at once than this become one digest. */
const MAX_SINGLE_EVENTS = 5;
const DAY: Milliseconds = 86_400_000;

interface EventsPlanInput {
  /** Of one observation, in the order in which they happened. */
  readonly events: readonly AlertEvent[];
  readonly simulated: boolean;
  /** By the key of their destination. */
  readonly subscriptions: ReadonlyMap<string, readonly Subscription[]>;
  readonly silences: readonly Silence[];
  /** By destination: the story that events may belong to. */
  readonly stories: ReadonlyMap<string, string>;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  readonly newId: () => string;
}

/** Plans the deliveries of new events. Pure but for the ids. */
export function planEvents(input: EventsPlanInput): Plan {
  const label = input.simulated ? { simulated: true as const } : {};
  const happened = input.events.map((event): EventToRoute => {
    const { kind, network, subject } = event;
    const message = { type: "event", ...label, event } as const;
    return { event, message, routing: { kind, network, subject, severity: severityOfEvent(event) } };
  });
  const digests = new Map<string, AlertMessage>();
  const plans: Plan[] = [];
  for (const [destination, subscriptions] of input.subscriptions) {
    const groups = new Map<EventKind, { readonly to: Subscription; readonly happened: EventToRoute[] }>();
    for (const one of happened) {
      const routed = routeEvent(input, destination, subscriptions, one);
      if (routed?.plan !== undefined) plans.push(routed.plan);
      if (routed?.to === undefined) continue;
      const known = groups.get(one.event.kind);
      if (known === undefined) groups.set(one.event.kind, { to: routed.to, happened: [one] });
      else known.happened.push(one);
    }
    const story = input.stories.get(destination);
    for (const [kind, group] of groups) plans.push(planGroup(input, kind, group.happened, group.to, digests, story));
  }
  return joinPlans(plans);
}

interface EventToRoute {
  readonly event: AlertEvent;
  readonly message: Extract<AlertMessage, { type: "event" }>;
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
  { silences, at, newId }: EventsPlanInput,
  destination: string,
  subscriptions: readonly Subscription[],
  one: EventToRoute,
): RoutedEvent | undefined {
  const { event, message, routing } = one;
  const asked = subscriptions.filter((of) => of.kinds.includes(event.kind) && covers(of, event));
  const ended =
    KINDS[event.kind].final === true
      ? { endedSubscriptions: asked.filter(({ personal }) => personal === true) }
      : undefined;
  let suppressed: Exclude<RoutingDecision, { notify: true }> | undefined;
  for (const subscription of asked) {
    const routed = route(routing, subscription, silences, at);
    if (routed.notify) return ended === undefined ? { to: subscription } : { to: subscription, plan: ended };
    suppressed ??= routed;
  }
  if (suppressed === undefined) return undefined;
  const { by, detail, until } = suppressed;
  const decide = (what: string): readonly Decision[] => [
    { what, network: event.network, destination, detail: `${event.kind} ${event.key}: ${detail}` },
  ];
  if (until === undefined) return { plan: { ...ended, decisions: decide(`suppressed by ${by}`) } };
  const deliveries = asked
    .slice(0, 1)
    .map((of) => holdMessage({ id: newId(), destination: of.destination }, message, until));
  return { plan: { ...ended, deliveries, decisions: decide("held for the digest") } };
}

/** The message of a story, one message for each event of a kind, the day's rolling message, or one digest of many. */
function planGroup(
  input: EventsPlanInput,
  kind: EventKind,
  happened: readonly EventToRoute[],
  subscription: Subscription,
  digests: Map<string, AlertMessage>,
  story: string | undefined,
): Plan {
  const { destination } = subscription;
  const quiet = happened[0]?.routing.severity === "info" ? { quiet: true as const } : {};
  const isOfStory = story !== undefined && belongsToStories(kind) && subscription.events === "usual";
  if (!isOfStory && happened.length > MAX_SINGLE_EVENTS) {
    const message = catchUpDigest(input, kind, happened, digests);
    return { deliveries: [{ id: input.newId(), destination, phase: "digest", message, ...quiet }] };
  }
  if (isRolling(subscription, kind)) {
    const day = new Date(input.at).toISOString().slice(0, 10);
    const { network } = happened[0]?.event ?? { network: "" };
    const key = `day ${kind} ${network} ${day}`;
    const message = shared(key, happened, digests, () => ({
      type: "rolling",
      ...(input.simulated ? { simulated: true as const } : {}),
      kind,
      network,
      day,
      total: happened.length,
      events: happened.map(({ event }) => event),
    }));
    const joins = { key, until: Math.floor(input.at / DAY) * DAY + DAY };
    return { deliveries: [{ id: input.newId(), destination, phase: "rolling", message, quiet: true, joins }] };
  }
  const { guidance } = subscription;
  return {
    deliveries: happened.map(({ message }) => ({
      id: input.newId(),
      destination,
      phase: "event",
      message: guidance === undefined ? message : { ...message, guidance },
      ...quiet,
      ...(isOfStory ? { joins: { key: storyKey(story) } } : {}),
    })),
  };
}

function catchUpDigest(
  { simulated }: EventsPlanInput,
  kind: EventKind,
  happened: readonly EventToRoute[],
  digests: Map<string, AlertMessage>,
): AlertMessage {
  return shared(kind, happened, digests, () => ({
    type: "digest",
    ...(simulated ? { simulated: true as const } : {}),
    reason: "catch-up",
    network: happened[0]?.event.network ?? "",
    events: happened.map(({ event }) => event),
    episodes: [],
  }));
}

/** Destinations that get the same list share one object. */
function shared(
  name: string,
  happened: readonly EventToRoute[],
  lists: Map<string, AlertMessage>,
  make: () => AlertMessage,
): AlertMessage {
  const key = `${name} ${happened.map(({ event }) => event.key).join(" ")}`;
  const known = lists.get(key) ?? make();
  lists.set(key, known);
  return known;
}
