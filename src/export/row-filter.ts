import type { LedgerQuery } from "../api/api-client.ts";
import { type CsvRecord, CsvSplitter, fieldStart, MalformedCsv } from "./csv-splitter.ts";
import { idMatcher, type IdMatcher } from "./id-matcher.ts";
import { chooseColumns, LedgerColumns, type LedgerTransform, RowTally } from "./ledger-transform.ts";
import { compareTimes, readVegaTime, splitTime, type SplitTime } from "./vega-time.ts";

const COMMA = 0x2c;
/** A run of kept rows shorter than this is copied: many small writes cost more. */
const MIN_VIEW_BYTES = 4096;

/**
 * Lets through the rows of the query, whatever else the node sends, and of these the chosen columns.
 * Columns are found by the names in the header; fields and line ends stay as they were written.
 * `push` and `end` throw MalformedCsv, and UserError for a chosen column that is not there.
 */
export class RowFilter implements LedgerTransform {
  readonly tally = new RowTally();
  dropped = 0;
  columns: readonly string[] | undefined;

  readonly #splitter = new CsvSplitter((record) => this.#take(record));
  readonly #asset: IdMatcher;
  readonly #party: IdMatcher;
  readonly #from: SplitTime | undefined;
  readonly #to: SplitTime | undefined;
  readonly #wanted: readonly string[] | undefined;
  readonly #time: SplitTime = { seconds: 0, nanos: 0 };

  #ledger: LedgerColumns | undefined;
  #chosen: readonly number[] | undefined;

  #ready: Buffer[] = [];
  /** Adjacent rows that are passed on as one view. */
  #runBytes: Buffer = Buffer.alloc(0);
  #runStart = 0;
  #runEnd = 0;
  /** Rows copied together: of chosen columns, or runs too short for a view of their own. */
  #made: Buffer = Buffer.alloc(0);
  #madeLength = 0;

  constructor(query: LedgerQuery, columns: readonly string[] | undefined) {
    this.#asset = idMatcher(query.assetId);
    this.#party = idMatcher(query.partyId);
    this.#from = query.from === undefined ? undefined : splitTime(query.from);
    this.#to = query.to === undefined ? undefined : splitTime(query.to);
    this.#wanted = columns === undefined || columns.length === 0 ? undefined : columns;
  }

  push(chunk: Buffer): readonly Buffer[] {
    this.#splitter.push(chunk);
    return this.#flush();
  }

  end(): readonly Buffer[] {
    this.#splitter.end();
    return this.#flush();
  }

  #take(record: CsvRecord): void {
    if (record.end === record.start) return;
    const ledger = this.#ledger;
    if (ledger === undefined) {
      this.#readHeader(record);
      this.#keep(record);
      return;
    }
    ledger.check(record, this.tally.rows + this.dropped + 1);
    const time = this.#timeOf(record, ledger.time);
    if (!this.#wants(record, ledger, time)) {
      this.dropped += 1;
      return;
    }
    this.tally.add(time);
    this.#keep(record);
  }

  #readHeader(record: CsvRecord): void {
    const ledger = new LedgerColumns(record);
    if (this.#from !== undefined || this.#to !== undefined) ledger.placeOf("vega_time");
    this.#chosen = this.#wanted === undefined ? undefined : chooseColumns(ledger.names, this.#wanted);
    this.#ledger = ledger;
    this.columns = this.#chosen === undefined ? ledger.names : this.#chosen.map((place) => ledger.names[place] ?? "");
  }

  /** `place` is the column of the time, -1 where there is none. */
  #timeOf(record: CsvRecord, place: number): SplitTime | undefined {
    if (place === -1) return undefined;
    const end = record.fieldEnds[place] as number;
    if (readVegaTime(record.bytes, fieldStart(record, place), end, this.#time)) return this.#time;
    if (this.#from === undefined && this.#to === undefined) return undefined;
    throw new MalformedCsv(`row ${this.tally.rows + this.dropped + 1} has no time that can be read in vega_time`);
  }

  #wants(record: CsvRecord, { asset, from, to }: LedgerColumns, time: SplitTime | undefined): boolean {
    if (time !== undefined) {
      if (this.#from !== undefined && compareTimes(time, this.#from) < 0) return false;
      if (this.#to !== undefined && compareTimes(time, this.#to) >= 0) return false;
    }
    return (
      this.#is(record, asset, this.#asset) && (this.#is(record, from, this.#party) || this.#is(record, to, this.#party))
    );
  }

  #is(record: CsvRecord, place: number, id: IdMatcher): boolean {
    return id.matches(record.bytes, fieldStart(record, place), record.fieldEnds[place] as number);
  }

  #keep(record: CsvRecord): void {
    if (this.#chosen !== undefined) {
      this.#make(record, this.#chosen);
      return;
    }
    if (this.#runBytes !== record.bytes || this.#runEnd !== record.start) {
      this.#closeRun();
      this.#runBytes = record.bytes;
      this.#runStart = record.start;
    }
    this.#runEnd = record.next;
  }

  #closeRun(): void {
    const length = this.#runEnd - this.#runStart;
    if (length >= MIN_VIEW_BYTES) {
      this.#closeMade();
      this.#ready.push(this.#runBytes.subarray(this.#runStart, this.#runEnd));
    } else if (length > 0) {
      const made = this.#reserve(length, this.#runBytes);
      this.#madeLength += this.#runBytes.copy(made, this.#madeLength, this.#runStart, this.#runEnd);
    }
    this.#runStart = 0;
    this.#runEnd = 0;
  }

  #make(record: CsvRecord, chosen: readonly number[]): void {
    const { bytes } = record;
    // Chosen columns are a subset, each once, so a made row is never longer than the one it comes from.
    const made = this.#reserve(record.next - record.start, bytes);
    let at = this.#madeLength;
    for (let index = 0; index < chosen.length; index += 1) {
      const place = chosen[index] as number;
      if (index > 0) {
        made[at] = COMMA;
        at += 1;
      }
      at += bytes.copy(made, at, fieldStart(record, place), record.fieldEnds[place]);
    }
    at += bytes.copy(made, at, record.end, record.next);
    this.#madeLength = at;
  }

  #reserve(length: number, source: Buffer): Buffer {
    if (this.#madeLength + length > this.#made.length) {
      this.#closeMade();
      this.#made = Buffer.allocUnsafe(Math.max(length, source.length));
    }
    return this.#made;
  }

  #closeMade(): void {
    if (this.#madeLength > 0) this.#ready.push(this.#made.subarray(0, this.#madeLength));
    this.#made = Buffer.alloc(0);
    this.#madeLength = 0;
  }

  #flush(): readonly Buffer[] {
    this.#closeRun();
    this.#closeMade();
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }
}
