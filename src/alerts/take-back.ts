import type { AlertTables, DeliveryRow, NotificationStateRow } from "../store/alert-ports.ts";
import { NotificationState } from "./telling.ts";

/** What keeps a trigger back that certainly never arrived: nothing took it, or there was no place to take it. */
export const UNSENT = "it could not be sent";
export const UNREACHED = "this place could not be reached";

/**
 * A trigger that was given up and certainly never arrived was none: nothing was said of the episode there, and nothing
 * more is owed of it. It is told after all once it gets worse, or somebody listens again at a place that was lost.
 */
export async function revertUnsent(
  tables: AlertTables,
  row: DeliveryRow,
  by: typeof UNSENT | typeof UNREACHED,
): Promise<void> {
  if (row.phase !== "trigger" || row.episode === null) return;
  const told = await tables.watch.notificationState(row.episode, row.destination);
  await revertTriggers(tables, [row], told === undefined ? [] : [told], by);
}

/** The same for all that a whole platform was owed, which could not be reached. */
export async function revertAllUnsent(tables: AlertTables, rows: readonly DeliveryRow[]): Promise<void> {
  const episodes = new Set(
    rows.flatMap(({ phase, episode }) => (phase === "trigger" && episode !== null ? [episode] : [])),
  );
  await revertTriggers(tables, rows, await tables.watch.notificationStates([...episodes]), UNREACHED);
}

async function revertTriggers(
  tables: AlertTables,
  rows: readonly DeliveryRow[],
  told: readonly NotificationStateRow[],
  by: typeof UNSENT | typeof UNREACHED,
): Promise<void> {
  const triggers = new Map(
    rows.flatMap((row) =>
      row.phase === "trigger" && row.episode !== null && row.uncertain_since === null ? [[row.id, row] as const] : [],
    ),
  );
  if (triggers.size === 0) return;
  const kept: NotificationStateRow[] = [];
  for (const row of told) {
    const telling = NotificationState.parse(JSON.parse(row.data));
    const { trigger, escalation: _escalation, toldMillis: _told, shown: _shown, ...rest } = telling;
    const given = trigger === undefined ? undefined : triggers.get(trigger);
    if (given?.destination !== row.destination || rest.state === "closed") continue;
    const back: NotificationState = { ...rest, state: "suppressed", by, reminders: 0 };
    kept.push({ ...row, data: JSON.stringify(back) });
  }
  await tables.watch.putNotificationStates(kept);
}
