import type { Milliseconds } from "../units/duration.ts";
import type { AlertEvent } from "./event.ts";
import { severityOfEvent } from "./kind-severity.ts";
import type { EventKind } from "./kinds.ts";
import type { AlertMessage } from "./message.ts";
import type { OwedBook } from "./owed.ts";
import { route, type News, type Routed } from "./route.ts";
import type { Silence } from "./silence.ts";
import { covers, isRolling, type Subscription } from "./subscription.ts";

/** More events of one kind at once than this become one digest. */
export const HANDFUL = 5;

/** Of a personal subscription these are the last word. */
const FINAL: readonly EventKind[] = ["order.final", "bundle.signed"];

export interface EventsCase {
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
export function oweEvents(given: EventsCase, book: OwedBook): void {
  const label = given.simulated ? { simulated: true as const } : {};
  const happened = given.events.map((event): Happened => {
    const { kind, network, subject } = event;
    const message = { type: "event", ...label, event } as const;
    return { event, message, news: { kind, network, subject, severity: severityOfEvent(event) } };
  });
  const digests = new Map<string, AlertMessage>();
  for (const [destination, subscriptions] of given.subscriptions) {
    const told = new Map<EventKind, Told>();
    for (const one of happened) decide(given, destination, subscriptions, one, told, book);
    for (const [kind, group] of told) tell(given, kind, group, digests, book);
  }
}

interface Happened {
  readonly event: AlertEvent;
  readonly message: Extract<AlertMessage, { type: "event" }>;
  readonly news: News;
}

/** What one destination is told of one kind. */
interface Told {
  readonly happened: Happened[];
  readonly subscription: Subscription;
  readonly quiet: boolean;
}

/** Of several subscriptions of one destination it is enough that one wants to be told. */
function decide(
  { silences, at }: EventsCase,
  destination: string,
  subscriptions: readonly Subscription[],
  one: Happened,
  told: Map<EventKind, Told>,
  book: OwedBook,
): void {
  const { event, message, news } = one;
  let first: Subscription | undefined;
  let yes: Subscription | undefined;
  let no: Exclude<Routed, { tell: true }> | undefined;
  for (const subscription of subscriptions) {
    if (!subscription.kinds.includes(event.kind) || !covers(subscription, event)) continue;
    first ??= subscription;
    if (subscription.personal === true && FINAL.includes(event.kind) && !book.ended.includes(subscription)) {
      book.ended.push(subscription);
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
function tell(
  given: EventsCase,
  kind: EventKind,
  { happened, subscription, quiet }: Told,
  digests: Map<string, AlertMessage>,
  book: OwedBook,
): void {
  const { destination } = subscription;
  const more = quiet ? { destination, quiet: true as const } : { destination };
  if (happened.length > HANDFUL) {
    const digest = digestOf(given, kind, happened, digests);
    book.deliveries.push({ id: given.newId(), phase: "digest", message: digest, ...more });
    return;
  }
  const rolling = isRolling(subscription, kind);
  for (const { message } of happened) {
    if (rolling) book.rolled.push({ destination, message });
    else book.deliveries.push({ id: given.newId(), phase: "event", message, ...more });
  }
}

/** All who are told the same share one message. */
function digestOf(
  { simulated }: EventsCase,
  kind: EventKind,
  happened: readonly Happened[],
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
