import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { isDrill } from "../judge/drill.ts";
import type { ConditionKind } from "../judge/kinds/kinds.ts";
import {
  type DeliveryPhase,
  joinPlans,
  type JoinRule,
  LONGEST_GROUPING,
  type Plan,
  SLOW_TO_FOLLOW,
} from "../deliver/outbox/batch.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { readNotificationStates } from "../deliver/outbox/queries.ts";
import type { SubscriptionIndex } from "../route/subscription-index.ts";
import { type Episode, episodeId, isOpen, type Machine } from "../judge/rules/episode.ts";
import { isCalmed } from "../judge/rules/state-machine.ts";
import { type EpisodePlanInput, planEpisode } from "./plan-episode.ts";
import { nextReminder, planUnacknowledged } from "./reminders.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";
import { destinationKey } from "../destination.ts";

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

/** What is planned of open episodes. */
interface OpenPlan {
  readonly plan: Plan;
  /** When the next reminder of each becomes due, by episode (Unix milliseconds, Infinity if none will). */
  readonly reminders: ReadonlyMap<string, Milliseconds>;
}

/** Plans the deliveries of episodes in their current state. */
export async function planOpen(
  dependencies: AlertDependencies,
  tables: AlertTables,
  input: OpenPlanInput,
): Promise<OpenPlan> {
  const { config, simulated, console: listing, operators = listing, newId = randomId } = dependencies;
  const { index, episodes, at } = input;
  if (episodes.length === 0) return { plan: {}, reminders: new Map() };
  const flapped = new Map(episodes.map((episode) => [episode.id, flappingOf(input.machine(episode))] as const));
  const began = [...flapped.values()].flatMap((flapping) => (flapping === undefined ? [] : [flapping.began]));
  const stories = new Map(
    episodes.flatMap((episode) => {
      // An alert that ends in the same round as the stall still belongs to it.
      const story = storyOf(episode, [...input.open, ...episodes]);
      return story === undefined ? [] : [[episode.id, story] as const];
    }),
  );
  const told = [...episodes, ...stories.values()].map(({ id }) => id);
  const states = await readNotificationStates(tables, [...told, ...began]);
  const statesOf = (episode: string) => states.get(episode) ?? new Map<string, NotificationState>();
  const inhibitors = inhibitingEpisodes(input.open);
  // The console lists each episode by itself.
  const shown = listing === undefined ? undefined : destinationKey(listing);
  const joiningOf = (episode: Episode): Joining => {
    const story = stories.get(episode.id);
    const alike = groupByKind(episode, config);
    const inStory = story === undefined ? undefined : groupIntoStory(episode, story, statesOf(story.id));
    return (of) =>
      JOINING_PHASES.includes(of.phase) && destinationKey(of.destination) !== shown
        ? (inStory?.(of) ?? alike(of))
        : undefined;
  };
  const planned = episodes.map((episode) => {
    const inhibitor = inhibitorOf(episode, inhibitors);
    const flapping = flapped.get(episode.id);
    const of: EpisodePlanInput = {
      episode,
      simulated: simulated.has(episode.network),
      states: statesOf(episode.id),
      subscriptions: index.subscribers(episode.rule, episode),
      silences: index.silences,
      ...(inhibitor === undefined ? {} : { inhibitedBy: inhibitor.id }),
      ...(flapping === undefined ? {} : { flapping: { ...flapping, states: statesOf(flapping.began) } }),
      config,
      ...(isDrill(episode) ? {} : { joins: joiningOf(episode) }),
      at,
      newId,
    };
    const states = [...of.states.values()];
    const plan = planEpisode(of);
    const notice = planUnacknowledged(of, states, plan, operators, newId);
    return { id: episode.id, plan: joinPlans([plan, notice]), reminder: nextReminder(of, states) };
  });
  return {
    plan: joinPlans(planned.map(({ plan }) => plan)),
    reminders: new Map(planned.map(({ id, reminder }) => [id, reminder])),
  };
}

