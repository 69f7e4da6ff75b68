import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { episodeId, type Machine } from "./episode.ts";
import type { Subscription } from "./subscription.ts";

/** Deletes what is settled and older than that; of the machines and subscriptions, those given that may be forgotten. */
export async function prune(
  tables: AlertTables,
  machines: Iterable<Machine>,
  subscriptions: readonly Subscription[],
  before: Milliseconds,
): Promise<void> {
  await tables.prune(before);
  await tables.watch.dropMachines(await forgettable(tables, machines));
  // A place that was lost goes on being shown as such, until somebody sees to it.
  const over = subscriptions.filter(
    ({ state, over: since, created }) => (state === "removed" || state === "ended") && (since ?? created) < before,
  );
  await tables.choices.dropSubscriptions(over.map(({ id }) => id));
}

/**
 * A machine goes with its last episode: markets, orders and nodes come and go, and every round reads all machines of
 * its network.
 */
async function forgettable(tables: AlertTables, machines: Iterable<Machine>): Promise<Machine[]> {
  const forgotten: Machine[] = [];
  for (const machine of machines) {
    if (machine.phase !== "ok" || machine.flapping !== undefined) continue;
    const told = machine.number > 0 && (await tables.watch.episode(episodeId(machine, machine.number))) !== undefined;
    if (!told) forgotten.push(machine);
  }
  return forgotten;
}
