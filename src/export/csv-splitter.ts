const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** No row of a ledger is longer. The bound limits memory. */
const MAX_RECORD_BYTES = 256 * 1024;
const NO_POSITION = -2;
const EMPTY = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
/** Bytes that are scanned as one string; longer strings are expensive to make and collect. */
const SCAN_BYTES = 32 * 1024;

/** The bytes are no CSV, or no ledger. */
export class MalformedCsv extends Error {
  override readonly name = "MalformedCsv";
}

/**
 * The place of one record. The same object is reused for the next record, so its fields must be copied to be kept. The
 * bytes are valid until `push` or `end` returns.
 */
export interface CsvRecord {
  bytes: Buffer;
  start: number;
  /** Behind the last field, before the line's end. */
  end: number;
  /** Where the next record begins. */
  next: number;
  fieldCount: number;
  /** Where each field ends; the next one begins one byte later. Only the first `fieldCount` are valid. */
  fieldEnds: Uint32Array;
}

/**
 * Splits bytes that come in arbitrary chunks into CSV records (RFC 4180; LF or CRLF), at byte level: UTF-8 never
 * contains a byte of ASCII inside a character, so chunks may be cut anywhere. A quote stands around a field, or doubled
 * within a quoted one; any other is refused, since programs differ in what it means.
 *
 * No library is used, because this is a hot path: the code makes no string and no object per row, and reports
 * positions.
 */
