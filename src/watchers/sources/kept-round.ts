import { z } from "zod";

import { PollRound } from "../../api/verdict/memory.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { Json } from "../../looks/look.ts";
import { keptFindings } from "../kept.ts";
import type { Findings } from "../watcher.ts";
import type { SourcesSnapshot } from "./sources-state.ts";

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

const KeptRound = z.object({
  order: z.array(z.string()),
  nodes: z.record(z.string(), z.looseObject({})),
  wallClock: z.string(),
  atMillis: z.number(),
});

/** The round of a kept look, as it was given to the verdict. Throws where the look has none. */
export function roundOf(seen: Json | undefined): PollRound {
  const { order, nodes, wallClock, atMillis } = KeptRound.parse(seen);
  const witnesses = order.map((node) => ({ node, ...nodes[node] }));
  return PollRound.parse({ witnesses, wallClock, atMillis });
}
