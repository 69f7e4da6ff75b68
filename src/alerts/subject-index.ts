import type { Subscription } from "./subscription.ts";

/**
 * Finds what subscriptions ask for by network and subject, without looking at all the others: a look at 20,000 markets
 * asks 60,000 times. What it gives is in the order in which it was added, each once.
 */
export class SubjectIndex<T extends object> {
  readonly #networks = new Map<string, Network<T>>();
  readonly #places = new Map<T, number>();

  /** Under the subjects that a subscription names; under every one where it names none. */
  add({ network, subjects }: Pick<Subscription, "network" | "subjects">, what: T): void {
    if (!this.#places.has(what)) this.#places.set(what, this.#places.size);
    const known = this.#networks.get(network) ?? { all: new Set(), everywhere: new Set(), named: new Map() };
    this.#networks.set(network, known);
    known.all.add(what);
    if (subjects.length === 0) known.everywhere.add(what);
    for (const subject of subjects) {
      const named = known.named.get(subject) ?? new Set();
      known.named.set(subject, named.add(what));
    }
  }

  /** What covers a subject of a network; of no subject, all of the network. */
  of({ network, subject }: { readonly network: string; readonly subject: string }): readonly T[] {
    const known = this.#networks.get(network);
    if (known === undefined) return [];
    if (subject === "") return [...known.all];
    const named = known.named.get(subject);
    if (named === undefined) return [...known.everywhere];
    if (known.everywhere.size === 0) return [...named];
    const both = new Set([...known.everywhere, ...named]);
    return [...both].toSorted((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0));
  }
}

interface Network<T> {
  readonly all: Set<T>;
  readonly everywhere: Set<T>;
  readonly named: Map<string, Set<T>>;
}
