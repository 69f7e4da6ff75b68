import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { type Nanoseconds, toMillis } from "../../units/time.ts";
import { timeToText } from "../judge/kinds/kind.ts";
import { logDecisions } from "../deliver/outbox/alert-log.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { readNotificationStates } from "../deliver/outbox/queries.ts";
import { type Acknowledgement, type Episode, episodeRow, parseEpisode, seenFrom } from "../judge/rules/episode.ts";
import { type Destination, destinationKey, tokenKey } from "../destination.ts";

/** Who acknowledges, by name; with their platform's id, where they have one. */
export interface Acknowledger {
  readonly name: string;
  readonly person?: Acknowledgement["person"];
  /** Where many workspaces are served: the place, for whose workspace alone it holds. */
  readonly within?: Destination;
}

interface AcknowledgeRequest {
  readonly episode: string;
  readonly by: Acknowledger;
  /** Wall clock. */
  readonly at: Nanoseconds;
  /** The key of the one destination that it holds for; absent = all. */
  readonly only?: string;
}

/**
 * Ends the reminders of an episode; undefined if there is no such episode. One that is acknowledged everywhere already
 * stays as it is.
 */
export async function acknowledge(tables: AlertTables, { episode: id, by, at, only }: AcknowledgeRequest) {
  const row = await tables.watch.episode(id);
  if (row === undefined) return undefined;
  const stored = parseEpisode(row);
  const episode = by.within === undefined ? stored : seenFrom(stored, by.within);
  const states = (await readNotificationStates(tables, [id])).get(id) ?? new Map<string, NotificationState>();
  const { within } = by;
  const concerns = ({ destination }: NotificationState): boolean =>
    within === undefined || tokenKey(destination) === tokenKey(within);
  const announced = [...states].filter(([, state]) => isAnnounced(state) && concerns(state));
  const places = {
    // Where it was told in another style than `live`: a new message announces it. A live message shows it by its edit alone.
    announceAt: announced.map(([, { destination }]) => destination),
    // By destination: the delivery that begins its thread.
    threads: new Map(
      announced.flatMap(([key, { style, trigger }]) =>
        style === "thread" && trigger !== undefined ? [[key, trigger] as const] : [],
      ),
    ),
  };
  const unchanged = { episode, isNew: false, ...places };
  if (episode.acknowledged !== undefined) return unchanged;
  const acknowledged: Acknowledgement = {
    by: by.name,
    at: timeToText(at),
    ...(by.person === undefined ? {} : { person: by.person }),
  };
  const about = { what: "acknowledged", network: episode.network, episode: id };
  if (only !== undefined) {
    const state = states.get(only);
    // Without a notification there are no reminders to end.
    if (state === undefined || state.acknowledged !== undefined) return unchanged;
    const data = JSON.stringify({ ...state, acknowledged });
    await tables.watch.putNotificationStates([{ episode: id, destination: only, data }]);
    const decision = { ...about, destination: only, detail: `by ${by.name}, for that place alone` };
    await logDecisions(tables, [decision], toMillis(at));
    return { ...unchanged, isNew: true };
  }
  const after: Episode =
    within === undefined
      ? { ...stored, acknowledged }
      : { ...stored, acknowledgedIn: { ...stored.acknowledgedIn, [tokenKey(within)]: acknowledged } };
  await tables.watch.putEpisodes([episodeRow(after)]);
  const where = within === undefined ? {} : { destination: destinationKey(within) };
  await logDecisions(tables, [{ ...about, ...where, detail: `by ${by.name}` }], toMillis(at));
  return { episode: { ...episode, acknowledged }, isNew: true, ...places };
}

function isAnnounced({ state, style }: NotificationState): boolean {
  return state === "told" && style !== "live";
}
