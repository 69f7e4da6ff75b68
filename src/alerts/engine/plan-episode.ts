import { type Milliseconds, toMillis } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { compareSeverity, timeFromText } from "../judge/kinds/kind.ts";
import { endedBecause, joinPlans, type Plan, type PlannedDelivery } from "../deliver/outbox/batch.ts";
import { holdMessage } from "../deliver/outbox/held.ts";
import { type NotificationState, shownTo, UNREACHED, UNSENT } from "../deliver/outbox/notification-state.ts";
import { route, type RoutingDecision, type RoutingInput } from "../route/route.ts";
import type { Silence } from "../route/silence.ts";
import { endsWithMarkets, MARKET_OVER, ownEndOf, type Subscription } from "../route/subscription.ts";
import { type Episode, isOpen, seenFrom } from "../judge/rules/episode.ts";
import type { AlertDependencies } from "../dependencies.ts";
import { decision, deliveryId, type DeliveryInput, labelled, planDelivery } from "./plan-delivery.ts";
import { isReminderDue, pictureAt, wantedPicture } from "./reminders.ts";
import { type Destination, destinationKey } from "../destination.ts";

/** An episode and the inputs that decide who is notified of it. */
export interface EpisodePlanInput extends DeliveryInput, Pick<AlertDependencies, "picturesOn"> {
  /** By destination, as far as there are any. */
  readonly states: ReadonlyMap<string, NotificationState>;
  /** The active subscriptions to its rule and subject. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly inhibitedBy?: string;
  /**
   * Set while it flaps: the episode by which that was detected, its notification states, the recent firings, and whether
   * it is kept back though it is critical.
   */
  readonly flapping?: {
    readonly began: string;
    readonly states: ReadonlyMap<string, NotificationState>;
    readonly episodes: number;
    readonly calmed: boolean;
  };
  readonly config: Pick<AlertsConfig, "remind" | "flap">;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/**
 * Plans the deliveries of an episode in its current state. Idempotent: per destination at most one trigger and one
 * escalation, and one resolve if the trigger was or may have been sent. Pure.
 */
export function planEpisode(input: EpisodePlanInput): Plan {
  const byDestination = Map.groupBy(input.subscriptions, (one) => destinationKey(one.destination));
  const seenAt = (place: Destination): EpisodePlanInput => {
    const episode = seenFrom(input.episode, place);
    return episode === input.episode ? input : { ...input, episode };
  };
  if (!isOpen(input.episode)) {
    return joinPlans(
      [...input.states].map(([destination, state]) =>
        planResolve(seenAt(state.destination), destination, state, byDestination.get(destination) ?? []),
      ),
    );
  }
  const routing = routingInput(input);
  const plans = [...byDestination].map(([destination, subscriptions]) => {
    const routed = chooseSubscription(input, routing, subscriptions);
    const state = input.states.get(destination);
    const there = seenAt(routed.subscription.destination);
    return state?.trigger === undefined
      ? planTrigger(there, destination, state, routed)
      : planFollowUps(there, destination, state, routed);
  });
  // Also where no subscription is active any more, the messages show who acknowledged it.
  const others = [...input.states].filter(
    ([destination, state]) =>
      !byDestination.has(destination) && shownTo(input.episode, state).acknowledged !== undefined,
  );
  return joinPlans([...plans, ...others.map(([destination, state]) => planEdits(input, destination, state, state))]);
}

function isMarketOver(last: Episode["last"]): boolean {
  return "over" in last && last.over !== undefined;
}

interface RoutedSubscription {
  readonly routed: RoutingDecision;
  readonly subscription: Subscription;
}

function routingInput({ episode, inhibitedBy, flapping }: EpisodePlanInput): RoutingInput {
  return {
    kind: episode.kind,
    network: episode.network,
    subject: episode.subject,
    severity: episode.severity,
    ...(inhibitedBy === undefined ? {} : { inhibitedBy }),
    ...(flapping === undefined ? {} : { flapping: true as const, calmed: flapping.calmed }),
  };
}

/** Chooses the one of a destination's subscriptions that decides: preferably a notified one with a mention. */
function chooseSubscription(
  { silences, at }: EpisodePlanInput,
  routing: RoutingInput,
  subscriptions: readonly Subscription[],
): RoutedSubscription {
  const [first, ...rest] = subscriptions.map((subscription) => ({
    subscription,
    routed: route(routing, subscription, silences, at),
  }));
  if (first === undefined) throw new RangeError("a destination without a subscription");
  const notified = [first, ...rest].filter(({ routed }) => routed.notify);
  return notified.find(({ subscription }) => subscription.mention !== undefined) ?? notified[0] ?? first;
}

function planTrigger(
  input: EpisodePlanInput,
  destination: string,
  state: NotificationState | undefined,
  { routed, subscription }: RoutedSubscription,
): Plan {
  const { episode } = input;
  if (state?.state === "closed") return {};
  // The same message would fail again; only a worse severity makes a new one.
  if (state?.by === UNSENT && compareSeverity(episode.severity, state.severity ?? episode.severity) <= 0) return {};
  if (!routed.notify) {
    const { by, detail } = routed;
    if (state?.by === by) return {};
    const suppressed: NotificationState = {
      ...blankState(subscription),
      ...flappingFlag(state),
      state: "suppressed",
      by,
    };
    const plan = {
      states: [{ episode: episode.id, destination, state: suppressed }],
      decisions: [decision(input, destination, `suppressed by ${by}`, detail)],
    };
    if (by !== "flapping") return plan;
    return joinPlans([plan, planFlappingNotice(input, destination, subscription, suppressed)]);
  }
  const held = state?.by;
  const detected = toMillis(timeFromText(episode.detected));
  const isNew = subscription.created > detected;
  // A destination that was subscribed when it fired was notified, or suppressed, at that moment.
  const before = input.at > detected ? "until now nobody here was subscribed to it" : undefined;
  const already = held ?? (isNew ? "the subscription is new" : before);
  const message = {
    type: "condition",
    phase: "trigger",
    episode,
    ...guidanceOf(subscription),
    ...(already === undefined ? {} : { already }),
  } as const;
  const trigger = planDelivery(input, subscription, "trigger", message, notificationOptions(routed));
  const told: NotificationState = {
    destination: subscription.destination,
    style: subscription.style,
    ...flappingFlag(state),
    state: "told",
    ...(held === undefined ? {} : { by: held }),
    ...guidanceOf(subscription),
    severity: episode.severity,
    trigger: trigger.id,
    reminders: 0,
    toldMillis: input.at,
    shown: liveMessageKey(episode),
    ...wantedPicture(input, subscription),
  };
  return { deliveries: [trigger], states: [{ episode: episode.id, destination, state: told }] };
}

/** Each destination gets one notice of flapping, when the first trigger is suppressed there because of it. */
function planFlappingNotice(
  input: EpisodePlanInput,
  destination: string,
  subscription: Subscription,
  state: NotificationState,
): Plan {
  const { episode, flapping, config } = input;
  if (flapping === undefined || flapping.states.get(destination)?.flapping === true) return {};
  const closed: NotificationState = { ...blankState(subscription), state: "closed" };
  const known = flapping.began === episode.id ? state : (flapping.states.get(destination) ?? closed);
  const message = { type: "flapping", episode, episodes: flapping.episodes, withinMillis: config.flap.within } as const;
  return {
    states: [{ episode: flapping.began, destination, state: { ...known, flapping: true } }],
    deliveries: [planDelivery(input, subscription, "flapping", message)],
  };
}

function blankState({
  destination,
  style,
}: Subscription): Pick<NotificationState, "destination" | "style" | "reminders"> {
  return { destination, style, reminders: 0 };
}

function guidanceOf({ guidance }: Pick<Subscription, "guidance">): Pick<Subscription, "guidance"> {
  return guidance === undefined ? {} : { guidance };
}

function flappingFlag(state: NotificationState | undefined): Pick<NotificationState, "flapping"> {
  return state?.flapping === true ? { flapping: true } : {};
}

/** After the trigger: one escalation, reminders, and edits of the card. */
function planFollowUps(
  input: EpisodePlanInput,
  destination: string,
  before: NotificationState,
  { routed, subscription }: RoutedSubscription,
): Plan {
  const { episode, config } = input;
  if (before.trigger === undefined) return {};
  const isWorse = before.severity === undefined || compareSeverity(episode.severity, before.severity) > 0;
  const escalates = isWorse && before.escalation === undefined;
  if (!routed.notify || !(escalates || isReminderDue(input, before))) {
    return planEdits(input, destination, before, before);
  }
  const phase = escalates ? "escalation" : "reminder";
  const number = before.reminders + 1;
  const message = {
    type: "condition",
    phase,
    episode,
    ...guidanceOf(before),
    ...(escalates ? {} : { reminder: { number, of: config.remind.times } }),
  } as const;
  const options = { ...notificationOptions(routed), ...(before.cardDeleted === true ? {} : besideCard(before)) };
  const delivery = planDelivery(input, subscription, phase, message, options);
  const told = escalates
    ? { severity: episode.severity, escalation: delivery.id }
    : { reminders: number, reminded: [...(before.reminded ?? []), delivery.id] };
  const state = { ...onCard(before, delivery.id), ...told, toldMillis: input.at };
  return joinPlans([{ deliveries: [delivery] }, planEdits(input, destination, before, state)]);
}

/** Edits of the messages that were there `before`, and the state with them. */
function planEdits(
  input: EpisodePlanInput,
  destination: string,
  before: NotificationState,
  state: NotificationState,
): Plan {
  if (before.trigger === undefined) return {};
  const episode = shownTo(input.episode, before);
  const shown = liveMessageKey(episode);
  const acknowledgedAt = episode.acknowledged?.at;
  // Whichever of its messages was pressed: each shows who acknowledged it.
  const isNews = acknowledgedAt !== undefined && before.shown?.endsWith(` ${acknowledgedAt}`) !== true;
  const edited = isNews
    ? messagesOf(before)
    : before.style !== "plain" && shown !== before.shown
      ? [before.trigger]
      : [];
  const message = { type: "condition", phase: "state", episode, ...guidanceOf(before) } as const;
  const deliveries = edited.map((edits) => planDelivery({ ...input, episode }, before, "state", message, { edits }));
  const told = edited.length === 0 ? state : { ...state, shown };
  const { picture, ...drawn } = told;
  const isDrawn = (pictureAt({ ...input, episode }, before) ?? Infinity) <= input.at && picture !== undefined;
  if (isDrawn) deliveries.push(planDelivery(input, before, "state", message, { edits: before.trigger, picture }));
  const after = isDrawn ? drawn : told;
  return after === before ? {} : { deliveries, states: [{ episode: episode.id, destination, state: after }] };
}

function planResolve(
  input: EpisodePlanInput,
  destination: string,
  state: NotificationState,
  subscriptions: readonly Subscription[],
): Plan {
  const { episode } = input;
  if (state.state === "closed") return {};
  const { picture, ...rest } = state;
  const closed: NotificationState = { ...rest, state: "closed" };
  const message = { type: "condition", phase: "resolve", episode } as const;
  const once = subscriptions.filter((one) => ownEndOf(one).once === true);
  const over = isMarketOver(episode.last) ? subscriptions.filter(endsWithMarkets) : [];
  const endings = [...endedBecause("it was told once", once), ...endedBecause(MARKET_OVER, over, episode.subject)];
  if (state.trigger === undefined) {
    const states = [{ episode: episode.id, destination, state: closed }];
    const decide = (what: string, detail: string) => [decision(input, destination, what, detail)];
    const until = state.by === "quiet hours" ? quietHoursEnd(input, subscriptions) : undefined;
    if (until !== undefined) {
      const { destination: to } = state;
      const held = { id: deliveryId(input, to, "digest"), destination: to };
      const deliveries = [holdMessage(held, labelled(input, message), until)];
      const decisions = decide("held for the digest", "over before quiet hours ended");
      return { states, deliveries, decisions, endings };
    }
    return state.by === UNSENT || state.by === UNREACHED
      ? { states, decisions: decide("no resolve owed", "its trigger could not be sent") }
      : { states, decisions: decide("never told", `suppressed by ${state.by ?? "nothing"}`) };
  }
  // Nobody is woken by the end of a warning.
  const quiet = state.severity === "critical" ? {} : { quiet: true as const };
  const resolve = planDelivery(input, state, "resolve", message, { ...besideCard(state), ...quiet });
  const deliveries = [resolve];
  // Each of its messages tells the end, and loses the buttons that act.
  for (const edits of messagesOf(state)) {
    const how = state.style === "plain" ? { spent: true as const } : {};
    deliveries.push(planDelivery(input, state, "state", { ...message, phase: "state" }, { edits, ...how }));
  }
  if (picture !== undefined && state.cardDeleted !== true) {
    deliveries.push(
      planDelivery(input, state, "state", { ...message, phase: "state" }, { edits: state.trigger, picture }),
    );
  }
  const states = [{ episode: episode.id, destination, state: { ...closed, resolve: resolve.id } }];
  return { deliveries, states, endings };
}

/** What rings beside a card is one line with a link to it; in plain style each state is a message of its own. */
function besideCard({ style, trigger }: NotificationState): Pick<PlannedDelivery, "cardOf"> {
  return style === "plain" || trigger === undefined ? {} : { cardOf: trigger };
}

/** Where the card is deleted, a post that rings is the card from now on. */
function onCard({ cardDeleted, ...state }: NotificationState, post: string): NotificationState {
  return cardDeleted === true ? { ...state, trigger: post } : state;
}

/** The deliveries whose messages carry buttons that act on the episode: the card, or all of plain style. */
function messagesOf({ style, trigger, escalation, reminded = [] }: NotificationState): string[] {
  const all = style === "plain" ? [trigger, escalation, ...reminded] : [trigger];
  return all.filter((one) => one !== undefined);
}

/** When the quiet hours that suppressed a trigger end, now if they just have; undefined if nobody is subscribed. */
function quietHoursEnd(
  { episode, at }: EpisodePlanInput,
  subscriptions: readonly Subscription[],
): Milliseconds | undefined {
  const { kind, network, subject, severity } = episode;
  for (const subscription of subscriptions) {
    const routed = route({ kind, network, subject, severity }, subscription, [], at);
    if (!routed.notify && routed.until !== undefined) return routed.until;
  }
  return subscriptions.length === 0 ? undefined : at;
}

/** Changes with everything that a live message shows of an episode and that routing depends on. */
export function liveMessageKey(episode: Episode): string {
  const { severity, state, last, acknowledged, acknowledgedIn = {} } = episode;
  // A node may learn later than the trigger when an auction ends, and whether it is extended.
  const { extension, end } = last.kind === "market.auction" ? last.facts : {};
  const told = [extension, end].filter((one) => one !== undefined);
  return [severity, state, ...told, acknowledged?.at ?? "", ...Object.values(acknowledgedIn).map(({ at }) => at)].join(
    " ",
  );
}

function notificationOptions(routed: Extract<RoutingDecision, { notify: true }>): { mention?: string; quiet?: true } {
  const { notify: _, ...rest } = routed;
  return rest;
}
