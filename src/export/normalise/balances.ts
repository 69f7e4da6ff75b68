import { compareTimes, type SplitTime } from "../vega-time.ts";

/** A party has one account of an asset by type and market. The balances of further accounts are not followed. */
const MAX_ACCOUNTS = 5000;

/** One of the party's accounts, as the file names it. */
export interface OwnAccount {
  readonly account: string;
  readonly market: string;
}

/** The balance of an account before its first entry and after its last. */
interface KnownBalance extends OwnAccount {
  readonly opening: bigint;
  readonly closing: bigint;
}

/** The entries of one moment, whose order is not known: each leads from one balance to another. */
class Moment {
  readonly time: SplitTime;
  /** By balance: how many entries begin with it, less how many end with it; without those of which that is 0. */
  readonly #left = new Map<bigint, number>();

  constructor(time: SplitTime) {
    this.time = { ...time };
  }

  add(before: bigint, after: bigint): void {
    this.#count(before, 1);
    this.#count(after, -1);
  }

  /**
   * The balance before all entries and after them; undefined where it depends on their order, or they do not connect.
   */
  get ends(): { readonly before: bigint; readonly after: bigint } | undefined {
    if (this.#left.size !== 2) return undefined;
    const [before] = [...this.#left].find(([, count]) => count === 1) ?? [];
    const [after] = [...this.#left].find(([, count]) => count === -1) ?? [];
    return before === undefined || after === undefined ? undefined : { before, after };
  }

  #count(balance: bigint, by: number): void {
    const count = (this.#left.get(balance) ?? 0) + by;
    if (count === 0) this.#left.delete(balance);
    else this.#left.set(balance, count);
  }
}

interface Account extends OwnAccount {
  first: Moment;
  last: Moment;
  /** The sum of all entries. */
  change: bigint;
  isKnown: boolean;
}

/**
 * Follows the balances of the party's own accounts, in whatever order the rows come. A balance is known where it
 * follows from the entries of the first and of the last moment in any order, and all entries add up to the difference.
 */
export class Balances {
  readonly #accounts = new Map<string, Account>();
  /** Whether there were more accounts than MAX_ACCOUNTS. */
  #isFull = false;

  /** Adds an entry: the change of the account, and the balance after it; undefined where the node does not tell. */
  add({ account, market }: OwnAccount, time: SplitTime, change: bigint, after: bigint | undefined): void {
    const key = `${account} ${market}`;
    let entry = this.#accounts.get(key);
    if (entry === undefined) {
      if (this.#accounts.size === MAX_ACCOUNTS) {
        this.#isFull = true;
        return;
      }
      const moment = new Moment(time);
      entry = { account, market, first: moment, last: moment, change: 0n, isKnown: true };
      this.#accounts.set(key, entry);
    }
    entry.change += change;
    if (after === undefined) {
      entry.isKnown = false;
      return;
    }
    const before = after - change;
    const fromFirst = compareTimes(time, entry.first.time);
    if (fromFirst < 0) entry.first = new Moment(time);
    if (fromFirst <= 0) entry.first.add(before, after);
    if (entry.last === entry.first && fromFirst === 0) return;
    const fromLast = compareTimes(time, entry.last.time);
    if (fromLast > 0) entry.last = new Moment(time);
    if (fromLast >= 0) entry.last.add(before, after);
  }

  /** The known balances, by account and market, and the number of accounts whose balance is not known. */
  result(): { readonly known: readonly KnownBalance[]; readonly unknown: number } {
    const known: KnownBalance[] = [];
    const accounts = [...this.#accounts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { account, market, first, last, change, isKnown }] of accounts) {
      const opening = first.ends?.before;
      const closing = last.ends?.after;
      if (!isKnown || opening === undefined || closing === undefined || opening + change !== closing) continue;
      // An account of the network is never overdrawn.
      if (opening < 0n) continue;
      known.push({ account, market, opening, closing });
    }
    return { known, unknown: this.#accounts.size - known.length + (this.#isFull ? 1 : 0) };
  }
}
