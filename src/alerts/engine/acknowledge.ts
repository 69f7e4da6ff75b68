import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { timeToText } from "../kinds/json-fields.ts";
import { logDecisions } from "../outbox/decision-log.ts";
import { readNotificationStates } from "../outbox/queries.ts";
import { Episode, episodeRow } from "../rules/episode.ts";

/** Who acknowledges, by name; with their platform's id, where they have one. */
export interface Acknowledger {
  readonly name: string;
  readonly person?: { readonly platform: string; readonly id: string };
}

interface Acknowledgement {
  readonly episode: string;
  readonly by: Acknowledger;
  /** Wall clock. */
  readonly at: Nanoseconds;
  /** The key of the one destination that it holds for; absent = all. */
  readonly only?: string;
}

/** The result; undefined if there is no such episode. */
type Acknowledged = { readonly episode: Episode; readonly isNew: boolean } | undefined;

/** Ends the reminders of an episode. One that is acknowledged everywhere already stays as it is. */
export async function acknowledge(
  tables: AlertTables,
  { episode: id, by, at, only }: Acknowledgement,
  newId: () => string,
): Promise<Acknowledged> {
  const row = await tables.watch.episode(id);
  if (row === undefined) return undefined;
  const episode = Episode.parse(JSON.parse(row.data));
  if (episode.acknowledged !== undefined) return { episode, isNew: false };
  const about = { what: "acknowledged", network: episode.network, episode: id };
  if (only !== undefined) {
    const isNew = await acknowledgeAt(tables, id, only, newId);
    const decision = { ...about, destination: only, detail: `by ${by.name}, for that place alone` };
    if (isNew) await logDecisions(tables, [decision], toMillis(at));
    return { episode, isNew };
  }
  const acknowledged: Episode = {
    ...episode,
    acknowledged: { by: by.name, at: timeToText(at), ...(by.person === undefined ? {} : { person: by.person }) },
  };
  await tables.watch.putEpisodes([episodeRow(acknowledged)]);
  await logDecisions(tables, [{ ...about, detail: `by ${by.name}` }], toMillis(at));
  return { episode: acknowledged, isNew: true };
}

/** Without a notification there are no reminders to end. */
async function acknowledgeAt(
  tables: AlertTables,
  episode: string,
  destination: string,
  newId: () => string,
): Promise<boolean> {
  const state = (await readNotificationStates(tables, [episode], newId)).get(episode)?.get(destination);
  if (state === undefined || state.acknowledged === true) return false;
  const data = JSON.stringify({ ...state, acknowledged: true });
  await tables.watch.putNotificationStates([{ episode, destination, data }]);
  return true;
}
