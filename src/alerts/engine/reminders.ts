import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { NotificationState } from "../outbox/notification-state.ts";
import type { Episode } from "../rules/episode.ts";

/** An open episode at a moment, as far as reminders depend on it. */
interface ReminderInput {
  readonly episode: Pick<Episode, "severity" | "state" | "acknowledged">;
  readonly config: Pick<AlertsConfig, "remind">;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

export function isReminderDue(input: ReminderInput, state: NotificationState): boolean {
  const due = reminderAt(input, state);
  return due !== undefined && input.at >= due;
}

/**
 * When the next reminder becomes due (Unix milliseconds); Infinity if none does. One that is due and suppressed, by a
 * silence for instance, waits for that to change.
 */
export function nextReminder(input: ReminderInput, states: Iterable<NotificationState>): Milliseconds {
  let next = Infinity;
  for (const state of states) {
    const due = state.state === "told" ? reminderAt(input, state) : undefined;
    if (due !== undefined && due > input.at && due < next) next = due;
  }
  return next;
}

/** When a reminder is due in the episode's current state; undefined if none is. */
function reminderAt({ episode, config }: ReminderInput, state: NotificationState): Milliseconds | undefined {
  const reminds =
    episode.severity === "critical" &&
    episode.state === "firing" &&
    episode.acknowledged === undefined &&
    state.acknowledged === undefined &&
    state.reminders < config.remind.times;
  return reminds && state.toldMillis !== undefined ? state.toldMillis + config.remind.every : undefined;
}
