import type { ApiClient, NodeClient, Operations } from "../../api/api-client.ts";
import type { NodeVerdict, Verdict } from "../../api/verdict/verdict.ts";

/**
 * Selects the node that a network's watchers ask, and avoids two kinds: a lagging node still answers, but with old markets
 * and checkpoints; a diverging node, or one that is not believed, answers with those of another history.
 */
export class NodeSelector {
  #doubted: ReadonlySet<string> = new Set();
  #diverging: ReadonlySet<string> = new Set();

  /** Takes the verdict of a round over all nodes. A blind verdict changes nothing. */
  update({
    network,
    nodes,
  }: Pick<Verdict, "network"> & {
    readonly nodes: readonly Pick<NodeVerdict, "node" | "state" | "disbelief">[];
  }): void {
    if (network === "blind") return;
    const doubted = nodes.filter(({ state, disbelief }) => state === "lagging" || disbelief !== undefined);
    this.#doubted = new Set(doubted.map(({ node }) => node));
  }

  /** Takes the nodes that were last found to contradict the others. */
  avoid(diverging: readonly string[]): void {
    this.#diverging = new Set(diverging);
  }

  /** Whether the node kept up at the last round and contradicts no other; true before the first one. */
  isTrusted(node: string): boolean {
    return !this.#doubted.has(node) && !this.#diverging.has(node);
  }

  /** The first node in order of preference that is available and trusted; where none is, the first of all. */
  select({ nodes }: ApiClient): NodeClient | undefined {
    const available = nodes.filter(({ health }) => !health.circuitOpen);
    return available.find(({ name }) => this.isTrusted(name)) ?? available[0] ?? nodes[0];
  }

  /** All nodes, with fail-over, while the first one is trusted; else one that is. */
  clientFor(api: ApiClient): Operations {
    const [first] = api.nodes;
    if (first === undefined || this.isTrusted(first.name)) return api;
    const selected = this.select(api);
    return selected === undefined || !this.isTrusted(selected.name) ? api : selected;
  }
}
