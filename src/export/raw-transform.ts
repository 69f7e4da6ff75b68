import { CsvSplitter, fieldStart } from "./csv-splitter.ts";
import { LedgerColumns, RowTally } from "./ledger-transform.ts";

/**
 * Lets every byte through, once its row is seen to be a ledger's, and counts on the way. `push` and `end` throw
 * MalformedCsv.
 */
export class RawTransform {
  readonly tally = new RowTally();
  #columns: LedgerColumns | undefined;

  readonly #splitter = new CsvSplitter((record) => {
    if (record.end === record.start) return;
    const columns = this.#columns;
    if (columns === undefined) {
      this.#columns = new LedgerColumns(record);
      return;
    }
    columns.check(record, this.tally.rows + 1);
    const { time } = columns;
    if (time === -1) this.tally.add(undefined);
    else this.tally.addWithTimeAt(record.bytes, fieldStart(record, time), record.fieldEnds[time] as number);
  });

  /** Undefined until the header is read. */
  get columns(): readonly string[] | undefined {
    return this.#columns?.names;
  }

  /** The bytes that are ready: views of `chunk`. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#splitter.push(chunk);
    return [chunk];
  }

  /** Checks the last row, once all bytes are in. */
  end(): void {
    this.#splitter.end();
  }
}
