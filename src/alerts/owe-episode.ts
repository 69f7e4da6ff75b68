import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import type { AlertsConfig } from "./alerts-config.ts";
import { isDrill } from "./drill.ts";
import { isOpen, type Episode } from "./episode.ts";
import { timeFromText } from "./json-units.ts";
import type { AlertMessage } from "./message.ts";
import type { OwedBook, Phase } from "./owed.ts";
import { isReminderDue } from "./reminders.ts";
import { route, type Routed } from "./route.ts";
import { compareSeverity } from "./severity.ts";
import type { Silence } from "./silence.ts";
import { destinationKey, type Subscription } from "./subscription.ts";
import { UNREACHED, UNSENT } from "./take-back.ts";
import type { Telling } from "./telling.ts";

/** An episode and all that bears on who is to be told of it. */
export interface EpisodeCase {
  readonly episode: Episode;
  readonly simulated: boolean;
  /** By destination, as far as there are any. */
  readonly tellings: ReadonlyMap<string, Telling>;
  /** Active ones whose rule and subjects it meets. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly inhibitedBy?: string;
  /** Set while it flaps: by which episode that was found out, what was told then, and how often it has fired of late. */
  readonly flapping?: {
    readonly began: string;
    readonly tellings: ReadonlyMap<string, Telling>;
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
export function oweEpisode(given: EpisodeCase, book: OwedBook): void {
  const byDestination = Map.groupBy(given.subscriptions, (one) => destinationKey(one.destination));
  if (!isOpen(given.episode)) {
    for (const [destination, telling] of given.tellings) {
      close(given, destination, telling, byDestination.get(destination) ?? [], book);
    }
    return;
  }
  for (const [destination, subscriptions] of byDestination) {
    const routed = best(given, subscriptions);
    const telling = given.tellings.get(destination);
    if (telling?.trigger === undefined) begin(given, destination, telling, routed, book);
    else goOn(given, destination, telling, routed, book);
  }
}

interface Chosen {
  readonly routed: Routed;
  readonly subscription: Subscription;
}

/** Of several subscriptions of one destination it is enough that one wants to be told. */
function best(given: EpisodeCase, subscriptions: readonly Subscription[]): Chosen {
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

function begin(
  given: EpisodeCase,
  destination: string,
  telling: Telling | undefined,
  { routed, subscription }: Chosen,
  book: OwedBook,
): void {
  const { episode } = given;
  if (telling?.state === "closed") return;
  // The same would be refused again; only what has got worse is another message.
  if (telling?.by === UNSENT && compareSeverity(episode.severity, telling.severity ?? episode.severity) <= 0) return;
  if (!routed.tell) {
    if (telling?.by === routed.by) return;
    const { by } = routed;
    const kept: Telling = { ...blank(subscription), ...flapped(telling), state: "suppressed", by };
    book.tellings.push({ episode: episode.id, destination, telling: kept });
    book.decisions.push(decision(given, destination, `suppressed by ${by}`, routed.detail));
    if (by === "flapping") tellFlapping(given, destination, subscription, kept, book);
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
  const trigger = plan(given, subscription, "trigger", message, book, loudness(routed));
  book.tellings.push({
    episode: episode.id,
    destination,
    telling: {
      destination: subscription.destination,
      style: subscription.style,
      ...flapped(telling),
      state: "told",
      ...(held === undefined ? {} : { by: held }),
      severity: episode.severity,
      trigger,
      reminders: 0,
      toldMillis: given.at,
      shown: shownOf(episode),
    },
  });
}

/** That it flaps is told each destination once, when the first trigger is kept from it for that. */
function tellFlapping(
  given: EpisodeCase,
  destination: string,
  subscription: Subscription,
  telling: Telling,
  book: OwedBook,
): void {
  const { episode, flapping, config } = given;
  if (flapping === undefined || flapping.tellings.get(destination)?.flapping === true) return;
  const over: Telling = { ...blank(subscription), state: "closed" };
  const known = flapping.began === episode.id ? telling : (flapping.tellings.get(destination) ?? over);
  book.tellings.push({ episode: flapping.began, destination, telling: { ...known, flapping: true } });
  const message = { type: "flapping", episode, episodes: flapping.episodes, withinMillis: config.flap.within } as const;
  plan(given, subscription, "flapping", message, book);
}

function blank({ destination, style }: Subscription): Pick<Telling, "destination" | "style" | "reminders"> {
  return { destination, style, reminders: 0 };
}

function flapped(telling: Telling | undefined): Pick<Telling, "flapping"> {
  return telling?.flapping === true ? { flapping: true } : {};
}

/** After the trigger: one escalation, reminders, and edits of the live message. */
function goOn(
  given: EpisodeCase,
  destination: string,
  before: Telling,
  { routed, subscription }: Chosen,
  book: OwedBook,
): void {
  const { episode, config } = given;
  if (before.state !== "told" || before.trigger === undefined) return;
  const thread = before.style === "thread" ? { threadOf: before.trigger } : {};
  let telling = before;
  const worse = before.severity === undefined || compareSeverity(episode.severity, before.severity) > 0;
  if (worse && before.escalation === undefined && routed.tell) {
    const message = { type: "condition", phase: "escalation", episode } as const;
    const escalation = plan(given, subscription, "escalation", message, book, { ...loudness(routed), ...thread });
    telling = { ...telling, severity: episode.severity, escalation, toldMillis: given.at };
  } else if (isReminderDue(given, telling) && routed.tell) {
    const number = telling.reminders + 1;
    const reminder = { number, of: config.remind.times };
    const message = { type: "condition", phase: "reminder", episode, reminder } as const;
    plan(given, subscription, "reminder", message, book, { ...loudness(routed), ...thread });
    telling = { ...telling, reminders: number, toldMillis: given.at };
  }
  const shown = shownOf(episode);
  if (before.style === "live" && shown !== before.shown) {
    const message = { type: "condition", phase: "state", episode } as const;
    plan(given, subscription, "state", message, book, { edits: before.trigger });
    telling = { ...telling, shown };
  }
  if (telling !== before) book.tellings.push({ episode: episode.id, destination, telling });
}

function close(
  given: EpisodeCase,
  destination: string,
  telling: Telling,
  subscriptions: readonly Subscription[],
  book: OwedBook,
): void {
  const { episode } = given;
  if (telling.state === "closed") return;
  const closed: Telling = { ...telling, state: "closed" };
  if (telling.trigger === undefined) {
    book.tellings.push({ episode: episode.id, destination, telling: closed });
    const message = { type: "condition", phase: "resolve", episode } as const;
    const until = telling.by === "quiet hours" ? quietEnd(given, subscriptions) : undefined;
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
  const resolve = plan(given, to, "resolve", message, book, thread);
  if (telling.style === "live") {
    plan(given, to, "state", { ...message, phase: "state" }, book, { edits: telling.trigger });
  }
  book.tellings.push({ episode: episode.id, destination, telling: { ...closed, resolve } });
}

/** When the quiet hours that kept a trigger back end, or now where they just have; undefined where nobody listens. */
function quietEnd({ episode, at }: EpisodeCase, subscriptions: readonly Subscription[]): Milliseconds | undefined {
  const { kind, network, subject, severity } = episode;
  for (const subscription of subscriptions) {
    const routed = route({ kind, network, subject, severity }, subscription, [], at);
    if (!routed.tell && routed.until !== undefined) return routed.until;
  }
  return subscriptions.length === 0 ? undefined : at;
}

/** What of an episode a live message shows, and what decides whom it is told. */
export function shownOf(episode: Episode): string {
  return [episode.severity, episode.state, episode.acknowledged?.by ?? ""].join(" ");
}

function loudness(routed: Extract<Routed, { tell: true }>): { mention?: string; quiet?: true } {
  const { tell: _, ...rest } = routed;
  return rest;
}

function labelled<M extends AlertMessage>(given: EpisodeCase, message: M): M {
  return {
    ...message,
    ...(given.simulated ? { simulated: true } : {}),
    ...(isDrill(given.episode) ? { drill: true } : {}),
  };
}

type EpisodeMessage = Extract<AlertMessage, { type: "condition" | "flapping" }>;

const said = new WeakMap<Episode, Map<string, EpisodeMessage>>();

/** All who are told the same of an episode share one message, which is then worked out and stored once. */
function shared(given: EpisodeCase, message: EpisodeMessage): EpisodeMessage {
  const messages = said.get(given.episode) ?? new Map<string, EpisodeMessage>();
  said.set(given.episode, messages);
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

function plan(
  given: EpisodeCase,
  { destination }: Pick<Subscription, "destination">,
  phase: Phase,
  message: EpisodeMessage,
  book: OwedBook,
  more: { mention?: string; quiet?: true; threadOf?: string; edits?: string } = {},
): string {
  const id = given.newId();
  const episode = given.episode.id;
  book.deliveries.push({ id, destination, phase, message: shared(given, message), episode, ...more });
  return id;
}

function decision(given: EpisodeCase, destination: string, what: string, detail: string) {
  return { what, network: given.episode.network, episode: given.episode.id, destination, detail };
}
