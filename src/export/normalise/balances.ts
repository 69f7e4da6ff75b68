import { compareTimes, type SplitTime } from "../vega-time.ts";

/** A party has one account of an asset by type and market; more than this are not followed. */
const MAX_ACCOUNTS = 5000;

/** The balance of one account before its first entry and after its last. */
export interface KnownBalance {
  readonly account: string;
  readonly market: string;
  readonly opening: bigint;
  readonly closing: bigint;
}

/** The entries of one moment, in no known order: each leads from a balance to the next. */
class Moment {
  readonly time: SplitTime;
  /** How often a balance is left, less how often it is reached; without the balances where that is 0. */
  readonly #left = new Map<bigint, number>();

  constructor(time: SplitTime) {
    this.time = { ...time };
  }

  add(before: bigint, after: bigint): void {
    this.#count(before, 1);
    this.#count(after, -1);
  }

  /** The balance before all of them and after; undefined where their order matters, or where they do not follow. */
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

interface Account {
  readonly name: string;
  readonly market: string;
  first: Moment;
  last: Moment;
  /** All that came, less all that went. */
  change: bigint;
  isKnown: boolean;
}

/**
 * Follows the balances of the party's own accounts, whatever order the rows come in. A balance is known where the entries
 * of its first and last moment say it in any order, and all entries between add up to the difference.
 */
export class Balances {
  readonly #accounts = new Map<string, Account>();
  /** Accounts beyond the bound. */
  #isFull = false;

  /** One entry: what it brought to the account, and the balance after it; undefined where the node does not say. */
  add(
    { account, market }: { readonly account: string; readonly market: string },
    time: SplitTime,
    change: bigint,
    after: bigint | undefined,
  ): void {
    const key = `${account} ${market}`;
    let entry = this.#accounts.get(key);
    if (entry === undefined) {
      if (this.#accounts.size === MAX_ACCOUNTS) {
        this.#isFull = true;
        return;
      }
      const moment = new Moment(time);
      entry = { name: account, market, first: moment, last: moment, change: 0n, isKnown: true };
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

  /** Those that are known, by account and market, and the number of those that are not. */
  result(): { readonly known: readonly KnownBalance[]; readonly unknown: number } {
    const known: KnownBalance[] = [];
    const accounts = [...this.#accounts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { name, market, first, last, change, isKnown }] of accounts) {
      const opening = first.ends?.before;
      const closing = last.ends?.after;
      if (!isKnown || opening === undefined || closing === undefined || opening + change !== closing) continue;
      // An account of the network is never overdrawn.
      if (opening < 0n) continue;
      known.push({ account: name, market, opening, closing });
    }
    return { known, unknown: this.#accounts.size - known.length + (this.#isFull ? 1 : 0) };
  }
}
