import { createHash, type Hash } from "node:crypto";

import { type CsvRecord, CsvSplitter, fieldStart, MalformedCsv } from "../csv-splitter.ts";
import { RowTally } from "../ledger-transform.ts";
import { compareTimes, readVegaTime, type SplitTime } from "../vega-time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

/** The content of a file that somebody gives back, as far as it is compared with exports. */
export type LedgerFilePrint = Awaited<ReturnType<typeof readLedgerFile>>;

/** Memory for the rows that are sorted: more than 30,000 of them. */
const MAX_SORTED_BYTES = 16 * 1024 * 1024;
const SUMMED = ["quantity", "effect"] as const;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** Reads a file of any size once. Rejects with the reader's error. */
export async function readLedgerFile(bytes: AsyncIterable<Uint8Array>, maxSortedBytes = MAX_SORTED_BYTES) {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const table = new TableReader(maxSortedBytes);
  let fault: string | undefined;
  for await (const chunk of bytes) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    fault ??= faultOf(() => table.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }
  fault ??= faultOf(() => table.end());
  const { columns, rows } = table;
  return withoutUndefined({
    sizeBytes,
    sha256: hash.digest("hex"),
    /** Left out where it is no CSV. */
    table: fault === undefined ? table.result() : undefined,
    /** The row, from 1 and without the header, from which on it is no CSV, why, and the columns. */
    broken: fault === undefined || columns === undefined ? undefined : { columns, row: rows + 1, why: fault },
  });
}

/** Runs a step of the reading; why the bytes are no table where they are none. */
function faultOf(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof MalformedCsv) return error.message;
    throw error;
  }
}

interface HeldRow {
  /** As an export writes it, one character a byte. */
  readonly row: string;
  readonly time: SplitTime;
}

class TableReader {
  readonly #maxSortedBytes: number;
  readonly #splitter = new CsvSplitter((record) => this.#take(record));
  readonly #rewritten = createHash("sha256");
  /** The hash of the header alone. */
  #headerHash = this.#rewritten;
  /** All rows; undefined once they take too much memory. */
  #held: HeldRow[] | undefined = [];
  #heldBytes = 0;
  /** The sums by column; undefined once a cell is no integer. */
  readonly #sums = new Map<string, bigint | undefined>();
  #columns: readonly string[] | undefined;
  readonly #tally = new RowTally();
  #sorted = true;
  #last: SplitTime | undefined;
  /** The parties and assets in every row so far; undefined before the first row. */
  #parties: ReadonlySet<string> | undefined;
  #assets: ReadonlySet<string> | undefined;

  constructor(maxSortedBytes: number) {
    this.#maxSortedBytes = maxSortedBytes;
  }

  /** Undefined before the header. */
  get columns(): readonly string[] | undefined {
    return this.#columns;
  }

