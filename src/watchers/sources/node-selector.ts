import type { ApiClient, NodeClient, Operations } from "../../api/api-client.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";

/**
 * Which node the watchers of a network believe: a node that stands still goes on answering, and what it says of
 * markets and checkpoints would be taken for the present.
 */
export class NodeSelector {
  #lagging: ReadonlySet<string> = new Set();

  /** What the last round over all nodes came to. A blind round changes nothing. */
  update({ network, nodes }: Pick<Verdict, "network" | "nodes">): void {
    if (network === "blind") return;
    this.#lagging = new Set(nodes.filter(({ state }) => state === "lagging").map(({ node: select }) => select));
  }

  /** Whether it kept up at the last round; true before the first one. */
  isUpToDate(node: string): boolean {
    return !this.#lagging.has(node);
  }

  /** The first node in order of preference that is well and keeps up; where none is, the first of all. */
  node({ nodes }: ApiClient): NodeClient | undefined {
    const well = nodes.filter(({ health }) => !health.circuitOpen);
    return well.find(({ name }) => !this.#lagging.has(name)) ?? well[0] ?? nodes[0];
  }

  /** Whom to ask: all in turn while the first one keeps up, else the one that does. */
  clientFor(api: ApiClient): Operations {
    const [first] = api.nodes;
    if (first === undefined || !this.#lagging.has(first.name)) return api;
    const best = this.node(api);
    return best === undefined || this.#lagging.has(best.name) ? api : best;
  }
}
