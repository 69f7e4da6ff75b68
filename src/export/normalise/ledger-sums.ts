import type { LedgerFlows } from "../ledger-account.ts";
import type { SplitTime } from "../vega-time.ts";
import { Balances, type OwnAccount } from "./balances.ts";
import { DecimalSum } from "./decimal-sum.ts";

/** Transfer types that are summed on their own; all further ones are summed as `other`. */
const MAX_TYPES = 200;
const OTHER = "other";

/** Whether each side of an entry is an account of the party. */
export interface EntrySides {
  readonly from: boolean;
  readonly to: boolean;
}

/** The sums of one transfer type. */
class TypeSum {
  rows = 0;
  readonly in = new DecimalSum();
  readonly out = new DecimalSum();
  /** Between two of the party's own accounts. */
  readonly internal = new DecimalSum();
}

/** Exact sums of the kept rows, which may come in any order. */
export class LedgerSums {
  readonly #types = new Map<string, TypeSum>();
  readonly #outgoingOnly: boolean;
  readonly #balances = new Balances();

  constructor(outgoingOnly: boolean) {
    this.#outgoingOnly = outgoingOnly;
  }

  /** Of all rows, in whichever direction. */
  get quantity(): bigint {
    return this.#sum(({ in: came, out, internal }) => came.value + out.value + internal.value);
  }

  /** What the party gained. */
  get effect(): bigint {
    return this.#sum(({ in: came, out }) => came.value - out.value);
  }

  /** Adds a row, with the bytes of its quantity. */
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

  /** Adds an entry to one of the party's accounts; `balance` is the one after it. */
  addBalance(account: OwnAccount, time: SplitTime, change: bigint, balance: bigint | undefined): void {
    if (!this.#outgoingOnly) this.#balances.add(account, time, change, balance);
  }

  flows(): LedgerFlows {
    const types = [...this.#types].toSorted(([, a], [, b]) => b.rows - a.rows);
    const rows = types.reduce((all, [, sum]) => all + sum.rows, 0);
    const { known, unknown } = this.#balances.result();
    return {
      types: types.map(([type, sum]) => ({ type, ...this.#flow(sum.rows, sum.in.value, sum.out.value) })),
      total: this.#flow(
        rows,
        this.#sum((sum) => sum.in.value),
        this.#sum((sum) => sum.out.value),
      ),
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

  #flow(rows: number, came: bigint, out: bigint): LedgerFlows["total"] {
    const both = this.#outgoingOnly ? {} : { in: String(came), net: String(came - out) };
    return { rows, out: String(out), ...both };
  }
}
