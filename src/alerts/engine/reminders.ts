import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { NotificationState } from "../outbox/notification-state.ts";
import type { Episode } from "../rules/episode.ts";

/** An open episode at a moment, as far as it bears on reminders. */
export interface ReminderInput {
  readonly episode: Pick<Episode, "severity" | "state" | "acknowledged">;
  readonly config: Pick<AlertsConfig, "remind">;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

export function isReminderDue(given: ReminderInput, telling: NotificationState): boolean {
  const due = reminderAt(given, telling);
  return due !== undefined && given.at >= due;
}

/**
 * When the first reminder that is not due yet becomes so (Unix milliseconds); Infinity where none does. One that is due
 * and kept back, by a silence for instance, waits for that to change.
 */
export function nextReminder(given: ReminderInput, tellings: Iterable<NotificationState>): Milliseconds {
  let next = Infinity;
  for (const telling of tellings) {
    const due = telling.state === "told" ? reminderAt(given, telling) : undefined;
    if (due !== undefined && due > given.at && due < next) next = due;
  }
  return next;
}

/** When a reminder is owed, as the episode stands; undefined where none is. */
function reminderAt({ episode, config }: ReminderInput, telling: NotificationState): Milliseconds | undefined {
  const reminds =
    episode.severity === "critical" &&
    episode.state === "firing" &&
    episode.acknowledged === undefined &&
    telling.acknowledged === undefined &&
    telling.reminders < config.remind.times;
  return reminds && telling.toldMillis !== undefined ? telling.toldMillis + config.remind.every : undefined;
}
