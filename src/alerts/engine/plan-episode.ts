import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { isDrill } from "../judge/drill.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import { compareSeverity } from "../judge/kinds/severity.ts";
import { type DeliveryPhase, joinPlans, type Plan, type PlannedDelivery } from "../deliver/outbox/batch.ts";
import type { AlertMessage } from "../message/message.ts";
import { type NotificationState, shownTo, UNREACHED, UNSENT } from "../deliver/outbox/notification-state.ts";
import { route, type RoutingDecision } from "../route/route.ts";
import type { Silence } from "../route/silence.ts";
import type { Subscription } from "../route/subscription.ts";
import { type Episode, isOpen, seenFrom } from "../judge/rules/episode.ts";
import { isReminderDue } from "./reminders.ts";
import { type Destination, destinationKey } from "../destination.ts";

/** An episode and the inputs that decide who is notified of it. */
export interface EpisodePlanInput {
  readonly episode: Episode;
  readonly simulated: boolean;
  /** By destination, as far as there are any. */
  readonly states: ReadonlyMap<string, NotificationState>;
  /** The active subscriptions to its rule and subject. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly inhibitedBy?: string;
  /** Set while it flaps: the episode by which that was detected, its notification states, and the recent firings. */
  readonly flapping?: {
    readonly began: string;
    readonly states: ReadonlyMap<string, NotificationState>;
    readonly episodes: number;
  };
  readonly config: Pick<AlertsConfig, "remind" | "flap">;
  /** The group of one of its messages to a destination; absent, or undefined = a message of its own. */
  group?(of: Pick<PlannedDelivery, "phase" | "destination" | "mention">): PlannedDelivery["group"] | undefined;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/**
 * Plans the deliveries of an episode in its current state. Idempotent: per destination at most one trigger and one
 * escalation, and one resolve if the trigger was or may have been sent. Pure but for the ids.
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
  const plans = [...byDestination].map(([destination, subscriptions]) => {
    const routed = chooseSubscription(input, subscriptions);
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

interface RoutedSubscription {
  readonly routed: RoutingDecision;
  readonly subscription: Subscription;
}

/** Chooses the one of a destination's subscriptions that decides: preferably a notified one with a mention. */
function chooseSubscription(input: EpisodePlanInput, subscriptions: readonly Subscription[]): RoutedSubscription {
  const { episode, inhibitedBy, flapping } = input;
  const routing = {
    kind: episode.kind,
    network: episode.network,
    subject: episode.subject,
    severity: episode.severity,
    ...(inhibitedBy === undefined ? {} : { inhibitedBy }),
    ...(flapping === undefined ? {} : { flapping: true as const }),
  };
  const [first, ...rest] = subscriptions.map((subscription) => ({
    subscription,
    routed: route(routing, subscription, input.silences, input.at),
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

/** After the trigger: one escalation, reminders, and edits of the live message, or of the one that starts the thread. */
function planFollowUps(
  input: EpisodePlanInput,
  destination: string,
  before: NotificationState,
  { routed, subscription }: RoutedSubscription,
): Plan {
  const { episode, config } = input;
  if (before.trigger === undefined) return {};
  const thread = before.style === "thread" ? { threadOf: before.trigger } : {};
  const deliveries: PlannedDelivery[] = [];
  let state = before;
  const worse = before.severity === undefined || compareSeverity(episode.severity, before.severity) > 0;
  if (worse && before.escalation === undefined && routed.notify) {
    const message = { type: "condition", phase: "escalation", episode, ...guidanceOf(before) } as const;
    const options = { ...notificationOptions(routed), ...thread };
    const escalation = planDelivery(input, subscription, "escalation", message, options);
    deliveries.push(escalation);
    state = { ...state, severity: episode.severity, escalation: escalation.id, toldMillis: input.at };
  } else if (isReminderDue(input, state) && routed.notify) {
    const number = state.reminders + 1;
    const reminder = { number, of: config.remind.times };
    const message = { type: "condition", phase: "reminder", episode, ...guidanceOf(before), reminder } as const;
    const options = { ...notificationOptions(routed), ...thread };
    const delivery = planDelivery(input, subscription, "reminder", message, options);
    deliveries.push(delivery);
    const reminded = [...(state.reminded ?? []), delivery.id];
    state = { ...state, reminders: number, reminded, toldMillis: input.at };
  }
  return joinPlans([{ deliveries }, planEdits(input, destination, before, state)]);
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
  const after = edited.length === 0 ? state : { ...state, shown };
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
  const closed: NotificationState = { ...state, state: "closed" };
  const message = { type: "condition", phase: "resolve", episode } as const;
  if (state.trigger === undefined) {
    const states = [{ episode: episode.id, destination, state: closed }];
    const decide = (what: string, detail: string) => [decision(input, destination, what, detail)];
    const until = state.by === "quiet hours" ? quietHoursEnd(input, subscriptions) : undefined;
    if (until !== undefined) {
      const held = [{ destination: state.destination, message: labelled(input, message), until }];
      return { states, held, decisions: decide("held for the digest", "over before quiet hours ended") };
    }
    return state.by === UNSENT || state.by === UNREACHED
      ? { states, decisions: decide("no resolve owed", "its trigger could not be sent") }
      : { states, decisions: decide("never told", `suppressed by ${state.by ?? "nothing"}`) };
  }
  const thread = state.style === "thread" ? { threadOf: state.trigger } : {};
  const resolve = planDelivery(input, state, "resolve", message, thread);
  const deliveries = [resolve];
  // Each of its messages tells the end, and loses the buttons that act.
  for (const edits of messagesOf(state)) {
    deliveries.push(planDelivery(input, state, "state", { ...message, phase: "state" }, { edits }));
  }
  return { deliveries, states: [{ episode: episode.id, destination, state: { ...closed, resolve: resolve.id } }] };
}

/** The deliveries whose messages carry buttons that act on the episode. */
function messagesOf({ trigger, escalation, reminded = [] }: NotificationState): string[] {
  return [trigger, escalation, ...reminded].filter((one) => one !== undefined);
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
  const { severity, state, acknowledged, acknowledgedIn = {} } = episode;
  return [severity, state, acknowledged?.at ?? "", ...Object.values(acknowledgedIn).map(({ at }) => at)].join(" ");
}

function notificationOptions(routed: Extract<RoutingDecision, { notify: true }>): { mention?: string; quiet?: true } {
  const { notify: _, ...rest } = routed;
  return rest;
}

function labelled<M extends AlertMessage>(input: EpisodePlanInput, message: M): M {
  return {
    ...message,
    ...(input.simulated ? { simulated: true } : {}),
    ...(isDrill(input.episode) ? { drill: true } : {}),
  };
}

type EpisodeMessage = Extract<AlertMessage, { type: "condition" | "flapping" }>;

const sharedMessages = new WeakMap<Episode, Map<string, EpisodeMessage>>();

/** Destinations that get the same message of an episode share one object, which is built and stored once. */
function sharedMessage(input: EpisodePlanInput, message: EpisodeMessage): EpisodeMessage {
  const messages = sharedMessages.get(input.episode) ?? new Map<string, EpisodeMessage>();
  sharedMessages.set(input.episode, messages);
  const key =
    message.type === "condition"
      ? JSON.stringify([message.phase, message.reminder?.number, message.already, message.guidance])
      : message.type;
  const known = messages.get(key);
  if (known !== undefined) return known;
  const labelledMessage = labelled(input, message);
  messages.set(key, labelledMessage);
  return labelledMessage;
}

function planDelivery(
  input: EpisodePlanInput,
  { destination }: Pick<Subscription, "destination">,
  phase: DeliveryPhase,
  message: EpisodeMessage,
  more: Pick<PlannedDelivery, "mention" | "quiet" | "threadOf" | "edits"> = {},
): PlannedDelivery {
  const episode = input.episode.id;
  const planned = { id: input.newId(), destination, phase, message: sharedMessage(input, message), episode, ...more };
  const group = input.group?.(planned);
  return group === undefined ? planned : { ...planned, group };
}

function decision(input: EpisodePlanInput, destination: string, what: string, detail: string) {
  return { what, network: input.episode.network, episode: input.episode.id, destination, detail };
}
