import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { episodeId, Machine } from "./episode.ts";
import type { Subscription } from "./subscription.ts";

/** Deletes what is settled and older than that (for `whole` see AlertTables), and the machines and subscriptions that may be forgotten. */
export async function prune(
  tables: AlertTables,
  subscriptions: readonly Subscription[],
  before: Milliseconds,
  whole: boolean,
): Promise<void> {
  await tables.prune(before, whole);
  await tables.watch.dropMachines(await forgettable(tables));
  // A place that was lost goes on being shown as such, until somebody sees to it.
  const over = subscriptions.filter(
    ({ state, over: since, created }) => (state === "removed" || state === "ended") && (since ?? created) < before,
  );
  await tables.subscriptions.drop(over.map(({ id }) => id));
}

/**
 * A machine goes with its last episode: markets, orders and nodes come and go, and every round reads all machines of
 * its network.
 */
async function forgettable(tables: AlertTables): Promise<Machine[]> {
  const calm = (await tables.watch.machines())
    .map(({ data }) => Machine.parse(JSON.parse(data)))
    .filter(({ phase, flapping }) => phase === "ok" && flapping === undefined);
  const last = (machine: Machine): string => episodeId(machine, machine.number);
  const kept = new Set((await tables.watch.notificationRevisions(calm.map(last))).map(({ id }) => id));
  return calm.filter((machine) => machine.number === 0 || !kept.has(last(machine)));
}
