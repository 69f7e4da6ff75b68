import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { ConditionKind } from "../kinds/kinds.ts";
import type { OutboxBatch } from "../outbox/batch.ts";
import { NotificationState } from "../outbox/notification-state.ts";
import { fanOutAll } from "../outbox/outbox.ts";
import type { SubscriptionIndex } from "../routing/subscription-index.ts";
import { type Episode, episodeId, isOpen, type Machine } from "../rules/episode.ts";
import { type EpisodePlanInput, planEpisode } from "./plan-episode.ts";
import { nextReminder } from "./reminders.ts";

interface OpenPlanInput {
  readonly tables: AlertTables;
  readonly index: SubscriptionIndex;
  readonly config: AlertsConfig;
  /** Those to look at: open ones, and ones that have just been closed. */
  readonly episodes: readonly Episode[];
  /** All that are open now. */
  readonly open: readonly Episode[];
  /** Of an episode, where known. */
  machine(episode: Episode): Machine | undefined;
  readonly simulated: ReadonlySet<string>;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/**
 * Writes into the book what episodes owe, each as it stands. Gives when the next reminder of each becomes due (Unix
 * milliseconds, Infinity where none will).
 */
export async function planOpen(given: OpenPlanInput, book: OutboxBatch): Promise<ReadonlyMap<string, Milliseconds>> {
  const { tables, index, episodes } = given;
  const reminders = new Map<string, Milliseconds>();
  if (episodes.length === 0) return reminders;
  await fanOutAll(tables, () => given.newId());
  const flapped = new Map(episodes.map((episode) => [episode.id, flappingOf(given.machine(episode))] as const));
  const began = [...flapped.values()].flatMap((flapping) => (flapping === undefined ? [] : [flapping.began]));
  const rows = await tables.watch.notificationStates([...new Set([...episodes.map(({ id }) => id), ...began])]);
  const tellings = Map.groupBy(rows, (row) => row.episode);
  const parsed = (episode: string): Map<string, NotificationState> =>
    new Map(
      (tellings.get(episode) ?? []).map(
        (row) => [row.destination, NotificationState.parse(JSON.parse(row.data))] as const,
      ),
    );
  const inhibitors = inhibitingEpisodes(given.open);
  for (const episode of episodes) {
    const inhibitor = inhibitorOf(episode, inhibitors);
    const flapping = flapped.get(episode.id);
    const looked: EpisodePlanInput = {
      episode,
      simulated: given.simulated.has(episode.network),
      states: parsed(episode.id),
      subscriptions: index.subscribers(episode.rule, episode),
      silences: index.silences,
      ...(inhibitor === undefined ? {} : { inhibitedBy: inhibitor.id }),
      ...(flapping === undefined ? {} : { flapping: { ...flapping, tellings: parsed(flapping.began) } }),
      config: given.config,
      at: given.at,
      newId: () => given.newId(),
    };
    planEpisode(looked, book);
    reminders.set(episode.id, nextReminder(looked, looked.states.values()));
  }
  return reminders;
}

/** By which episode it was found out that a machine flaps, and how often it has fired of late. */
export function flappingOf(machine: Machine | undefined): { began: string; episodes: number } | undefined {
  if (machine?.flapping === undefined) return undefined;
  return { began: episodeId(machine, machine.flapping.before + 1), episodes: machine.firings.length };
}

/** What each condition explains: while it is open, these are not told. */
const INHIBITS: Partial<
  Record<ConditionKind, { readonly kinds: readonly ConditionKind[]; readonly sameSubject?: true }>
> = {
  "network.stalled": { kinds: ["checkpoint.overdue", "market.auction", "market.price", "market.bound"] },
  "node.down": { kinds: ["node.lagging"], sameSubject: true },
};

/** Those of the open episodes that may explain another one: the only ones that `inhibitorOf` has to be given. */
export function inhibitingEpisodes(open: readonly Episode[]): readonly Episode[] {
  return open.filter((one) => INHIBITS[one.kind] !== undefined && isOpen(one));
}

/** The open episode that explains another one, where there is one. */
export function inhibitorOf(episode: Episode, open: readonly Episode[]): Episode | undefined {
  return open.find((other) => {
    const explains = INHIBITS[other.kind];
    return (
      explains !== undefined &&
      isOpen(other) &&
      other.network === episode.network &&
      explains.kinds.includes(episode.kind) &&
      (explains.sameSubject !== true || other.subject === episode.subject)
    );
  });
}
