import type { Milliseconds } from "../../units/duration.ts";
import type { AlertEvent } from "../kinds/event.ts";
import type { EventKind } from "../kinds/kinds.ts";
import { severityOfEvent } from "../kinds/severity.ts";
import type { OutboxBatch } from "../outbox/batch.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { route, type RoutingDecision, type RoutingInput } from "../routing/routing.ts";
import type { Silence } from "../routing/silence.ts";
import { covers, isRolling, type Subscription } from "../routing/subscription.ts";

/** More events of one kind at once than this become one digest. */
export const MAX_SINGLE_EVENTS = 5;

/** Of a personal subscription these are the last word. */
const FINAL_KINDS: readonly EventKind[] = ["order.final", "bundle.signed"];

export interface EventsPlanInput {
  /** Of one round, in the order in which they happened. */
  readonly events: readonly AlertEvent[];
  readonly simulated: boolean;
  /** By the key of their destination. */
  readonly subscriptions: ReadonlyMap<string, readonly Subscription[]>;
  readonly silences: readonly Silence[];
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/** Writes into the book what new events owe to whom. Pure but for the book. */
export function planEvents(given: EventsPlanInput, book: OutboxBatch): void {
  const label = given.simulated ? { simulated: true as const } : {};
  const happened = given.events.map((event): EventToRoute => {
    const { kind, network, subject } = event;
    const message = { type: "event", ...label, event } as const;
    return { event, message, news: { kind, network, subject, severity: severityOfEvent(event) } };
  });
  const digests = new Map<string, AlertMessage>();
  for (const [destination, subscriptions] of given.subscriptions) {
    const told = new Map<EventKind, EventGroup>();
    for (const one of happened) routeEvent(given, destination, subscriptions, one, told, book);
    for (const [kind, group] of told) planGroup(given, kind, group, digests, book);
  }
}

interface EventToRoute {
  readonly event: AlertEvent;
  readonly message: Extract<AlertMessage, { type: "event" }>;
  readonly news: RoutingInput;
}

/** What one destination is told of one kind. */
interface EventGroup {
  readonly happened: EventToRoute[];
  readonly subscription: Subscription;
  readonly quiet: boolean;
}

/** Of several subscriptions of one destination it is enough that one wants to be told. */
function routeEvent(
  { silences, at }: EventsPlanInput,
  destination: string,
  subscriptions: readonly Subscription[],
  one: EventToRoute,
  told: Map<EventKind, EventGroup>,
  book: OutboxBatch,
): void {
  const { event, message, news } = one;
  let first: Subscription | undefined;
  let yes: Subscription | undefined;
  let no: Exclude<RoutingDecision, { tell: true }> | undefined;
  for (const subscription of subscriptions) {
    if (!subscription.kinds.includes(event.kind) || !covers(subscription, event)) continue;
    first ??= subscription;
    if (
      subscription.personal === true &&
      FINAL_KINDS.includes(event.kind) &&
      !book.endedSubscriptions.includes(subscription)
    ) {
      book.endedSubscriptions.push(subscription);
    }
    if (yes !== undefined) continue;
    const routed = route(news, subscription, silences, at);
    if (routed.tell) yes = subscription;
    else no ??= routed;
  }
  if (yes !== undefined) {
    const group = told.get(event.kind);
    if (group === undefined) {
      told.set(event.kind, { happened: [one], subscription: yes, quiet: news.severity === "info" });
    } else group.happened.push(one);
    return;
  }
  if (first === undefined || no === undefined) return;
  const what = { network: event.network, destination, detail: `${event.kind} ${event.key}: ${no.detail}` };
  if (no.until === undefined) {
    book.decisions.push({ what: `suppressed by ${no.by}`, ...what });
  } else {
    book.held.push({ destination: first.destination, message, until: no.until });
    book.decisions.push({ what: "held for the digest", ...what });
  }
}

/** One message each, one of the day, or one digest of more than a handful. */
function planGroup(
  given: EventsPlanInput,
  kind: EventKind,
  { happened, subscription, quiet }: EventGroup,
  digests: Map<string, AlertMessage>,
  book: OutboxBatch,
): void {
  const { destination } = subscription;
  const more = quiet ? { destination, quiet: true as const } : { destination };
  if (happened.length > MAX_SINGLE_EVENTS) {
    const digest = catchUpDigest(given, kind, happened, digests);
    book.deliveries.push({ id: given.newId(), phase: "digest", message: digest, ...more });
    return;
  }
  const rolling = isRolling(subscription, kind);
  for (const { message } of happened) {
    if (rolling) book.rollingUpdates.push({ destination, message });
    else book.deliveries.push({ id: given.newId(), phase: "event", message, ...more });
  }
}

/** All who are told the same share one message. */
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
