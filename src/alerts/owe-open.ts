import type { AlertTables, DeliveryRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { AlertsConfig } from "./alerts-config.ts";
import type { Choices } from "./choices.ts";
import { isOpen, type Episode, type Machine } from "./episode.ts";
import { inhibitorOf } from "./inhibition.ts";
import { oweEpisode } from "./owe-episode.ts";
import type { OwedBook } from "./owed.ts";
import { spreadAll } from "./spread.ts";
import { Telling } from "./telling.ts";

export interface OpenCase {
  readonly tables: AlertTables;
  readonly choices: Choices;
  readonly config: AlertsConfig;
  /** Those to look at: open ones, and ones that have just been closed. */
  readonly episodes: readonly Episode[];
  /** All that are open now. */
  readonly open: readonly Episode[];
  /** Of an episode, where known. */
  machine(episode: Episode): Machine | undefined;
  /** Episodes by which flapping was found out just now. */
  readonly startedFlapping?: ReadonlySet<string>;
  readonly simulated: ReadonlySet<string>;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/** Writes into the book what episodes owe, each as it stands. */
export async function oweOpen(given: OpenCase, book: OwedBook): Promise<void> {
  const { tables, choices, episodes } = given;
  if (episodes.length === 0) return;
  await spreadAll(tables, () => given.newId());
  const rows = await tables.watch.tellings(episodes.map(({ id }) => id));
  const tellings = Map.groupBy(rows, (row) => row.episode);
  const parsed = (episode: Episode): Map<string, Telling> =>
    new Map(
      (tellings.get(episode.id) ?? []).map((row) => [row.destination, Telling.parse(JSON.parse(row.data))] as const),
    );
  for (const episode of episodes) {
    const told = parsed(episode);
    const closing = isOpen(episode)
      ? []
      : await tables.outbox.get([...told.values()].flatMap(({ trigger }) => (trigger === undefined ? [] : [trigger])));
    const inhibitor = inhibitorOf(episode, given.open);
    const flapping = given.machine(episode)?.flapping;
    const started = given.startedFlapping?.has(episode.id) === true;
    oweEpisode(
      {
        episode,
        simulated: given.simulated.has(episode.network),
        tellings: told,
        subscriptions: choices.subscribers(episode.rule, episode),
        silences: choices.silences,
        ...(inhibitor === undefined ? {} : { inhibitedBy: inhibitor.id }),
        ...(flapping === undefined
          ? {}
          : { flapping: started ? { episodes: given.machine(episode)?.firings.length ?? 0 } : {} }),
        lost: new Set(closing.filter(isCertainlyLost).map(({ id }) => id)),
        config: given.config,
        at: given.at,
        newId: () => given.newId(),
      },
      book,
    );
  }
}

/** Given up, and no try can have arrived. */
export function isCertainlyLost(row: DeliveryRow): boolean {
  return row.state === "dead" && row.uncertain_since === null;
}
