import { CsvSplitter, fieldStart } from "./csv-splitter.ts";
import { type LedgerTransform, readHeader, RowTally } from "./ledger-transform.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

/**
 * Lets every byte through and counts on the way. Where no quote is near and the time is the first column, as in all
 * known ledgers, whole lines are found by their ends alone; everything else goes through the splitter.
 */
export class RawTransform implements LedgerTransform {
  readonly tally = new RowTally();
  readonly dropped = 0;
  columns: readonly string[] | undefined;
  #timeColumn = -1;
  /** Of the last row's time, in bytes. */
  #timeLength = 0;

  readonly #splitter = new CsvSplitter((record) => {
    if (record.end === record.start) return;
    if (this.columns === undefined) {
      this.columns = readHeader(record);
      this.#timeColumn = this.columns.indexOf("vega_time");
      return;
    }
    const column = this.#timeColumn;
    if (column === -1 || column >= record.fieldCount) this.tally.add(undefined);
    else this.tally.addWithTimeAt(record.bytes, fieldStart(record, column), record.fieldEnds[column] as number);
  });

  push(chunk: Buffer): readonly Buffer[] {
    let rest = chunk;
    if (!this.#splitter.atBoundary && !this.#splitter.inQuotes) {
      // The row that the last chunk left open is finished by the splitter.
      const lineEnd = chunk.indexOf(LINE_FEED);
      if (lineEnd !== -1 && !chunk.subarray(0, lineEnd).includes(QUOTE)) {
        this.#splitter.push(chunk.subarray(0, lineEnd + 1));
        rest = chunk.subarray(lineEnd + 1);
      }
    }
    if (this.#timeColumn === 0 && this.#splitter.atBoundary && !rest.includes(QUOTE)) this.#countLines(rest);
    else this.#splitter.push(rest);
    return [chunk];
  }

  end(): readonly Buffer[] {
    this.#splitter.end();
    return [];
  }

  #countLines(bytes: Buffer): void {
    let start = 0;
    for (let lineEnd = bytes.indexOf(LINE_FEED); lineEnd !== -1; lineEnd = bytes.indexOf(LINE_FEED, start)) {
      const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
      if (end > start) this.#countLine(bytes, start, end);
      start = lineEnd + 1;
    }
    this.#splitter.push(bytes.subarray(start));
  }

  #countLine(bytes: Buffer, start: number, end: number): void {
    // Most times are as long as the one before; with a comma inside they would be no time.
    const likely = start + this.#timeLength;
    if (likely < end && bytes[likely] === COMMA && this.tally.addIfTimeAt(bytes, start, likely)) return;
    let comma = start;
    while (comma < end && bytes[comma] !== COMMA) comma += 1;
    this.#timeLength = comma - start;
    this.tally.addWithTimeAt(bytes, start, comma);
  }
}
