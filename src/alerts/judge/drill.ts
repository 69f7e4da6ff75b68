import type { ConditionKind } from "./kinds/kinds.ts";
import { episodeId } from "./rules/episode.ts";

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
