import type { subscriptionIndexReader } from "./choices.ts";
import { isDrill } from "./drill.ts";
import { nowMillis, randomId, type AlertDependencies } from "./engine-parts.ts";
import { Episode, Machine } from "./episode.ts";
import { timeToText } from "./json-units.ts";
import { resetMachine } from "./machine.ts";
import { planOpen } from "./owe-open.ts";
import { OutboxBatch } from "./owed.ts";
import { episodeRow, machineRow } from "./record-round.ts";
import { writeBatch } from "./write-owed.ts";

/**
 * Closes what is open on any network but those that are watched: whose data nodes are not configured any more is never
 * looked at again, and nobody would see the end. To be run before the first look of a process.
 */
export async function closeUnwatched(
  parts: AlertDependencies,
  readChoices: ReturnType<typeof subscriptionIndexReader>,
  watched: readonly string[],
): Promise<void> {
  const { store, config, clock, simulated, newId = randomId } = parts;
  const owed = await store.transaction(async ({ alerts: tables }) => {
    const at = nowMillis(clock);
    const open = (await tables.watch.openEpisodes())
      .map(({ data }) => Episode.parse(JSON.parse(data)))
      .filter((episode) => !isDrill(episode) && !watched.includes(episode.network));
    if (open.length === 0) return 0;
    const book = new OutboxBatch();
    const machines = new Map<string, Machine>();
    const closed: Episode[] = [];
    for (const episode of open) {
      const row = await tables.watch.machine(episode);
      if (row !== undefined) machines.set(episode.id, resetMachine(Machine.parse(JSON.parse(row.data))));
      closed.push({ ...episode, state: "gone", ended: timeToText(clock.wallClock()) });
      const { network, id } = episode;
      book.decisions.push({ what: "gone", network, episode: id, detail: `no data node of ${network} is configured` });
    }
    await tables.watch.putMachines([...machines.values()].map(machineRow));
    await tables.watch.putEpisodes(closed.map(episodeRow));
    const choices = await readChoices(tables, at);
    const machine = ({ id }: Episode): Machine | undefined => machines.get(id);
    await planOpen({ tables, index: choices, config, episodes: closed, open: [], machine, simulated, at, newId }, book);
    await writeBatch(tables, book, at, newId, parts.portion);
    return book.deliveries.length;
  });
  if (owed > 0) parts.onOwed?.();
}
