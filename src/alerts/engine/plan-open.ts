import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { plainText } from "../../reply/plain-text.ts";
import type { Milliseconds } from "../../units/time.ts";
import { INHIBITS } from "../judge/kinds/inhibits.ts";
import { joinPlans, type Plan } from "../deliver/outbox/batch.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { readNotificationStates } from "../deliver/outbox/queries.ts";
import type { SubscriptionIndex } from "../route/subscription-index.ts";
import { type Episode, episodeId, isOpen, type Machine } from "../judge/rules/episode.ts";
import { isCalmed } from "../judge/rules/state-machine.ts";
import { happening } from "../words/condition-words.ts";
import { type EpisodePlanInput, planEpisode } from "./plan-episode.ts";
import { isRemindedOut, nextReminder, planUnacknowledged, reviseUnacknowledged } from "./reminders.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";

interface OpenPlanInput {
  readonly index: SubscriptionIndex;
  /** The episodes to plan: open ones, and those just closed. */
  readonly episodes: readonly Episode[];
  /** All that are open now. */
  readonly open: readonly Episode[];
  /** Of an episode, where known. */
  machine(episode: Episode): Machine | undefined;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/**
 * Plans the deliveries of episodes in their current state. `reminders`: when the next one of each becomes due, by episode
 * (Unix milliseconds, Infinity if none will).
 */
export async function planOpen(
  dependencies: AlertDependencies,
  tables: AlertTables,
  input: OpenPlanInput,
): Promise<{ readonly plan: Plan; readonly reminders: ReadonlyMap<string, Milliseconds> }> {
  const { config, simulated, console: listing, operators = listing, picturesOn, newId = randomId } = dependencies;
  const { index, episodes, at } = input;
  if (episodes.length === 0) return { plan: {}, reminders: new Map() };
  const flapped = new Map(episodes.map((episode) => [episode.id, flappingOf(input.machine(episode))] as const));
  const began = [...flapped.values()].flatMap((flapping) => (flapping === undefined ? [] : [flapping.began]));
  const states = await readNotificationStates(tables, [...episodes.map(({ id }) => id), ...began]);
  const told = [...states.keys()];
  const revisions = new Map(
    (await tables.watch.notificationRevisions(told)).map(({ id, notification_revision: is }) => [id, is] as const),
  );
  const statesOf = (episode: string) => states.get(episode) ?? new Map<string, NotificationState>();
  const inhibitors = inhibitingEpisodes(input.open);
  const planned = episodes.map((episode) => {
    const inhibitor = inhibitorOf(episode, inhibitors);
    const flapping = flapped.get(episode.id);
    const of: EpisodePlanInput = {
      episode,
      simulated: simulated.has(episode.network),
      states: statesOf(episode.id),
      subscriptions: index.subscribers(episode.rule, episode),
      silences: index.silences,
      ...(inhibitor === undefined ? {} : { inhibitedBy: `${inhibitor.kind}: “${plainText(happening(inhibitor))}”` }),
      ...(flapping === undefined ? {} : { flapping: { ...flapping, states: statesOf(flapping.began) } }),
      ...(picturesOn === undefined ? {} : { picturesOn }),
      config,
      at,
      revision: revisions.get(episode.id) ?? 0,
    };
    const states = [...of.states.values()];
    const plan = planEpisode(of);
    const notice = planUnacknowledged(of, states, plan, operators, newId);
    return { episode, states, plan: joinPlans([plan, notice]), reminder: nextReminder(of, states) };
  });
  const revised: Plan[] = [];
  for (const { episode, plan, states: before } of planned) {
    const isEdited = isRemindedOut(before, config.remind) && plan.deliveries.some(({ edits }) => edits !== undefined);
    if (isEdited) revised.push(await reviseUnacknowledged(tables, episode, newId));
  }
  return {
    plan: joinPlans([...planned.map(({ plan }) => plan), ...revised]),
    reminders: new Map(planned.map(({ episode, reminder }) => [episode.id, reminder])),
  };
}

/** The episode by which the flapping of a machine was detected, how often it has fired recently, and what is kept back. */
export function flappingOf(
  machine: Machine | undefined,
): { began: string; episodes: number; calmed: boolean } | undefined {
  if (machine?.flapping === undefined || machine.surpasses === true) return undefined;
  const began = episodeId(machine, machine.flapping.before + 1);
  return { began, episodes: machine.firings.length, calmed: isCalmed(machine) };
}

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
