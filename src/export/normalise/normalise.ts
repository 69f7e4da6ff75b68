// A node's bytes become a file in one form (docs/ledger.md). normaliser.ts filters the rows, writes them in this form
// (file-columns.ts, cell.ts, names.ts) and sums them up (ledger-sums.ts, balances.ts). row-sorter.ts sorts them on
// disk. ledger-thread.ts does all this in a thread of its own.

import { createHash } from "node:crypto";

import type { Written } from "../block-writer.ts";
import { type NormalisedAccount, Normaliser, type NormaliserOptions } from "./normaliser.ts";
import { RowSorter, writeAll } from "./row-sorter.ts";

/** A finished file. */
export interface LedgerWritten extends NormalisedAccount, Written {}

export interface LedgerWorkOptions extends NormaliserOptions {
  /** An open file for the result, and one for the sorted runs; both are written from their beginning. */
  readonly fd: number;
  readonly runsFd: number;
  /** Memory for rows. Default 16 MiB. */
  readonly runBytes?: number;
}

/**
 * Makes a file of a node's bytes: rows checked, filtered, in one form, sorted. It blocks its thread, so it runs in one
 * of its own (ledger-thread.ts) unless there are few rows. Throws as Normaliser does, and the system's errors.
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

  /** Writes the file, once all bytes have been pushed. */
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
