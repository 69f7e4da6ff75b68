import { z } from "zod";

import type { AlertTables, DeliveryRow, NotificationStateRow } from "../../store/alert-tables/alert-tables.ts";
import { Severity } from "../kinds/severity.ts";
import { StoredDestination } from "../routing/subscription.ts";

/** What one destination was told of one episode: the ledger by which nothing is said twice or left unsaid. */
export const NotificationState = z.object({
  destination: StoredDestination,
  style: z.enum(["live", "thread", "plain"]),
  /** `closed` once nothing more is owed of the episode. */
  state: z.enum(["suppressed", "told", "closed"]),
  /** What keeps, or kept, the trigger back. */
  by: z.string().exactOptional(),
  /** The worst severity that was told. */
  severity: Severity.exactOptional(),
  trigger: z.string().exactOptional(),
  escalation: z.string().exactOptional(),
  resolve: z.string().exactOptional(),
  reminders: z.int(),
  /** Somebody acknowledged it for this destination alone. */
  acknowledged: z.literal(true).exactOptional(),
  /** When it was last told loudly, in Unix milliseconds. */
  toldMillis: z.number().exactOptional(),
  /** Of the episode by which flapping was found out: that it flaps was told, too. */
  flapping: z.literal(true).exactOptional(),
  /** What the live message shows, so that it is edited only when that changes. */
  shown: z.string().exactOptional(),
});
export type NotificationState = z.infer<typeof NotificationState>;

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
