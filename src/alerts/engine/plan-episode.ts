import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { isDrill } from "../drill.ts";
import { timeFromText } from "../kinds/json-fields.ts";
import { compareSeverity } from "../kinds/severity.ts";
import type { DeliveryPhase, OutboxBatch } from "../outbox/batch.ts";
import type { AlertMessage } from "../outbox/message.ts";
import { type NotificationState, UNREACHED, UNSENT } from "../outbox/notification-state.ts";
import { route, type RoutingDecision } from "../routing/routing.ts";
import type { Silence } from "../routing/silence.ts";
import { destinationKey, type Subscription } from "../routing/subscription.ts";
import { type Episode, isOpen } from "../rules/episode.ts";
import { isReminderDue } from "./reminders.ts";

/** An episode and all that bears on who is to be told of it. */
export interface EpisodePlanInput {
  readonly episode: Episode;
  readonly simulated: boolean;
  /** By destination, as far as there are any. */
  readonly states: ReadonlyMap<string, NotificationState>;
  /** Active ones whose rule and subjects it meets. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly inhibitedBy?: string;
  /** Set while it flaps: by which episode that was found out, what was told then, and how often it has fired of late. */
  readonly flapping?: {
    readonly began: string;
    readonly tellings: ReadonlyMap<string, NotificationState>;
    readonly episodes: number;
  };
  readonly config: Pick<AlertsConfig, "remind" | "flap">;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/**
 * Writes into the book what an episode owes as it stands. Asked again, it owes nothing more: per destination at most
 * one trigger and one escalation, and one resolve if the trigger was or may have been sent. Pure but for the book.
 */
export function planEpisode(given: EpisodePlanInput, book: OutboxBatch): void {
  const byDestination = Map.groupBy(given.subscriptions, (one) => destinationKey(one.destination));
  if (!isOpen(given.episode)) {
    for (const [destination, telling] of given.states) {
      planResolve(given, destination, telling, byDestination.get(destination) ?? [], book);
    }
    return;
  }
  for (const [destination, subscriptions] of byDestination) {
    const routed = chooseSubscription(given, subscriptions);
    const telling = given.states.get(destination);
    if (telling?.trigger === undefined) planTrigger(given, destination, telling, routed, book);
    else planFollowUps(given, destination, telling, routed, book);
  }
}

interface RoutedSubscription {
  readonly routed: RoutingDecision;
  readonly subscription: Subscription;
}

/** Of several subscriptions of one destination it is enough that one wants to be told. */
function chooseSubscription(given: EpisodePlanInput, subscriptions: readonly Subscription[]): RoutedSubscription {
  const { episode, inhibitedBy, flapping } = given;
  const news = {
    kind: episode.kind,
    network: episode.network,
    subject: episode.subject,
    severity: episode.severity,
    ...(inhibitedBy === undefined ? {} : { inhibitedBy }),
    ...(flapping === undefined ? {} : { flapping: true as const }),
  };
  const [first, ...rest] = subscriptions.map((subscription) => ({
    subscription,
    routed: route(news, subscription, given.silences, given.at),
  }));
  if (first === undefined) throw new RangeError("a destination without a subscription");
  const telling = [first, ...rest].filter(({ routed }) => routed.tell);
  return telling.find(({ subscription }) => subscription.mention !== undefined) ?? telling[0] ?? first;
}

function planTrigger(
  given: EpisodePlanInput,
  destination: string,
  telling: NotificationState | undefined,
  { routed, subscription }: RoutedSubscription,
  book: OutboxBatch,
): void {
  const { episode } = given;
  if (telling?.state === "closed") return;
  // The same would be refused again; only what has got worse is another message.
  if (telling?.by === UNSENT && compareSeverity(episode.severity, telling.severity ?? episode.severity) <= 0) return;
  if (!routed.tell) {
    if (telling?.by === routed.by) return;
    const { by } = routed;
    const kept: NotificationState = { ...blankState(subscription), ...flappingFlag(telling), state: "suppressed", by };
    book.states.push({ episode: episode.id, destination, telling: kept });
    book.decisions.push(decision(given, destination, `suppressed by ${by}`, routed.detail));
    if (by === "flapping") planFlappingNotice(given, destination, subscription, kept, book);
    return;
  }
  const held = telling?.by;
  const detected = toMillis(timeFromText(episode.detected));
  const isNew = subscription.created > detected;
  // Whoever was subscribed when it fired was told, or kept from it, at that moment.
  const before = given.at > detected ? "until now nobody here was subscribed to it" : undefined;
  const already = held ?? (isNew ? "the subscription is new" : before);
  const message = {
    type: "condition",
    phase: "trigger",
    episode,
    ...(already === undefined ? {} : { already }),
  } as const;
  const trigger = planDelivery(given, subscription, "trigger", message, book, notificationOptions(routed));
  book.states.push({
    episode: episode.id,
    destination,
    telling: {
      destination: subscription.destination,
      style: subscription.style,
      ...flappingFlag(telling),
      state: "told",
      ...(held === undefined ? {} : { by: held }),
      severity: episode.severity,
      trigger,
      reminders: 0,
      toldMillis: given.at,
      shown: liveMessageKey(episode),
    },
  });
}

/** That it flaps is told each destination once, when the first trigger is kept from it for that. */
function planFlappingNotice(
  given: EpisodePlanInput,
  destination: string,
  subscription: Subscription,
  telling: NotificationState,
  book: OutboxBatch,
): void {
  const { episode, flapping, config } = given;
  if (flapping === undefined || flapping.tellings.get(destination)?.flapping === true) return;
  const over: NotificationState = { ...blankState(subscription), state: "closed" };
  const known = flapping.began === episode.id ? telling : (flapping.tellings.get(destination) ?? over);
  book.states.push({ episode: flapping.began, destination, telling: { ...known, flapping: true } });
  const message = { type: "flapping", episode, episodes: flapping.episodes, withinMillis: config.flap.within } as const;
  planDelivery(given, subscription, "flapping", message, book);
}

function blankState({
  destination,
  style,
}: Subscription): Pick<NotificationState, "destination" | "style" | "reminders"> {
  return { destination, style, reminders: 0 };
}

function flappingFlag(telling: NotificationState | undefined): Pick<NotificationState, "flapping"> {
  return telling?.flapping === true ? { flapping: true } : {};
}

/** After the trigger: one escalation, reminders, and edits of the live message. */
function planFollowUps(
  given: EpisodePlanInput,
  destination: string,
  before: NotificationState,
  { routed, subscription }: RoutedSubscription,
  book: OutboxBatch,
): void {
  const { episode, config } = given;
  if (before.state !== "told" || before.trigger === undefined) return;
  const thread = before.style === "thread" ? { threadOf: before.trigger } : {};
  let telling = before;
  const worse = before.severity === undefined || compareSeverity(episode.severity, before.severity) > 0;
  if (worse && before.escalation === undefined && routed.tell) {
    const message = { type: "condition", phase: "escalation", episode } as const;
    const escalation = planDelivery(given, subscription, "escalation", message, book, {
      ...notificationOptions(routed),
      ...thread,
    });
    telling = { ...telling, severity: episode.severity, escalation, toldMillis: given.at };
  } else if (isReminderDue(given, telling) && routed.tell) {
    const number = telling.reminders + 1;
    const reminder = { number, of: config.remind.times };
    const message = { type: "condition", phase: "reminder", episode, reminder } as const;
    planDelivery(given, subscription, "reminder", message, book, { ...notificationOptions(routed), ...thread });
    telling = { ...telling, reminders: number, toldMillis: given.at };
  }
  const shown = liveMessageKey(episode);
  if (before.style === "live" && shown !== before.shown) {
    const message = { type: "condition", phase: "state", episode } as const;
    planDelivery(given, subscription, "state", message, book, { edits: before.trigger });
    telling = { ...telling, shown };
  }
  if (telling !== before) book.states.push({ episode: episode.id, destination, telling });
}

function planResolve(
  given: EpisodePlanInput,
  destination: string,
  telling: NotificationState,
  subscriptions: readonly Subscription[],
  book: OutboxBatch,
): void {
  const { episode } = given;
  if (telling.state === "closed") return;
  const closed: NotificationState = { ...telling, state: "closed" };
  if (telling.trigger === undefined) {
    book.states.push({ episode: episode.id, destination, telling: closed });
    const message = { type: "condition", phase: "resolve", episode } as const;
    const until = telling.by === "quiet hours" ? quietHoursEnd(given, subscriptions) : undefined;
    if (until !== undefined) {
      book.held.push({ destination: telling.destination, message: labelled(given, message), until });
      book.decisions.push(decision(given, destination, "held for the digest", "over before quiet hours ended"));
    } else if (telling.by === UNSENT || telling.by === UNREACHED) {
      book.decisions.push(decision(given, destination, "no resolve owed", "its trigger could not be sent"));
    } else {
      book.decisions.push(decision(given, destination, "never told", `suppressed by ${telling.by ?? "nothing"}`));
    }
    return;
  }
  const to = { destination: telling.destination };
  const message = { type: "condition", phase: "resolve", episode } as const;
  const thread = telling.style === "thread" ? { threadOf: telling.trigger } : {};
  const resolve = planDelivery(given, to, "resolve", message, book, thread);
  if (telling.style === "live") {
    planDelivery(given, to, "state", { ...message, phase: "state" }, book, { edits: telling.trigger });
  }
  book.states.push({ episode: episode.id, destination, telling: { ...closed, resolve } });
}

/** When the quiet hours that kept a trigger back end, or now where they just have; undefined where nobody listens. */
function quietHoursEnd(
  { episode, at }: EpisodePlanInput,
  subscriptions: readonly Subscription[],
): Milliseconds | undefined {
  const { kind, network, subject, severity } = episode;
  for (const subscription of subscriptions) {
    const routed = route({ kind, network, subject, severity }, subscription, [], at);
    if (!routed.tell && routed.until !== undefined) return routed.until;
  }
  return subscriptions.length === 0 ? undefined : at;
}

/** What of an episode a live message shows, and what decides whom it is told. */
export function liveMessageKey(episode: Episode): string {
  return [episode.severity, episode.state, episode.acknowledged?.by ?? ""].join(" ");
}

function notificationOptions(routed: Extract<RoutingDecision, { tell: true }>): { mention?: string; quiet?: true } {
  const { tell: _, ...rest } = routed;
  return rest;
}

function labelled<M extends AlertMessage>(given: EpisodePlanInput, message: M): M {
  return {
    ...message,
    ...(given.simulated ? { simulated: true } : {}),
    ...(isDrill(given.episode) ? { drill: true } : {}),
  };
}

type EpisodeMessage = Extract<AlertMessage, { type: "condition" | "flapping" }>;

const sharedMessages = new WeakMap<Episode, Map<string, EpisodeMessage>>();

/** All who are told the same of an episode share one message, which is then worked out and stored once. */
function sharedMessage(given: EpisodePlanInput, message: EpisodeMessage): EpisodeMessage {
  const messages = sharedMessages.get(given.episode) ?? new Map<string, EpisodeMessage>();
  sharedMessages.set(given.episode, messages);
  const key =
    message.type === "condition"
      ? `${message.phase} ${message.reminder?.number ?? 0} ${message.already ?? ""}`
      : message.type;
  const known = messages.get(key);
  if (known !== undefined) return known;
  const labelledMessage = labelled(given, message);
  messages.set(key, labelledMessage);
  return labelledMessage;
}

function planDelivery(
  given: EpisodePlanInput,
  { destination }: Pick<Subscription, "destination">,
  phase: DeliveryPhase,
  message: EpisodeMessage,
  book: OutboxBatch,
  more: { mention?: string; quiet?: true; threadOf?: string; edits?: string } = {},
): string {
  const id = given.newId();
  const episode = given.episode.id;
  book.deliveries.push({ id, destination, phase, message: sharedMessage(given, message), episode, ...more });
  return id;
}

function decision(given: EpisodePlanInput, destination: string, what: string, detail: string) {
  return { what, network: given.episode.network, episode: given.episode.id, destination, detail };
}
