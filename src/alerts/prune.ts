import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { episodeId, type Machine } from "./episode.ts";

/**
 * Deletes what is settled and older than that. A machine goes with its last episode: markets, orders and nodes come and
 * go, and every round reads all machines of its network. Those of the machines that are given may be forgotten.
 */
export async function prune(tables: AlertTables, machines: Iterable<Machine>, before: Milliseconds): Promise<void> {
  await tables.prune(before);
  const forgotten: Machine[] = [];
  for (const machine of machines) {
    if (machine.phase !== "ok" || machine.flapping !== undefined) continue;
    const told = machine.number > 0 && (await tables.watch.episode(episodeId(machine, machine.number))) !== undefined;
    if (!told) forgotten.push(machine);
  }
  await tables.watch.dropMachines(forgotten);
}
