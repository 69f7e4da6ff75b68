import type { AlertTables } from "../store/alert-ports.ts";
import type { Episode, Machine } from "./episode.ts";
import { inhibitingEpisodes, inhibitorOf } from "./inhibition.ts";
import { liveMessageKey } from "./owe-episode.ts";
import { flappingOf } from "./owe-open.ts";

export interface OpenEpisodes {
  readonly tables: AlertTables;
  /** All that are open. */
  readonly episodes: readonly Episode[];
  /** Of each, how often what was told of it has changed. */
  readonly told: ReadonlyMap<string, number>;
  /** Of an episode, where it flaps. */
  readonly machine: (episode: Episode) => Machine | undefined;
}

/**
 * All that bears on what open episodes owe, but for what people chose, reminders and what the last readings say: while
 * the words for an episode stay the same, it owes nothing new. `weather` is what bears on all of them.
 */
export async function evaluationInputs(
  { tables, episodes, told, machine }: OpenEpisodes,
  weather: string,
): Promise<ReadonlyMap<string, string>> {
  const flapping = new Map(
    episodes.flatMap((episode) => {
      const found = flappingOf(machine(episode));
      return found === undefined ? [] : [[episode.id, found] as const];
    }),
  );
  const began = [...new Set([...flapping.values()].map((one) => one.began))];
  const toldThen = new Map((await tables.watch.notificationRevisions(began)).map((row) => [row.id, row.told]));
  const inhibitors = inhibitingEpisodes(episodes);
  return new Map(
    episodes.flatMap((episode) => {
      const found = flapping.get(episode.id);
      const then = found === undefined ? undefined : toldThen.get(found.began);
      // Of an episode that is no longer kept nobody counts what is told of it.
      if (found !== undefined && then === undefined) return [];
      const inhibitor = inhibitorOf(episode, inhibitors)?.id;
      const words = [
        liveMessageKey(episode),
        told.get(episode.id),
        inhibitor,
        found?.began,
        found?.episodes,
        then,
        weather,
      ];
      return [[episode.id, JSON.stringify(words)] as const];
    }),
  );
}