export class CsvSplitter {
  readonly #onRecord: (record: CsvRecord) => void;
  readonly #record: CsvRecord = {
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    next: 0,
    fieldCount: 0,
    fieldEnds: new Uint32Array(64),
  };
  /** The beginning of a record that is not complete; the positions below count from its first byte. */
  #carry: Buffer = EMPTY;
  #fieldCount = 0;
  #fieldStart = 0;
  #closedAt = NO_POSITION;
  #quoted = false;
  /** Records so far that are not blank, the header included. */
  #records = 0;

  constructor(onRecord: (record: CsvRecord) => void) {
    this.#onRecord = onRecord;
  }

  /** Reports every record that ends in these bytes, and keeps nothing of their memory. Throws MalformedCsv. */
  push(chunk: Buffer): void {
    let at = 0;
    if (this.#carry.length > 0) {
      // The incomplete row is completed alone, so that no other row is copied with it.
      at = chunk.indexOf(LINE_FEED) + 1;
      this.#scan(at === 0 ? chunk : chunk.subarray(0, at));
      if (at === 0) return;
    }
    while (at < chunk.length) {
      const to = pieceEnd(chunk, at);
      this.#scan(chunk.subarray(at, to));
      at = to;
    }
  }

  #scan(chunk: Buffer): void {
    const scanned = this.#carry.length;
    const bytes = scanned === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#record.bytes = bytes;
    if (this.#quoted || this.#closedAt !== NO_POSITION || chunk.includes(QUOTE)) this.#scanBytes(bytes, scanned);
    else this.#scanText(bytes, scanned);
  }

  /**
   * Scans bytes without quotes, as text of one byte a character: V8 finds the next of many commas in a string twice as
   * fast as in a buffer, and a loop over bytes is even slower.
   */
  #scanText(bytes: Buffer, from: number): void {
    const text = bytes.toString("latin1", from);
    let fieldEnds = this.#record.fieldEnds;
    let fieldCount = this.#fieldCount;
    let fieldStart = this.#fieldStart;
    let start = 0;
    let comma = text.indexOf(",");
    let lineFeed = text.indexOf("\n");
    for (;;) {
      const lineEnd = lineFeed === -1 ? text.length : lineFeed;
      while (comma !== -1 && comma < lineEnd) {
        if (fieldCount + 1 >= fieldEnds.length) fieldEnds = this.#widen();
        fieldEnds[fieldCount] = comma + from;
        fieldCount += 1;
        fieldStart = comma + from + 1;
        comma = text.indexOf(",", comma + 1);
      }
      if (lineFeed === -1) break;
      this.#emit(start, lineFeed + from, fieldCount);
      start = lineFeed + from + 1;
      fieldCount = 0;
      fieldStart = start;
      lineFeed = text.indexOf("\n", lineFeed + 1);
    }
    this.#carryOver(bytes.subarray(start), start, { fieldCount, fieldStart, closedAt: NO_POSITION, quoted: false });
  }

  /** Scans bytes that may have quotes, byte by byte. */
  #scanBytes(bytes: Buffer, from: number): void {
    const { length } = bytes;
    let fieldEnds = this.#record.fieldEnds;
    let fieldCount = this.#fieldCount;
    let fieldStart = this.#fieldStart;
    let closedAt = this.#closedAt;
    let quoted = this.#quoted;
    let start = 0;
    let at = from;
    while (at < length) {
      if (quoted) {
        at = bytes.indexOf(QUOTE, at);
        if (at === -1) break;
        quoted = false;
        closedAt = at;
        at += 1;
        continue;
      }
      const byte = bytes[at] as number;
      if (byte === COMMA) {
        if (fieldCount + 1 >= fieldEnds.length) fieldEnds = this.#widen();
        fieldEnds[fieldCount] = at;
        fieldCount += 1;
        fieldStart = at + 1;
      } else if (byte === LINE_FEED) {
        this.#emit(start, at, fieldCount);
        start = at + 1;
        fieldCount = 0;
        fieldStart = start;
        closedAt = NO_POSITION;
      } else if (byte === QUOTE) {
        if (at !== fieldStart && at !== closedAt + 1 && !this.#isBehindMark(bytes, at)) {
          throw this.#misplaced("a bare quote in", fieldCount);
        }
        quoted = true;
      } else if (closedAt > fieldStart && !(byte === CARRIAGE_RETURN && at === closedAt + 1)) {
        throw this.#misplaced("text behind the closing quote of", fieldCount);
      }
      at += 1;
    }
    this.#carryOver(bytes.subarray(start), start, { fieldCount, fieldStart, closedAt, quoted });
  }

  /** Whether nothing but the byte order mark stands before this place. */
  #isBehindMark(bytes: Buffer, at: number): boolean {
    return this.#records === 0 && at === BYTE_ORDER_MARK.length && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  }

  #misplaced(what: string, fieldCount: number): MalformedCsv {
    const where = this.#records === 0 ? "its header" : `row ${this.#records}`;
    return new MalformedCsv(`${where} has ${what} column ${fieldCount + 1}`);
  }

  /** Reports the record from `start` to the line feed; the ends of all its fields but the last are known. */
  #emit(start: number, lineFeed: number, fieldCount: number): void {
    const record = this.#record;
    const end = lineFeed > start && record.bytes[lineFeed - 1] === CARRIAGE_RETURN ? lineFeed - 1 : lineFeed;
    record.fieldEnds[fieldCount] = end;
    record.start = start;
    record.end = end;
    record.next = lineFeed + 1;
    record.fieldCount = fieldCount + 1;
    if (end > start) this.#records += 1;
    this.#onRecord(record);
  }

  /** Reports the last record where no line end follows it. Throws MalformedCsv when a quote was never closed. */
  end(): void {
    if (this.#quoted) throw new MalformedCsv("a quoted field is never closed");
    const bytes = this.#carry;
    if (bytes.length === 0) return;
    const record = this.#record;
    record.fieldEnds[this.#fieldCount] = bytes.length;
    Object.assign(record, {
      bytes,
      start: 0,
      end: bytes.length,
      next: bytes.length,
      fieldCount: this.#fieldCount + 1,
    });
    this.#carry = EMPTY;
    this.#onRecord(record);
  }

  #carryOver(
    rest: Buffer,
    start: number,
    state: { fieldCount: number; fieldStart: number; closedAt: number; quoted: boolean },
  ): void {
    if (rest.length > MAX_RECORD_BYTES) {
      throw new MalformedCsv(`a single row is longer than ${MAX_RECORD_BYTES} bytes`);
    }
    this.#carry = rest.length === 0 ? EMPTY : Buffer.from(rest);
    this.#fieldCount = state.fieldCount;
    this.#fieldStart = state.fieldStart - start;
    this.#closedAt = state.closedAt === NO_POSITION ? NO_POSITION : state.closedAt - start;
    this.#quoted = state.quoted;
    const ends = this.#record.fieldEnds;
    if (start > 0)
      for (let field = 0; field < state.fieldCount; field += 1) ends[field] = (ends[field] as number) - start;
  }

  #widen(): Uint32Array {
    const wider = new Uint32Array(this.#record.fieldEnds.length * 2);
    wider.set(this.#record.fieldEnds);
    this.#record.fieldEnds = wider;
    return wider;
  }
}

/**
 * The place behind the last line feed among the next SCAN_BYTES, so that no row is carried from one piece to the next.
 */
function pieceEnd(chunk: Buffer, from: number): number {
  const most = from + SCAN_BYTES;
  if (most >= chunk.length) return chunk.length;
  const lineFeed = chunk.lastIndexOf(LINE_FEED, most - 1);
  return lineFeed < from ? most : lineFeed + 1;
}

/** A field as text, without quotes and byte order mark. Too slow to be called for every row. */
export function fieldText(record: CsvRecord, field: number): string {
  const start = fieldStart(record, field);
  const raw = record.bytes.toString("utf8", start, record.fieldEnds[field]).replace(/^\uFEFF/u, "");
  return raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
}

/** Where a field begins, its opening quote included. */
export function fieldStart(record: CsvRecord, field: number): number {
  return field === 0 ? record.start : (record.fieldEnds[field - 1] as number) + 1;
}
