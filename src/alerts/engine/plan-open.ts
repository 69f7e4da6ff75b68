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
  /** The episodes to plan: open ones, and those just closed. */
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
 * Plans the deliveries of episodes in their current state. Returns when the next reminder of each becomes due (Unix
 * milliseconds, Infinity if none will).
 */
export async function planOpen(input: OpenPlanInput, batch: OutboxBatch): Promise<ReadonlyMap<string, Milliseconds>> {
  const { tables, index, episodes } = input;
  const reminders = new Map<string, Milliseconds>();
  if (episodes.length === 0) return reminders;
  await fanOutAll(tables, () => input.newId());
  const flapped = new Map(episodes.map((episode) => [episode.id, flappingOf(input.machine(episode))] as const));
  const began = [...flapped.values()].flatMap((flapping) => (flapping === undefined ? [] : [flapping.began]));
  const rows = await tables.watch.notificationStates([...new Set([...episodes.map(({ id }) => id), ...began])]);
  const byEpisode = Map.groupBy(rows, (row) => row.episode);
  const statesOf = (episode: string): Map<string, NotificationState> =>
    new Map(
      (byEpisode.get(episode) ?? []).map(
        (row) => [row.destination, NotificationState.parse(JSON.parse(row.data))] as const,
      ),
    );
  const inhibitors = inhibitingEpisodes(input.open);
  for (const episode of episodes) {
    const inhibitor = inhibitorOf(episode, inhibitors);
    const flapping = flapped.get(episode.id);
    const planned: EpisodePlanInput = {
      episode,
      simulated: input.simulated.has(episode.network),
      states: statesOf(episode.id),
      subscriptions: index.subscribers(episode.rule, episode),
      silences: index.silences,
      ...(inhibitor === undefined ? {} : { inhibitedBy: inhibitor.id }),
      ...(flapping === undefined ? {} : { flapping: { ...flapping, states: statesOf(flapping.began) } }),
      config: input.config,
      at: input.at,
      newId: () => input.newId(),
    };
    planEpisode(planned, batch);
    reminders.set(episode.id, nextReminder(planned, planned.states.values()));
  }
  return reminders;
}

/** The episode by which the flapping of a machine was detected, and how often it has fired recently. */
export function flappingOf(machine: Machine | undefined): { began: string; episodes: number } | undefined {
  if (machine?.flapping === undefined) return undefined;
  return { began: episodeId(machine, machine.flapping.before + 1), episodes: machine.firings.length };
}

/** What each condition inhibits: while it is open, these are not sent. */
const INHIBITS: Partial<
  Record<ConditionKind, { readonly kinds: readonly ConditionKind[]; readonly sameSubject?: true }>
> = {
  "network.stalled": { kinds: ["checkpoint.overdue", "market.auction", "market.price", "market.bound"] },
  "node.down": { kinds: ["node.lagging"], sameSubject: true },
};

/** The open episodes that may inhibit another one: the only ones that `inhibitorOf` needs. */
export function inhibitingEpisodes(open: readonly Episode[]): readonly Episode[] {
  return open.filter((one) => INHIBITS[one.kind] !== undefined && isOpen(one));
}

/** The open episode that inhibits another one, if any. */
export function inhibitorOf(episode: Episode, open: readonly Episode[]): Episode | undefined {
  return open.find((other) => {
    const inhibits = INHIBITS[other.kind];
    return (
      inhibits !== undefined &&
      isOpen(other) &&
      other.network === episode.network &&
      inhibits.kinds.includes(episode.kind) &&
      (inhibits.sameSubject !== true || other.subject === episode.subject)
    );
  });
}
