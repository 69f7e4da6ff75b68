/** What waits in line: whose it is, and what it waits for. */
interface Waiting {
  readonly person: string;
  readonly network: string;
}

/**
 * A queue that takes turns among people: each waits once in the circle, with all that they asked for, and goes behind the
 * others when one of it begins, and again when that ends. Somebody who asks for five things waits, from the second on, behind everybody who waits
 * by then; nobody waits for ever, however many come.
 */
export class FairQueue<T extends Waiting> {
  /** In the order of their turns. */
  readonly #circle = new Map<string, T[]>();

  /** The last of its person. */
  add(one: T): void {
    const own = this.#circle.get(one.person);
    if (own === undefined) this.#circle.set(one.person, [one]);
    else own.push(one);
  }

  /** The next of all. */
  putBack(one: T): void {
    const own = this.#circle.get(one.person) ?? [];
    const others = [...this.#circle].filter(([person]) => person !== one.person);
    this.#circle.clear();
    this.#circle.set(one.person, [one, ...own]);
    for (const [person, waiting] of others) this.#circle.set(person, waiting);
  }

  /** False where it does not wait. */
  remove(one: T): boolean {
    const own = this.#circle.get(one.person);
    const at = own?.indexOf(one) ?? -1;
    if (own === undefined || at === -1) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#circle.delete(one.person);
    return true;
  }

  /** Takes out the first, in the order of turns, that may begin. */
  take(mayBegin: (one: T) => boolean): T | undefined {
    for (const [person, own] of this.#circle) {
      const first = own.find(mayBegin);
      if (first === undefined) continue;
      this.remove(first);
      this.goBehind(person);
      return first;
    }
    return undefined;
  }

  /** Somebody was served: their next turn comes behind all who wait now. */
  goBehind(person: string): void {
    const own = this.#circle.get(person);
    if (own !== undefined && this.#circle.delete(person)) this.#circle.set(person, own);
  }

  /** All that waits for a network, in the order in which it would begin. */
  order(network: string): readonly T[] {
    const rounds: T[][] = [];
    for (const own of this.#circle.values()) {
      const here = own.filter((one) => one.network === network);
      for (const [round, one] of here.entries()) (rounds[round] ??= []).push(one);
    }
    return rounds.flat();
  }

  /** The networks that something waits for. */
  get networks(): ReadonlySet<string> {
    return new Set([...this.#circle.values()].flatMap((own) => own.map(({ network }) => network)));
  }
}
