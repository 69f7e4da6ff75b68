import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { INHIBITS } from "../judge/kinds/inhibits.ts";
import { joinPlans, type Plan, type PlannedDelivery, planNotice } from "../deliver/outbox/batch.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { deliveriesOf, messagesOf, readNotificationStates } from "../deliver/outbox/queries.ts";
import type { SubscriptionIndex } from "../route/subscription-index.ts";
import { type Episode, episodeId, isDrill, isOpen, type Machine, seenFrom } from "../judge/rules/episode.ts";
import { isCalmed } from "../judge/rules/state-machine.ts";
import { incidentName } from "../words/condition-words.ts";
import { type EpisodePlanInput, planEpisode } from "./plan-episode.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { type Destination, destinationFromKey } from "../destination.ts";
import type { Subscription } from "../route/subscription.ts";

interface OpenPlanInput {
  readonly index: SubscriptionIndex;
  /** The episodes to plan: open ones, and those just closed. */
  readonly episodes: readonly Episode[];
  /** All that are open now. */
  readonly open: readonly Episode[];
  /** Of an episode, where known. */
  machine(episode: Episode): Machine | undefined;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/**
 * Plans the deliveries of episodes in their current state. `reminders`: when the next one of each becomes due, by episode
 * (Unix milliseconds, Infinity if none will).
 */
export async function planOpen(
  dependencies: AlertDependencies,
  tables: AlertTables,
  input: OpenPlanInput,
): Promise<{ readonly plan: Plan; readonly reminders: ReadonlyMap<string, Milliseconds> }> {
  const { config, simulated, console: listing, operators = listing, picturesOn, newId = randomId } = dependencies;
  const { index, episodes, at } = input;
  if (episodes.length === 0) return { plan: {}, reminders: new Map() };
  const flapped = new Map(episodes.map((episode) => [episode.id, flappingOf(input.machine(episode))] as const));
  const began = [...flapped.values()].flatMap((flapping) => (flapping === undefined ? [] : [flapping.began]));
  const states = await readNotificationStates(tables, [...episodes.map(({ id }) => id), ...began]);
  const told = [...states.keys()];
  const revisions = new Map(
    (await tables.watch.notificationRevisions(told)).map(({ id, notification_revision: is }) => [id, is] as const),
  );
  const statesOf = (episode: string) => states.get(episode) ?? new Map<string, NotificationState>();
  const inhibitors = inhibitingEpisodes(input.open);
  const planned = episodes.map((episode) => {
    const inhibitor = inhibitorOf(episode, inhibitors);
    const flapping = flapped.get(episode.id);
    const of: EpisodePlanInput = {
      episode,
      simulated: simulated.has(episode.network),
      states: statesOf(episode.id),
      subscriptions: index.subscribers(episode.rule, episode),
      silences: index.silences,
      ...(inhibitor === undefined ? {} : { inhibitedBy: `${inhibitor.kind}: “${incidentName(inhibitor)}”` }),
      ...(flapping === undefined ? {} : { flapping: { ...flapping, states: statesOf(flapping.began) } }),
      ...(picturesOn === undefined ? {} : { picturesOn }),
      config,
      at,
      revision: revisions.get(episode.id) ?? 0,
    };
    const states = [...of.states.values()];
    const plan = planEpisode(of);
    const notice = planUnacknowledged(of, states, plan, operators, newId);
    return { episode, states, plan: joinPlans([plan, notice]), reminder: nextReminder(of, states) };
  });
  const revised: Plan[] = [];
  for (const { episode, plan, states: before } of planned) {
    const isEdited = isRemindedOut(before, config.remind) && plan.deliveries.some(({ edits }) => edits !== undefined);
    if (isEdited) revised.push(await reviseUnacknowledged(tables, episode, newId));
  }
  return {
    plan: joinPlans([...planned.map(({ plan }) => plan), ...revised]),
    reminders: new Map(planned.map(({ episode, reminder }) => [episode.id, reminder])),
  };
}

/** The episode by which the flapping of a machine was detected, how often it has fired recently, and what is kept back. */
export function flappingOf(
  machine: Machine | undefined,
): { began: string; episodes: number; calmed: boolean } | undefined {
  if (machine?.flapping === undefined || machine.surpasses === true) return undefined;
  const began = episodeId(machine, machine.flapping.before + 1);
  return { began, episodes: machine.firings.length, calmed: isCalmed(machine) };
}

/** The open episodes that may inhibit another one: the only ones that `inhibitorOf` needs. */
export function inhibitingEpisodes(open: readonly Episode[]): readonly Episode[] {
  return open.filter((one) => INHIBITS[one.kind] !== undefined && isOpen(one));
}

/** The open episode that inhibits another one, if any. */
export function inhibitorOf(episode: Episode, open: readonly Episode[]): Episode | undefined {
  return open.find((other) => {
    const inhibits = INHIBITS[other.kind];
    return (
      inhibits !== undefined &&
      isOpen(other) &&
      other.network === episode.network &&
      inhibits.kinds.includes(episode.kind) &&
      (inhibits.sameSubject !== true || other.subject === episode.subject)
    );
  });
}

// What time alone demands of an open alert: reminders, and the picture of its card.

/** An open episode at a moment, as far as reminders and pictures depend on it. */
interface ReminderInput extends Pick<AlertDependencies, "picturesOn"> {
  readonly episode: Pick<Episode, "severity" | "state" | "detected" | "acknowledged" | "acknowledgedIn">;
  readonly config: Pick<AlertsConfig, "remind">;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

export function isReminderDue(input: ReminderInput, state: NotificationState): boolean {
  const due = reminderAt(input, state);
  return due !== undefined && input.at >= due;
}

/** How long an alert fires before its message gets a picture: what is over by then is drawn at its end. */
const DRAWN_AFTER: Milliseconds = 60_000;

/** The picture that its card is to get. Of histories, and of nodes that are made up, nothing is kept that could be drawn. */
export function wantedPicture(
  { episode, picturesOn }: Pick<AlertDependencies, "picturesOn"> & { readonly episode: Episode },
  { chart, destination, quietHours }: Subscription,
): Pick<NotificationState, "picture"> {
  const isDrawn = chart !== "off" && episode.kind !== "node.diverges" && !isDrill(episode);
  return isDrawn && picturesOn?.(destination.platform) !== undefined ? { picture: quietHours?.zone ?? "UTC" } : {};
}

/** When the message of an open alert is due to get its picture; undefined if it gets none now. */
export function pictureAt({ episode, picturesOn }: ReminderInput, state: NotificationState): Milliseconds | undefined {
  if (state.picture === undefined || state.cardDeleted === true || episode.state !== "firing") return undefined;
  if (picturesOn?.(state.destination.platform) !== "edited") return undefined;
  return toMillis(timeFromText(episode.detected)) + DRAWN_AFTER;
}

/**
 * When the next reminder or picture becomes due (Unix milliseconds); Infinity if none does. One that is due and suppressed, by a
 * silence for instance, waits for that to change.
 */
export function nextReminder(input: ReminderInput, states: Iterable<NotificationState>): Milliseconds {
  let next = Infinity;
  for (const state of states) {
    if (state.state !== "told") continue;
    for (const due of [reminderAt(input, state), pictureAt(input, state)]) {
      if (due !== undefined && due > input.at && due < next) next = due;
    }
  }
  return next;
}

/**
 * The notice to the operators that nobody has acknowledged an alert by its last reminder. It is planned once an episode,
 * with the last reminder of the first destination.
 */
export function planUnacknowledged(
  { episode, config, at }: ReminderInput & { readonly episode: Episode },
  before: Iterable<NotificationState>,
  { states = [], deliveries = [] }: Plan,
  operators: Destination | undefined,
  newId: () => string,
): Plan {
  const { times } = config.remind;
  const after = states.flatMap((one) => (one.episode === episode.id ? [one.state] : []));
  const isNow = isRemindedOut(after, config.remind) && !isRemindedOut(before, config.remind);
  if (operators === undefined || !isNow) return {};
  const told = deliveries[0]?.message;
  const marks = told?.simulated === true ? { simulated: true as const } : {};
  const notice = { about: "unacknowledged", episode: seenFrom(episode, operators), reminders: times } as const;
  const planned = planNotice([operators], notice, at, newId, marks);
  const about = { network: episode.network, episode: episode.id };
  return {
    deliveries: planned.map((one) => ({ ...one, episode: episode.id })),
    decisions: [
      { what: "not acknowledged", ...about, detail: `by the last of ${times} reminders: the operators are told` },
    ],
  };
}

/** Edits of that notice, wherever the messages of the alert are edited: it says who took it, or that it is over. */
export async function reviseUnacknowledged(tables: AlertTables, episode: Episode, newId: () => string): Promise<Plan> {
  const { deliveries: known } = await deliveriesOf(tables, episode.id);
  const ids = known.flatMap(({ id, phase }) => (phase === "bot" ? [id] : []));
  const said = await messagesOf(tables, ids);
  const deliveries = said.flatMap(({ id, destination: key, message }): PlannedDelivery[] => {
    if (message.type !== "notice" || message.notice.about !== "unacknowledged") return [];
    const destination = destinationFromKey(key);
    const notice = { ...message.notice, episode: seenFrom(episode, destination) };
    return [{ id: newId(), destination, phase: "bot", edits: id, message: { ...message, notice } }];
  });
  return { deliveries };
}

/** Whether the last reminder of an alert was sent somewhere. */
export function isRemindedOut(states: Iterable<NotificationState>, { times }: AlertsConfig["remind"]): boolean {
  return times > 0 && [...states].some(({ reminders }) => reminders >= times);
}

/** When a reminder is due in the episode's current state; undefined if none is. */
function reminderAt({ episode, config }: ReminderInput, state: NotificationState): Milliseconds | undefined {
  const reminds =
    episode.severity === "critical" &&
    episode.state === "firing" &&
    seenFrom(episode, state.destination).acknowledged === undefined &&
    state.acknowledged === undefined &&
    state.reminders < config.remind.times;
  return reminds && state.toldMillis !== undefined ? state.toldMillis + config.remind.every : undefined;
}
