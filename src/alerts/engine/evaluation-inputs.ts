import type { AlertTables, EpisodeRow } from "../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, MINUTE } from "../../units/time.ts";
import { quietUntil } from "../route/quiet-hours.ts";
import { isSilenceActive } from "../route/silence.ts";
import type { SubscriptionIndex } from "../route/subscription-index.ts";
import type { Episode, Machine } from "../judge/rules/episode.ts";
import { liveMessageKey } from "./plan-episode.ts";
import { flappingOf, inhibitingEpisodes, inhibitorOf } from "./plan-open.ts";

/** Reads the inputs of all episodes: which silences hold and which quiet hours run. */
export function sharedInputsReader(): (index: SubscriptionIndex, at: Milliseconds) => string {
  // Quiet hours begin and end with a minute, and zone arithmetic is slow.
  let quiet: { readonly index: SubscriptionIndex; readonly minute: number; readonly running: string } | undefined;
  return (index, at) => {
    const minute = Math.floor(at / MINUTE);
    if (quiet?.index !== index || quiet.minute !== minute) quiet = { index, minute, running: quietNow(index, at) };
    return JSON.stringify([
      index.silences.filter((one) => isSilenceActive(one, at)).map(({ id }) => id),
      quiet.running,
    ]);
  };
}

/** Which quiet hours run, each once, in an order that is stable for one index. */
function quietNow({ subscriptions }: SubscriptionIndex, at: Milliseconds): string {
  const all = subscriptions.flatMap(({ state, quietHours }) => (state === "active" ? (quietHours ?? []) : []));
  const distinct = new Map(all.map((one) => [`${one.from} ${one.to} ${one.zone}`, one]));
  return [...distinct.values()].map((one) => (quietUntil(one, at) === undefined ? "0" : "1")).join("");
}

/**
 * All inputs of the plans of open episodes, except subscriptions, reminders and the last readings, as one text for
 * each: while it stays the same, the episode owes nothing new. `rows` are all that are open, `shared` the inputs of all.
 */
export async function evaluationInputs(
  tables: AlertTables,
  rows: readonly (Pick<EpisodeRow, "id"> & { readonly notification_revision: number })[],
  episodes: readonly Episode[],
  machine: (episode: Episode) => Machine | undefined,
  shared: string,
): Promise<ReadonlyMap<string, string>> {
  const began = new Set(episodes.flatMap((episode) => flappingOf(machine(episode))?.began ?? []));
  const known = [...rows, ...(await tables.watch.notificationRevisions([...began]))];
  const revisions = new Map(known.map((row) => [row.id, row.notification_revision]));
  const inhibitors = inhibitingEpisodes(episodes);
  return new Map(
    episodes.map((episode) => {
      const flapping = flappingOf(machine(episode));
      const revision = [revisions.get(episode.id), revisions.get(flapping?.began ?? "")];
      const inputs = [liveMessageKey(episode), revision, inhibitorOf(episode, inhibitors)?.id, flapping, shared];
      return [episode.id, JSON.stringify(inputs)] as const;
    }),
  );
}
