import type { ApiClient } from "../api/api-client.ts";
import type { Milliseconds } from "../units/duration.ts";

/** A client believes for 30 s what a node last showed of how far it has got; before that the nodes are looked at again. */
const HOLDS_FOR: Milliseconds = 20_000;
/** No question waits longer for a node that is slow to show it. */
const WAIT: Milliseconds = 1000;

/**
 * For a process in which nobody watches: looks at the nodes of every network that has several, so that its client knows
 * which of them lags or began its history anew before it is asked. Never rejects.
 */
export function sightNodes(clients: readonly Pick<ApiClient, "nodes">[]): () => Promise<void> {
  const nodes = clients.flatMap((client) => (client.nodes.length > 1 ? client.nodes : []));
  let lookedAt = Number.NEGATIVE_INFINITY;
  let look: Promise<unknown> = Promise.resolve();
  return async () => {
    if (performance.now() - lookedAt > HOLDS_FOR) {
      lookedAt = performance.now();
      const signal = AbortSignal.timeout(WAIT);
      // Every answer tells the block it speaks for; the version is the one that nobody asks for at the same moment.
      look = Promise.allSettled(nodes.map((node) => node.getNodeInfo({ signal })));
    }
    await look;
  };
}
