import type { ApiClient, LookOptions, NodeClient } from "./api-client.ts";
import type { Surroundings } from "./endpoint.ts";
import { judgeSources } from "./judge-sources.ts";
import { takeRound } from "./take-round.ts";
import { DEFAULT_THRESHOLDS, type SourceMemory, type Verdict } from "./verdict.ts";

/** Looks at a network's nodes, remembering in this process what earlier looks saw. */
export function lookAt(nodes: readonly NodeClient[], around: Surroundings): ApiClient["look"] {
  let memory: SourceMemory | undefined;
  return async (options: LookOptions = {}): Promise<Verdict> => {
    const { thresholds = DEFAULT_THRESHOLDS, fresh = false, ...rest } = options;
    const round = await takeRound({ nodes }, { ...rest, fresh, clock: around.clock });
    const verdict = judgeSources(round, memory, thresholds);
    memory = verdict.memory;
    return verdict;
  };
}
