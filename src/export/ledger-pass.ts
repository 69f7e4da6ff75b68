import type { RowTally } from "./row-tally.ts";

/**
 * One step between the bytes that a node sends and the bytes of the file. Steps are pure of input and output, so that
 * they can be put one behind the other.
 */
export interface LedgerTransform {
  /**
   * Takes the next bytes, gives those that are ready: views of what came in, or memory of its own. Nothing of what came
   * in is kept, so all of it is good only as long as that stays as it is, and only until the next call.
   */
  push(chunk: Buffer): readonly Buffer[];
  /** The rest, once the last bytes are in. */
  end(): readonly Buffer[];
  /** The rows that were let through, header aside. */
  readonly tally: RowTally;
  /** Rows held back. */
  readonly dropped: number;
  /** Of the file, in its order; undefined until the header is read. */
  readonly columns: readonly string[] | undefined;
}