type Joining = NonNullable<EpisodePlanInput["joins"]>;

/** What happens to one node after the other in some minutes has one cause. */
const SLOW_KINDS: readonly ConditionKind[] = ["node.down", "node.lying"];
const JOINING_PHASES: readonly DeliveryPhase[] = ["trigger", "escalation", "resolve", "flapping"];

/** One message tells several subjects of a kind, where all of them notify in the same way. */
function groupByKind({ kind, network, subject, severity }: Episode, config: AlertsConfig): Joining {
  // Thousands of destinations share few rules.
  const rules = new Map<string, JoinRule>();
  return ({ phase, mention = "", cardOf }) => {
    if (subject === "" || (cardOf !== undefined && phase === "resolve")) return undefined;
    const place = `${phase} ${cardOf === undefined} ${mention}`;
    const known = rules.get(place);
    if (known !== undefined) return known;
    const usual = phase === "flapping" ? LONGEST_GROUPING : Math.min(config.group.within, LONGEST_GROUPING);
    const within = SLOW_KINDS.includes(kind) ? SLOW_TO_FOLLOW : usual;
    const key = [phase, kind, network, severity, mention].join(" ").trim();
    // A short post is never edited: only what waits with it joins it.
    const rule = cardOf === undefined ? { key, within } : { key, until: 0 };
    rules.set(place, rule);
    return rule;
  };
}

/** The condition whose message also tells its effects, such as an upgrade during a halt. */
export const ROOT_CAUSE: ConditionKind = "network.stalled";
/** Its effects: nodes are stopped, and come back one after another. */
const EFFECTS: readonly ConditionKind[] = ["node.down"];

/** The episode whose message tells another one, if any. */
function storyOf(episode: Episode, among: readonly Episode[]): Episode | undefined {
  if (episode.kind === ROOT_CAUSE) return episode;
  if (!EFFECTS.includes(episode.kind)) return undefined;
  return among.find(({ kind, network }) => kind === ROOT_CAUSE && network === episode.network);
}

/** Where a story was told, its message tells the beginning and the end of what happens in its course. */
function groupIntoStory(episode: Episode, story: Episode, told: ReadonlyMap<string, NotificationState>): Joining {
  return ({ phase, destination, cardOf }) => {
    if (cardOf !== undefined) return undefined;
    const isOwn = episode.id === story.id;
    const isTold = isOwn ? phase === "trigger" : told.get(destinationKey(destination))?.state === "told";
    return isTold ? { key: storyKey(story.id) } : undefined;
  };
}

/** The key of the deliveries that a story's message says. */
export function storyKey(episode: string): string {
  return `story ${episode}`;
}

/** The episode by which the flapping of a machine was detected, how often it has fired recently, and what is kept back. */
export function flappingOf(
  machine: Machine | undefined,
): { began: string; episodes: number; calmed: boolean } | undefined {
  if (machine?.flapping === undefined) return undefined;
  const began = episodeId(machine, machine.flapping.before + 1);
  return { began, episodes: machine.firings.length, calmed: isCalmed(machine) };
}

const FOLLOWS_FROM_A_HALT = [
  "checkpoint.overdue",
  "market.auction",
  "market.price",
  "market.bound",
  "node.lagging",
] as const satisfies readonly ConditionKind[];

/** What each condition inhibits: while it is open, these are not sent. */
const INHIBITS: Partial<
  Record<ConditionKind, { readonly kinds: readonly ConditionKind[]; readonly sameSubject?: true }>
> = {
  "network.stalled": { kinds: FOLLOWS_FROM_A_HALT },
  "network.disagree": { kinds: FOLLOWS_FROM_A_HALT },
  "node.down": { kinds: ["node.lagging"], sameSubject: true },
  "node.lying": { kinds: ["node.lagging"], sameSubject: true },
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
