import type { ConditionKind } from "./judge/kinds/kinds.ts";
import type { Platforms } from "./platform.ts";
import type { Subscription } from "./route/subscription.ts";
import { episodeId } from "./judge/rules/episode.ts";
import type { Destination } from "./sender.ts";

/** Drills have a network of their own, which no data node serves: they touch no real one. */
export const DRILL_NETWORK = "drill";

/** The condition of a drill: one node of that network, made up for it, goes down and comes up again. */
export const DRILL_KIND: ConditionKind = "node.down";

/** Part of every message of a drill. */
export const DRILL_NOTICE = "This is a drill: there is no such node, and nothing is wrong.";

/** Whether it belongs to a drill. */
export function isDrill({ network }: { readonly network: string }): boolean {
  return network === DRILL_NETWORK;
}

/** The one episode of a drill. */
export function drillEpisode(drill: string): string {
  return episodeId({ rule: DRILL_KIND, network: DRILL_NETWORK, subject: drill }, 1);
}

/** The subscriptions of a drill until it is over, one for each destination. `at` is in Unix milliseconds. */
export function drillSubscriptions(
  drill: string,
  destinations: readonly Destination[],
  by: Subscription["by"],
  at: number,
  platforms: Platforms,
): Subscription[] {
  return destinations.map((destination, index) => ({
    id: `${drill}-${index + 1}`,
    destination: { ...destination },
    network: DRILL_NETWORK,
    kinds: [DRILL_KIND],
    subjects: [drill],
    parameters: {},
    floor: "info",
    style: platforms.isOperators(destination.platform) ? "plain" : "live",
    events: "usual",
    state: "active",
    created: at,
    by,
  }));
}
