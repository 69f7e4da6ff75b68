import { CsvSplitter, fieldStart } from "./csv-splitter.ts";
import { LedgerColumns, type LedgerTransform, RowTally } from "./ledger-transform.ts";

/**
 * Lets every byte through, once its row is seen to be a ledger's, and counts on the way. `push` and `end` throw
 * MalformedCsv.
 */
export class RawTransform implements LedgerTransform {
  readonly tally = new RowTally();
  readonly dropped = 0;
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

  get columns(): readonly string[] | undefined {
    return this.#columns?.names;
  }

  push(chunk: Buffer): readonly Buffer[] {
    this.#splitter.push(chunk);
    return [chunk];
  }

  end(): readonly Buffer[] {
    this.#splitter.end();
    return [];
  }
}
