// What time alone demands of an open alert: reminders, and the picture of its card.
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { AlertDependencies } from "../dependencies.ts";
import { type Plan, type PlannedDelivery, planNotice } from "../deliver/outbox/batch.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { deliveriesOf, messagesOf } from "../deliver/outbox/queries.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { type Episode, isDrill, seenFrom } from "../judge/rules/episode.ts";
import { type Destination, destinationFromKey } from "../destination.ts";
import type { Subscription } from "../route/subscription.ts";

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
