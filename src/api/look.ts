import type { Milliseconds } from "../units/duration.ts";
import type { ApiClient, AssessOptions, NodeClient } from "./api-client.ts";
import type { ClientContext } from "./endpoint.ts";
import { judgeSources } from "./judge-sources.ts";
import { pollNodes } from "./take-round.ts";
import { DEFAULT_THRESHOLDS, type SourceMemory, type Verdict } from "./verdict.ts";

/** Blocks come about once a second, so a network that lives moves in this time. */
const WATCH_MILLIS: Milliseconds = 3000;
const POLL_PAUSE_MILLIS: Milliseconds = 1000;

/**
 * Looks at a network's nodes, remembering in this process what earlier looks saw. Where the age of the network time
 * alone would say that the network stands still, it looks again for up to 3 s: the wall clock may be what is wrong.
 */
export function assessNodes(nodes: readonly NodeClient[], around: ClientContext): ApiClient["assess"] {
  let memory: SourceMemory | undefined;
  return async (options: AssessOptions = {}): Promise<Verdict> => {
    const { thresholds = DEFAULT_THRESHOLDS, fresh = false, earlier, ...rest } = options;
    const { clock } = around;
    memory = earlier ?? memory;
    let verdict = await look(fresh);
    while (isJudgedByClockAlone(verdict)) {
      await clock.sleep(POLL_PAUSE_MILLIS, rest.signal);
      verdict = await look(true);
    }
    return verdict;

    async function look(afresh: boolean): Promise<Verdict> {
      const round = await pollNodes({ nodes }, { ...rest, fresh: afresh, clock });
      const seen = judgeSources(round, memory, thresholds);
      memory = seen.memory;
      return seen;
    }
  };
}

/** True of a standstill that only the age of the network time speaks for, and no watching yet. */
function isJudgedByClockAlone(verdict: Verdict): boolean {
  const { network, basis, memory, atMillis } = verdict;
  return network === "stalled" && basis === "age" && atMillis - memory.watchedSinceMillis < WATCH_MILLIS;
}
