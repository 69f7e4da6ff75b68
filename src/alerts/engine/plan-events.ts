import type { Milliseconds } from "../../units/duration.ts";
import { type AlertEvent, type EventKind, severityOfEvent } from "../kinds/event.ts";
import { KINDS } from "../kinds/kinds.ts";
import type { OutboxBatch } from "../outbox/batch.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { route, type RoutingDecision, type RoutingInput } from "../routing/routing.ts";
import type { Silence } from "../routing/silence.ts";
import { covers, isRolling, type Subscription } from "../routing/subscription.ts";

/** More events of one kind at once than this become one digest. */
const MAX_SINGLE_EVENTS = 5;

interface EventsPlanInput {
  /** Of one observation, in the order in which they happened. */
  readonly events: readonly AlertEvent[];
  readonly simulated: boolean;
  /** By the key of their destination. */
  readonly subscriptions: ReadonlyMap<string, readonly Subscription[]>;
  readonly silences: readonly Silence[];
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/** Plans the deliveries of new events. Pure but for the batch. */
export function planEvents(input: EventsPlanInput, batch: OutboxBatch): void {
  const label = input.simulated ? { simulated: true as const } : {};
  const happened = input.events.map((event): EventToRoute => {
    const { kind, network, subject } = event;
    const message = { type: "event", ...label, event } as const;
    return { event, message, routing: { kind, network, subject, severity: severityOfEvent(event) } };
  });
  const digests = new Map<string, AlertMessage>();
  for (const [destination, subscriptions] of input.subscriptions) {
    const groups = new Map<EventKind, EventGroup>();
    for (const one of happened) routeEvent(input, destination, subscriptions, one, groups, batch);
    for (const [kind, group] of groups) planGroup(input, kind, group, digests, batch);
  }
}

interface EventToRoute {
  readonly event: AlertEvent;
  readonly message: Extract<AlertMessage, { type: "event" }>;
  readonly routing: RoutingInput;
}

/** The events of one kind that one destination gets. */
interface EventGroup {
  readonly happened: EventToRoute[];
  readonly subscription: Subscription;
  readonly quiet: boolean;
}

/** Routes an event by one of a destination's subscriptions: a notified one, if any. */
function routeEvent(
  { silences, at }: EventsPlanInput,
  destination: string,
  subscriptions: readonly Subscription[],
  one: EventToRoute,
  groups: Map<EventKind, EventGroup>,
  batch: OutboxBatch,
): void {
  const { event, message, routing } = one;
  let first: Subscription | undefined;
  let notified: Subscription | undefined;
  let suppressed: Exclude<RoutingDecision, { notify: true }> | undefined;
  for (const subscription of subscriptions) {
    if (!subscription.kinds.includes(event.kind) || !covers(subscription, event)) continue;
    first ??= subscription;
    if (
      subscription.personal === true &&
      KINDS[event.kind].final === true &&
      !batch.endedSubscriptions.includes(subscription)
    ) {
      batch.endedSubscriptions.push(subscription);
    }
    if (notified !== undefined) continue;
    const routed = route(routing, subscription, silences, at);
    if (routed.notify) notified = subscription;
    else suppressed ??= routed;
  }
  if (notified !== undefined) {
    const group = groups.get(event.kind);
    if (group === undefined) {
      groups.set(event.kind, { happened: [one], subscription: notified, quiet: routing.severity === "info" });
    } else group.happened.push(one);
    return;
  }
  if (first === undefined || suppressed === undefined) return;
  const what = { network: event.network, destination, detail: `${event.kind} ${event.key}: ${suppressed.detail}` };
  if (suppressed.until === undefined) {
    batch.decisions.push({ what: `suppressed by ${suppressed.by}`, ...what });
  } else {
    batch.held.push({ destination: first.destination, message, until: suppressed.until });
    batch.decisions.push({ what: "held for the digest", ...what });
  }
}

/** One message for each event, the day's rolling message, or one digest of many. */
function planGroup(
  input: EventsPlanInput,
  kind: EventKind,
  { happened, subscription, quiet }: EventGroup,
  digests: Map<string, AlertMessage>,
  batch: OutboxBatch,
): void {
  const { destination } = subscription;
  const more = quiet ? { destination, quiet: true as const } : { destination };
  if (happened.length > MAX_SINGLE_EVENTS) {
    const digest = catchUpDigest(input, kind, happened, digests);
    batch.deliveries.push({ id: input.newId(), phase: "digest", message: digest, ...more });
    return;
  }
  const rolling = isRolling(subscription, kind);
  for (const { message } of happened) {
    if (rolling) batch.rollingUpdates.push({ destination, message });
    else batch.deliveries.push({ id: input.newId(), phase: "event", message, ...more });
  }
}

/** Destinations that get the same digest share one object. */
function catchUpDigest(
  { simulated }: EventsPlanInput,
  kind: EventKind,
  happened: readonly EventToRoute[],
  digests: Map<string, AlertMessage>,
): AlertMessage {
  const key = `${kind} ${happened.map(({ event }) => event.key).join(" ")}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const digest: AlertMessage = {
    type: "digest",
    ...(simulated ? { simulated: true as const } : {}),
    reason: "catch-up",
    network: happened[0]?.event.network ?? "",
    events: happened.map(({ event }) => event),
    episodes: [],
  };
  digests.set(key, digest);
  return digest;
}
