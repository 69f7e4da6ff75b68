import type { LedgerFlows } from "../ledger-account.ts";
import type { SplitTime } from "../vega-time.ts";
import { Balances } from "./balances.ts";
import { DecimalSum } from "./decimal-sum.ts";

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

/** One transfer type's. */
class TypeSum {
  rows = 0;
  readonly in = new DecimalSum();
  readonly out = new DecimalSum();
  /** Between two of the party's own accounts. */
  readonly internal = new DecimalSum();
}

interface Flow {
  readonly rows: number;
  readonly in: bigint;
  readonly out: bigint;
}

/** Sums of the kept rows, exact, in any order. */
export class LedgerSums {
  readonly #types = new Map<string, TypeSum>();
  readonly #outgoingOnly: boolean;
  readonly #balances = new Balances();

  constructor(outgoingOnly: boolean) {
    this.#outgoingOnly = outgoingOnly;
  }

  /** Of all rows, whichever way. */
  get quantity(): bigint {
    return this.#sum(({ in: came, out, internal }) => came.value + out.value + internal.value);
  }

  /** What the party gained. */
  get effect(): bigint {
    return this.#sum(({ in: came, out }) => came.value - out.value);
  }

  /** One row, with the bytes of its quantity. */
  add(type: string, own: EntrySides, bytes: Buffer, start: number, end: number): void {
    let sum = this.#types.get(type);
    if (sum === undefined) {
      const name = this.#types.size < MAX_TYPES ? type : OTHER;
      sum = this.#types.get(name) ?? new TypeSum();
      this.#types.set(name, sum);
    }
    sum.rows += 1;
    const way = own.from === own.to ? sum.internal : own.to ? sum.in : sum.out;
    way.add(bytes, start, end);
  }

  /** What an entry did to one of the party's accounts; `balance` is what it had then. */
  addBalance(account: OwnAccount, time: SplitTime, change: bigint, balance: bigint | undefined): void {
    if (!this.#outgoingOnly) this.#balances.add(account, time, change, balance);
  }

  flows(): LedgerFlows {
    const types = [...this.#types].map(([type, sum]) => ({
      type,
      rows: sum.rows,
      in: sum.in.value,
      out: sum.out.value,
    }));
    const total = {
      rows: types.reduce((all, { rows }) => all + rows, 0),
      in: this.#sum((sum) => sum.in.value),
      out: this.#sum((sum) => sum.out.value),
    };
    const { known, unknown } = this.#balances.result();
    return {
      types: types.toSorted((a, b) => b.rows - a.rows).map(({ type, ...sum }) => ({ type, ...this.#flow(sum) })),
      total: this.#flow(total),
      balances: known.map(({ opening, closing, ...account }) => ({
        ...account,
        opening: String(opening),
        closing: String(closing),
      })),
      balancesUnknown: unknown,
    };
  }

  #sum(of: (sum: TypeSum) => bigint): bigint {
    return [...this.#types.values()].reduce((all, sum) => all + of(sum), 0n);
  }

  #flow(sum: Flow): LedgerFlows["total"] {
    const both = this.#outgoingOnly ? {} : { in: String(sum.in), net: String(sum.in - sum.out) };
    return { rows: sum.rows, out: String(sum.out), ...both };
  }
}
