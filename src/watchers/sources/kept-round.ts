import { PollRound } from "../../api/verdict/memory.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { Json } from "../../looks/look.ts";
import { keptFindings } from "../kept.ts";
import type { Findings } from "../watcher.ts";
import type { SourcesSnapshot } from "./sources-state.ts";

/** The members that `roundOf` does without: what was judged of the round. */
export const JUDGED_OF_ROUND = ["verdict", "votes", "facts", "events"] as const;

/** What is kept of a round: each node's answer by its name, and their order; then what was judged of it. */
export function keptRound({ round }: SourcesSnapshot, { network, nodes }: Verdict, findings: Findings): Json {
  return {
    order: round.witnesses.map(({ node }) => node),
    nodes: Object.fromEntries(round.witnesses.map(({ node, ...answer }) => [node, answer as Json])),
    wallClock: round.wallClock,
    atMillis: round.atMillis,
    verdict: network,
    votes: Object.fromEntries(nodes.map(({ node, vote }) => [node, vote])),
    ...keptFindings(findings),
  };
}

/** The round of a kept look, as it was given to the verdict. Throws where the look has none. */
export function roundOf(seen: Json | undefined): PollRound {
  if (!isKeptRound(seen)) throw new SyntaxError("This is no round.");
  const { order, nodes, wallClock, atMillis } = seen;
  return PollRound.parse({ witnesses: order.map((node) => ({ node, ...nodes[node] })), wallClock, atMillis });
}

/** As far as is needed to put the round together: its parts are checked then. */
interface KeptRound {
  readonly order: readonly string[];
  readonly nodes: Readonly<Record<string, object>>;
  readonly wallClock: unknown;
  readonly atMillis: unknown;
}

function isKeptRound(seen: unknown): seen is KeptRound {
  const { order, nodes }: Partial<KeptRound> = { ...(seen as object | undefined) };
  return Array.isArray(order) && typeof nodes === "object";
}
