import type { LedgerFlows } from "../ledger-account.ts";
import type { SplitTime } from "../vega-time.ts";
import { Balances } from "./balances.ts";

/** Transfer types told apart; what a node sends beyond is summed as `other`. */
const MAX_TYPES = 200;
const OTHER = "other";

/** One side of an entry, as the file names it. */
export interface OwnAccount {
  readonly account: string;
  readonly market: string;
}

/** Which sides of an entry are the party's own. */
export interface EntrySides {
  readonly from: boolean;
  readonly to: boolean;
}

interface Sum {
  rows: number;
  in: bigint;
  out: bigint;
}

/** Sums of the kept rows, exact, in any order. */
export class LedgerSums {
  readonly #types = new Map<string, Sum>();
  readonly #outgoingOnly: boolean;
  readonly #balances = new Balances();
  #quantity = 0n;

  constructor(outgoingOnly: boolean) {
    this.#outgoingOnly = outgoingOnly;
  }

  /** Of all rows, whichever way. */
  get quantity(): bigint {
    return this.#quantity;
  }

  /** What the party gained. */
  get effect(): bigint {
    return [...this.#types.values()].reduce((sum, type) => sum + type.in - type.out, 0n);
  }

  add(type: string, quantity: bigint, own: EntrySides): void {
    this.#quantity += quantity;
    let sum = this.#types.get(type);
    if (sum === undefined) {
      const name = this.#types.size < MAX_TYPES ? type : OTHER;
      sum = this.#types.get(name) ?? { rows: 0, in: 0n, out: 0n };
      this.#types.set(name, sum);
    }
    sum.rows += 1;
    if (own.from === own.to) return;
    if (own.to) sum.in += quantity;
    else sum.out += quantity;
  }

  /** What an entry did to one of the party's accounts; `balance` is what it had then. */
  addBalance(account: OwnAccount, time: SplitTime, change: bigint, balance: bigint | undefined): void {
    if (!this.#outgoingOnly) this.#balances.add(account, time, change, balance);
  }

  flows(): LedgerFlows {
    const total: Sum = { rows: 0, in: 0n, out: 0n };
    for (const sum of this.#types.values()) {
      total.rows += sum.rows;
      total.in += sum.in;
      total.out += sum.out;
    }
    const { known, unknown } = this.#balances.result();
    return {
      types: [...this.#types]
        .toSorted(([, a], [, b]) => b.rows - a.rows)
        .map(([type, sum]) => ({ type, ...this.#flow(sum) })),
      total: this.#flow(total),
      balances: known.map(({ opening, closing, ...account }) => ({
        ...account,
        opening: String(opening),
        closing: String(closing),
      })),
      balancesUnknown: unknown,
    };
  }

  #flow(sum: Sum): LedgerFlows["total"] {
    const both = this.#outgoingOnly ? {} : { in: String(sum.in), net: String(sum.in - sum.out) };
    return { rows: sum.rows, out: String(sum.out), ...both };
  }
}
