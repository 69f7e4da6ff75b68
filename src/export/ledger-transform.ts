import type { Nanoseconds } from "../units/time.ts";
import { type CsvRecord, fieldStart, fieldText, MalformedCsv } from "./csv-splitter.ts";
import { compareTimes, joinTime, readVegaTime, type SplitTime } from "./vega-time.ts";

/** Counts rows, with the earliest and latest of their times. It allocates nothing per row. */
export class RowTally {
  rows = 0;
  #first: SplitTime | undefined;
  #last: SplitTime | undefined;

  get firstTime(): Nanoseconds | undefined {
    return this.#first === undefined ? undefined : joinTime(this.#first);
  }

  get lastTime(): Nanoseconds | undefined {
    return this.#last === undefined ? undefined : joinTime(this.#last);
  }

  /** Adds one row; its time, where it has one, is copied. */
  add(time: SplitTime | undefined): void {
    this.rows += 1;
    if (time === undefined) return;
    if (this.#first === undefined || this.#last === undefined) {
      this.#first = { ...time };
      this.#last = { ...time };
    } else if (compareTimes(time, this.#first) < 0) {
      this.#first.seconds = time.seconds;
      this.#first.nanos = time.nanos;
    } else if (compareTimes(time, this.#last) > 0) {
      this.#last.seconds = time.seconds;
      this.#last.nanos = time.nanos;
    }
  }
}

/** Ledgers have 12 or 13 columns. */
const MAX_COLUMNS = 1000;

/** The columns of integers in the asset's smallest unit. */
const INTEGER_COLUMN = /^(?:quantity|effect|.*_balance)$/su;

const MINUS = 0x2d;
const ZERO = 0x30;
const QUOTE = 0x22;

/** The columns of a ledger by its header, and the check of each row. */
export class LedgerColumns {
  readonly names: readonly string[];
  readonly asset: number;
  readonly from: number;
  readonly to: number;
  /** -1 where there is none. */
  readonly time: number;
  readonly #integers: readonly number[];

  /** Throws MalformedCsv where the header is not that of a ledger. */
  constructor(header: CsvRecord) {
    if (header.fieldCount > MAX_COLUMNS) throw new MalformedCsv(`its header has more than ${MAX_COLUMNS} columns`);
    this.names = Array.from({ length: header.fieldCount }, (_, field) => fieldText(header, field));
    // Every known release sends these columns.
    this.asset = this.placeOf("asset_id");
    this.from = this.placeOf("account_from_party_id");
    this.to = this.placeOf("account_to_party_id");
    this.time = this.names.indexOf("vega_time");
    this.#integers = this.names.flatMap((name, at) => (INTEGER_COLUMN.test(name) ? [at] : []));
  }

  /** The position of a column. Throws MalformedCsv where there is none. */
  placeOf(name: string): number {
    const at = this.names.indexOf(name);
    if (at !== -1) return at;
    const what =
      this.names[0]?.trimStart().startsWith("<") === true ? "it is a web page" : `its header has no column ${name}`;
    throw new MalformedCsv(`${what}, so it is no ledger`);
  }

  /**
   * Throws MalformedCsv for a row of another width, or without an integer where there must be one. `row` counts from 1.
   */
  check(record: CsvRecord, row: number): void {
    if (record.fieldCount !== this.names.length) {
      throw new MalformedCsv(`row ${row} has ${record.fieldCount} fields where the header has ${this.names.length}`);
    }
    for (const at of this.#integers) {
      if (!isInteger(record.bytes, fieldStart(record, at), record.fieldEnds[at] as number)) {
        throw new MalformedCsv(`row ${row} has no integer in ${this.names[at]}`);
      }
    }
  }

  /** Reads the row's time into `into`. Throws MalformedCsv where it is none. */
  readTime(record: CsvRecord, into: SplitTime, row: number): void {
    const at = this.time;
    if (readVegaTime(record.bytes, fieldStart(record, at), record.fieldEnds[at] as number, into)) return;
    throw new MalformedCsv(`row ${row} has no time that can be read in vega_time`);
  }
}

/** Whether a field is a decimal integer, in quotes or not; an empty one is a null and passes. */
function isInteger(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  let last = end;
  if (bytes[at] === QUOTE) {
    at += 1;
    last -= 1;
  }
  if (at === last) return true;
  if (bytes[at] === MINUS) at += 1;
  if (at === last) return false;
  for (; at < last; at += 1) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}
