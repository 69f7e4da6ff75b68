// A node's bytes become a file in one form (docs/ledger.md). normaliser.ts takes the rows: which are kept, what each
// becomes (file-columns.ts, cell.ts, names.ts), and what they sum up to (ledger-sums.ts, balances.ts). row-sorter.ts sorts
// them on disk. ledger-thread.ts does all this in a thread of its own.

import { createHash } from "node:crypto";

import { type NormalisedAccount, Normaliser, type NormaliserOptions } from "./normaliser.ts";
import { RowSorter, writeAll } from "./row-sorter.ts";

/** What a finished file is, besides its bytes. */
export interface LedgerWritten extends NormalisedAccount {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface LedgerWorkOptions extends NormaliserOptions {
  /** An open file for the result, and one for what is sorted on the way; both are written from their beginning. */
  readonly fd: number;
  readonly runsFd: number;
  /** Memory for rows. Default 16 MiB. */
  readonly runBytes?: number;
}

/**
 * Makes a file of a node's bytes: rows checked, filtered, in one form, sorted. It does not wait for anything, so it runs
 * in a thread of its own (ledger-thread.ts) unless there is little to do. Throws as Normaliser does, and the system's
 * errors.
 */
export class LedgerWork {
  readonly #options: LedgerWorkOptions;
  readonly #sorter: RowSorter;
  readonly #normaliser: Normaliser;

  constructor(options: LedgerWorkOptions) {
    this.#options = options;
    this.#sorter = new RowSorter(options.runsFd, options.runBytes);
    this.#normaliser = new Normaliser(options, this.#sorter);
  }

  /** Rows kept so far. */
  get rows(): number {
    return this.#normaliser.tally.rows;
  }

  push(bytes: Buffer): void {
    this.#normaliser.push(bytes);
  }

  /** All bytes have been pushed: writes the file. */
  finish(): LedgerWritten {
    this.#normaliser.end();
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const write = (piece: Buffer): void => {
      hash.update(piece);
      sizeBytes = writeAll(this.#options.fd, piece, sizeBytes);
    };
    write(this.#normaliser.header());
    for (const piece of this.#sorter.finish()) write(piece);
    return { ...this.#normaliser.account(), sizeBytes, sha256: hash.digest("hex") };
  }
}
