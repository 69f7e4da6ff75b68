import { closest } from "fastest-levenshtein";

import { UserError } from "../errors.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import { type CsvRecord, fieldText, MalformedCsv } from "./csv-splitter.ts";
import { compareTimes, joinTime, readVegaTime, type SplitTime } from "./vega-time.ts";

/**
 * The step between the bytes that a node sends and the bytes of the file. It does no input or output itself.
 */
export interface LedgerTransform {
  /**
   * Takes the next bytes and returns those that are ready: views of `chunk`, or memory of its own. They are valid until
   * the next call, and only as long as `chunk` is unchanged, of which nothing is kept.
   */
  push(chunk: Buffer): readonly Buffer[];
  /** The rest, once the last bytes are in. */
  end(): readonly Buffer[];
  /** The rows let through, without the header. */
  readonly tally: RowTally;
  /** The number of rows held back. */
  readonly dropped: number;
  /** Of the file, in its order; undefined until the header is read. */
  readonly columns: readonly string[] | undefined;
}

/** Counts rows and remembers the earliest and latest of their times, without allocating per row. */
export class RowTally {
  rows = 0;
  #first: SplitTime | undefined;
  #last: SplitTime | undefined;
  readonly #time: SplitTime = { seconds: 0, nanos: 0 };

  get firstTime(): Nanoseconds | undefined {
    return this.#first === undefined ? undefined : joinTime(this.#first);
  }

  get lastTime(): Nanoseconds | undefined {
    return this.#last === undefined ? undefined : joinTime(this.#last);
  }

  /** One row, with the bytes of its vega_time; bytes that are no time leave the span as it is. */
  addWithTimeAt(bytes: Uint8Array, start: number, end: number): void {
    if (!this.addIfTimeAt(bytes, start, end)) this.rows += 1;
  }

  /** One row, if these bytes are its vega_time; false, and nothing is counted, where they are no time. */
  addIfTimeAt(bytes: Uint8Array, start: number, end: number): boolean {
    const isTime = readVegaTime(bytes, start, end, this.#time);
    if (isTime) this.add(this.#time);
    return isTime;
  }

  /** One row; the time is copied out. */
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

/** Today's ledgers have 12 or 13. */
const MAX_COLUMNS = 1000;

/** The names in a header row. Throws MalformedCsv for a row that cannot be one. */
export function readHeader(record: CsvRecord): readonly string[] {
  if (record.fieldCount > MAX_COLUMNS) throw new MalformedCsv(`its header has more than ${MAX_COLUMNS} columns`);
  return Array.from({ length: record.fieldCount }, (_, field) => fieldText(record, field));
}

/** The position of a column that rows are filtered by. Throws MalformedCsv where there is none. */
export function requireColumn(columns: readonly string[], name: string): number {
  const at = columns.indexOf(name);
  if (at === -1) {
    throw new MalformedCsv(
      `its header has no column ${name}, so its rows cannot be checked; only a raw export is possible`,
    );
  }
  return at;
}

/** The positions of the chosen columns, each once. Throws UserError naming the nearest match and all there are. */
export function chooseColumns(columns: readonly string[], chosen: readonly string[]): readonly number[] {
  return [...new Set(chosen)].map((name) => {
    const at = columns.indexOf(name);
    if (at !== -1) return at;
    throw new UserError(`This export has no column “${name}”; did you mean “${closest(name, [...columns])}”?`, {
      remedy: `Its columns are: ${columns.join(", ")}.`,
      option: "columns",
    });
  });
}