  get rows(): number {
    return this.#tally.rows;
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  end(): void {
    this.#splitter.end();
  }

  result() {
    const columns = this.#columns;
    if (columns === undefined) return undefined;
    const { rows, firstTime, lastTime } = this.#tally;
    const sums = [...this.#sums].flatMap(([name, sum]) => (sum === undefined ? [] : [[name, String(sum)] as const]));
    return withoutUndefined({
      columns: [...columns],
      rows,
      sums: Object.fromEntries(sums),
      /** The SHA-256 of the same cells as an export writes them. */
      rewrittenSha256: this.#rewritten.digest("hex"),
      /** The SHA-256 of the same rows in an export's order; left out where they take more than 16 MiB. */
      sortedSha256: this.#held && sortedSha256(this.#headerHash, this.#held),
      /** Whether no row's vega_time is earlier than that of the row before. */
      sorted: this.#sorted,
      /** The earliest and latest vega_time, Unix nanoseconds in decimal; left out where none can be read. */
      firstTime: firstTime?.toString(),
      lastTime: lastTime?.toString(),
      /** The parties and assets that are in every row; empty where the columns do not tell. */
      parties: [...(this.#parties ?? [])],
      assets: [...(this.#assets ?? [])],
    });
  }

  #take(record: CsvRecord): void {
    if (record.end === record.start) return;
    if (this.#columns === undefined && record.bytes.indexOf(BYTE_ORDER_MARK) === record.start) {
      record.start += BYTE_ORDER_MARK.length;
    }
    const cells = Array.from({ length: record.fieldCount }, (_, field) => cellOf(record, field));
    if (this.#columns === undefined) {
      this.#columns = cells.map(nameOf);
      for (const name of SUMMED) if (this.#columns.includes(name)) this.#sums.set(name, 0n);
      this.#rewritten.update(asWritten(cells), "latin1");
      this.#headerHash = this.#rewritten.copy();
      return;
    }
    if (cells.length !== this.#columns.length) throw new MalformedCsv("a row has another number of fields");
    const row = asWritten(cells);
    this.#rewritten.update(row, "latin1");
    this.#heldBytes += row.length;
    const time = this.#count(cells, this.#columns);
    this.#held?.push({ row, time });
    if (this.#heldBytes > this.#maxSortedBytes) this.#held = undefined;
  }

  /** Adds a row to all counts. Returns its time, 0 where it cannot be read. */
  #count(cells: readonly string[], columns: readonly string[]): SplitTime {
    for (const [name, sum] of this.#sums) {
      const cell = cells[columns.indexOf(name)] ?? "";
      this.#sums.set(name, sum === undefined || !/^-?\d+$/u.test(cell) ? undefined : sum + BigInt(cell));
    }
    this.#parties = inEachRow(this.#parties, cells, columns, PARTY_COLUMNS);
    this.#assets = inEachRow(this.#assets, cells, columns, ASSET_COLUMNS);
    const time = timeOf(cells[columns.indexOf("vega_time")] ?? "");
    this.#tally.add(time);
    if (time === undefined) return { seconds: 0, nanos: 0 };
    if (this.#last !== undefined && compareTimes(time, this.#last) < 0) this.#sorted = false;
    this.#last = time;
    return time;
  }
}

const PARTY_COLUMNS = ["account_from_party_id", "account_to_party_id"];
const ASSET_COLUMNS = ["asset_id"];

/** The values that stood in these columns in every row before, and stand in them in this row. */
function inEachRow(
  before: ReadonlySet<string> | undefined,
  cells: readonly string[],
  columns: readonly string[],
  names: readonly string[],
): ReadonlySet<string> {
  const here = names.map((name) => cells[columns.indexOf(name)] ?? "").filter((cell) => cell !== "");
  return new Set(before === undefined ? here : here.filter((cell) => before.has(cell)));
}

function timeOf(cell: string): SplitTime | undefined {
  const time = { seconds: 0, nanos: 0 };
  return readVegaTime(Buffer.from(cell, "latin1"), 0, cell.length, time) ? time : undefined;
}

/** A cell's bytes without its quotes, one character a byte. */
function cellOf(record: CsvRecord, field: number): string {
  const [start, end] = [fieldStart(record, field), record.fieldEnds[field] ?? 0];
  const isQuoted = record.bytes[start] === QUOTE && record.bytes[end - 1] === QUOTE;
  if (!isQuoted) return record.bytes.toString("latin1", start, end);
  return record.bytes.toString("latin1", start + 1, end - 1).replaceAll('""', '"');
}

/** A column's name, without the apostrophe that an export writes before a name that looks like a formula. */
function nameOf(cell: string): string {
  const name = Buffer.from(cell, "latin1").toString("utf8");
  return /^'[=+\-@\p{Cc}]/u.test(name) ? name.slice(1) : name;
}

/** A row as an export writes it. */
function asWritten(cells: readonly string[]): string {
  const written = cells.map((cell) => (/[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.join(",")}\n`;
}

/** The SHA-256 of the header and the rows in the order of row-sorter.ts. */
function sortedSha256(header: Hash, rows: readonly HeldRow[]): string {
  const hash = header.copy();
  const sorted = rows.toSorted((a, b) => compareTimes(a.time, b.time) || (a.row < b.row ? -1 : 1));
  for (const { row } of sorted) hash.update(row, "latin1");
  return hash.digest("hex");
}
