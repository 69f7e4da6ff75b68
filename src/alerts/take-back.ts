import type { AlertTables, DeliveryRow } from "../store/alert-ports.ts";
import { Telling } from "./telling.ts";

/** What keeps a trigger back that certainly never arrived: nothing took it, or there was no place to take it. */
export const UNSENT = "it could not be sent";
export const UNREACHED = "this place could not be reached";

/**
 * A trigger that was given up and certainly never arrived was none: nothing was said of the episode there, and nothing
 * more is owed of it. It is told after all once it gets worse, or somebody listens again at a place that was lost.
 */
export async function takeBack(
  tables: AlertTables,
  { id, phase, episode, destination, uncertain_since }: DeliveryRow,
  by: typeof UNSENT | typeof UNREACHED,
): Promise<void> {
  if (phase !== "trigger" || episode === null || uncertain_since !== null) return;
  const row = (await tables.watch.tellings([episode])).find((one) => one.destination === destination);
  if (row === undefined) return;
  const {
    trigger,
    escalation: _escalation,
    toldMillis: _told,
    shown: _shown,
    ...rest
  } = Telling.parse(JSON.parse(row.data));
  if (trigger !== id || rest.state === "closed") return;
  const kept: Telling = { ...rest, state: "suppressed", by, reminders: 0 };
  await tables.watch.putTellings([{ ...row, data: JSON.stringify(kept) }]);
}
