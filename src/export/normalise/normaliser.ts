import type { LedgerQuery } from "../../api/api-client.ts";
import { type CsvRecord, CsvSplitter, fieldStart, fieldText, MalformedCsv } from "../csv-splitter.ts";
import { idMatcher, type IdMatcher } from "../id-matcher.ts";
import type { LedgerFingerprint, LedgerFlows } from "../ledger-account.ts";
import { LedgerColumns, RowTally } from "../ledger-transform.ts";
import { compareTimes, splitTime, type SplitTime } from "../vega-time.ts";
import type { OwnAccount } from "./balances.ts";
import { writeAmount, writeBytes, writeId, writeText } from "./cell.ts";
import { type FileColumn, fileColumns, headerRow } from "./file-columns.ts";
import { type EntrySides, LedgerSums } from "./ledger-sums.ts";
import { accountTypeName, transferTypeName } from "./names.ts";
import { type TypeName, TypeNames } from "./type-names.ts";
import type { RowSorter } from "./row-sorter.ts";

const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
/**
 * A written row may be longer than the node's by names of types, an amount and the commas of columns that the node
 * lacks.
 */
const MORE_BYTES = 1024;

export interface NormaliserOptions {
  readonly query: LedgerQuery;
  /** The columns of the file, in this order; left out = all. */
  readonly columns?: readonly string[] | undefined;
  /** Digits behind the point of an `amount`; left out = unknown, so that `amount` is empty. */
  readonly decimals?: number | undefined;
  /** One of several ranges: the file has all columns of the node, and no amounts yet. */
  readonly isSlice?: boolean | undefined;
  /** Whether only what the party sent is told; left out = as the columns say. */
  readonly outgoingOnly?: boolean | undefined;
}

/** The part of a finished file's account that its rows tell. */
export interface NormalisedAccount {
  readonly rows: number;
  readonly firstTime: bigint | undefined;
  readonly lastTime: bigint | undefined;
  readonly dropped: { readonly asset: number; readonly party: number; readonly range: number };
  readonly outgoingOnly: boolean;
  readonly flows: LedgerFlows;
  readonly fingerprint: LedgerFingerprint;
}

/**
 * Turns the node's rows, in any columns and order of columns, into rows of one form, and gives those of the query to a
 * sorter. `push` and `end` throw MalformedCsv, and UserError for a chosen column that is not there.
 */
export class Normaliser {
  readonly dropped = { asset: 0, party: 0, range: 0 };
  readonly tally = new RowTally();
  readonly #options: NormaliserOptions;
  readonly #sorter: RowSorter;
  readonly #splitter = new CsvSplitter((record) => this.#take(record));
  readonly #asset: IdMatcher;
  readonly #party: IdMatcher;
  readonly #from: SplitTime | undefined;
  readonly #to: SplitTime | undefined;
  readonly #time: SplitTime = { seconds: 0, nanos: 0 };
  /** The ids of the query as cells, to be copied: most ids in rows are one of them. */
  readonly #assetCell: Buffer;
  readonly #partyCell: Buffer;
  readonly #accountTypes = new TypeNames(accountTypeName);
  readonly #transferTypes = new TypeNames(transferTypeName);

  #ledger: LedgerColumns | undefined;
  #columns: readonly FileColumn[] = [];
  #place: Readonly<Record<"quantity" | "effect" | "type" | "fromBalance" | "toBalance", number>> | undefined;
  #sums: LedgerSums | undefined;
  #outgoingOnly = false;

  /** The field that is being read. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /**
   * The row being read: the digits of its quantity, and the sign of its effect, 0 where the party gains and loses
   * nothing.
   */
  readonly #digits: { bytes: Buffer; start: number; end: number } = { bytes: this.#bytes, start: 0, end: 0 };
  #sign = 0;
  readonly #own = { from: false, to: false };

  constructor(options: NormaliserOptions, sorter: RowSorter) {
    this.#options = options;
    this.#sorter = sorter;
    const { query } = options;
    this.#asset = idMatcher(query.assetId);
    this.#party = idMatcher(query.partyId);
    this.#assetCell = idCell(query.assetId, false);
    this.#partyCell = idCell(query.partyId, true);
    this.#from = query.from === undefined ? undefined : splitTime(query.from);
    this.#to = query.to === undefined ? undefined : splitTime(query.to);
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  end(): void {
    this.#splitter.end();
    if (this.#ledger === undefined) throw new MalformedCsv("it has not even a header row");
  }

  /** The file's first row, with its line end. */
  header(): Buffer {
    return headerRow(this.#columns);
  }

  account(): NormalisedAccount {
    const sums = this.#sums ?? new LedgerSums(false);
    const columns = this.#columns.map(({ name }) => name);
    const { rows, firstTime, lastTime } = this.tally;
    return {
      rows,
      firstTime,
      lastTime,
      dropped: this.dropped,
      outgoingOnly: this.#outgoingOnly,
      flows: sums.flows(),
      fingerprint: {
        columns,
        rows,
        sums: {
          ...(columns.includes("quantity") ? { quantity: String(sums.quantity) } : {}),
          ...(columns.includes("effect") ? { effect: String(sums.effect) } : {}),
        },
      },
    };
  }

  #take(record: CsvRecord): void {
    if (record.end === record.start) return;
    const ledger = this.#ledger;
    if (ledger === undefined) {
      this.#readHeader(record);
      return;
    }
    const { asset, party, range } = this.dropped;
    const row = this.tally.rows + asset + party + range + 1;
    ledger.check(record, row);
    const time = this.#time;
    ledger.readTime(record, time, row);
    if (!this.#is(record, ledger.asset, this.#asset)) {
      this.dropped.asset += 1;
      return;
    }
    const own = this.#own;
    own.from = this.#is(record, ledger.from, this.#party);
    own.to = this.#is(record, ledger.to, this.#party);
    if (!own.from && !own.to) {
      this.dropped.party += 1;
      return;
    }
    if (
      (this.#from !== undefined && compareTimes(time, this.#from) < 0) ||
      (this.#to !== undefined && compareTimes(time, this.#to) >= 0)
    ) {
      this.dropped.range += 1;
      return;
    }
    this.#readEffect(record, own, row);
    this.#addSums(record, ledger, own);
    this.#write(record);
    this.tally.add(time);
  }

  #readHeader(record: CsvRecord): void {
    const ledger = new LedgerColumns(record);
    ledger.placeOf("vega_time");
    const place = (name: string): number => ledger.names.indexOf(name);
    this.#place = {
      quantity: ledger.placeOf("quantity"),
      effect: place("effect"),
      type: place("transfer_type"),
      fromBalance: place("account_from_balance"),
      toBalance: place("account_to_balance"),
    };
    this.#outgoingOnly = this.#options.outgoingOnly ?? this.#place.effect === -1;
    this.#sums = new LedgerSums(this.#outgoingOnly);
    this.#columns = fileColumns(ledger, this.#options.columns ?? []);
    if (this.#options.isSlice === true) this.#columns = fileColumns(ledger, []).filter(({ kind }) => kind !== "amount");
    this.#ledger = ledger;
  }

  #is(record: CsvRecord, place: number, id: IdMatcher): boolean {
    return id(record.bytes, fieldStart(record, place), record.fieldEnds[place] as number);
  }

  /** Points #bytes, #start and #end at a field, without its quotes. */
  #read(record: CsvRecord, place: number): void {
    this.#bytes = record.bytes;
    this.#start = fieldStart(record, place);
    this.#end = record.fieldEnds[place] as number;
    if (this.#end - this.#start >= 2 && this.#bytes[this.#start] === QUOTE && this.#bytes[this.#end - 1] === QUOTE) {
      this.#bytes = Buffer.from(fieldText(record, place));
      this.#start = 0;
      this.#end = this.#bytes.length;
    }
  }

  /** Reads the quantity and its effect on the party. Throws MalformedCsv where the node's own effect contradicts. */
  #readEffect(record: CsvRecord, own: EntrySides, row: number): void {
    const place = this.#place;
    if (place === undefined) return;
    this.#read(record, place.quantity);
    if (this.#start === this.#end) throw new MalformedCsv(`row ${row} has no quantity`);
    const negative = this.#bytes[this.#start] === MINUS;
    const digits = this.#digits;
    digits.bytes = this.#bytes;
    digits.start = this.#start + (negative ? 1 : 0);
    digits.end = this.#end;
    let isZero = true;
    for (let at = digits.start; at < digits.end && isZero; at += 1) isZero = digits.bytes[at] === ZERO;
    const isInternal = own.from && own.to;
    this.#sign = isZero || isInternal ? 0 : own.from === negative ? 1 : -1;
    if (place.effect === -1) return;
    this.#read(record, place.effect);
    if (this.#start === this.#end) return;
    const saysMinus = this.#bytes[this.#start] === MINUS;
    const said = this.#bytes.subarray(this.#start + (saysMinus ? 1 : 0), this.#end);
    if (said.every((byte) => byte === ZERO) && this.#sign === 0) return;
    const isQuantity = said.equals(digits.bytes.subarray(digits.start, digits.end));
    // Some releases give a transfer between two of the party's own accounts as a gain.
    if (isQuantity && (isInternal || saysMinus === this.#sign < 0)) return;
    throw new MalformedCsv(`row ${row} has an effect that its quantity and parties contradict`);
  }

  #addSums(record: CsvRecord, ledger: LedgerColumns, own: EntrySides): void {
    const place = this.#place;
    const sums = this.#sums;
    if (place === undefined || sums === undefined) return;
    const type = place.type === -1 ? "" : this.#name(record, place.type, this.#transferTypes).name;
    this.#read(record, place.quantity);
    sums.add(type, own, this.#bytes, this.#start, this.#end);
    if (this.#outgoingOnly) return;
    const quantity = BigInt(this.#text());
    if (own.from) this.#addBalance(record, ledger, "from", place.fromBalance, -quantity);
    if (own.to) this.#addBalance(record, ledger, "to", place.toBalance, quantity);
  }

  #addBalance(record: CsvRecord, ledger: LedgerColumns, side: "from" | "to", place: number, change: bigint): void {
    if (place === -1) return;
    this.#read(record, place);
    const balance = this.#start === this.#end ? undefined : BigInt(this.#text());
    this.#sums?.addBalance(this.#accountOf(record, ledger, side), this.#time, change, balance);
  }

  #accountOf(record: CsvRecord, ledger: LedgerColumns, side: "from" | "to"): OwnAccount {
    const type = ledger.names.indexOf(`account_${side}_account_type`);
    const market = ledger.names.indexOf(`account_${side}_market_id`);
    const account = type === -1 ? "" : this.#name(record, type, this.#accountTypes).name;
    if (market === -1) return { account, market: "" };
    this.#read(record, market);
    return { account, market: this.#text().replace(/^\\x/u, "").toLowerCase() };
  }

  #text(): string {
    return this.#bytes.toString("latin1", this.#start, this.#end);
  }

  #name(record: CsvRecord, place: number, names: TypeNames): TypeName {
    this.#read(record, place);
    return names.of(this.#bytes, this.#start, this.#end);
  }

  #write(record: CsvRecord): void {
    const columns = this.#columns;
    const decimals = this.#options.decimals ?? 0;
    const room = 3 * (record.end - record.start) + decimals + MORE_BYTES + 4 * columns.length;
    let at = this.#sorter.reserve(room);
    const out = this.#sorter.bytes;
    for (let index = 0; index < columns.length; index += 1) {
      if (index > 0) {
        out[at] = COMMA;
        at += 1;
      }
      at = this.#writeCell(out, at, record, columns[index] as FileColumn);
    }
    out[at] = LINE_FEED;
    this.#sorter.add(at + 1, this.#time);
  }

  #writeCell(out: Buffer, at: number, record: CsvRecord, { kind, from }: FileColumn): number {
    if (kind === "effect") return this.#writeEffect(out, at, 0);
    if (kind === "amount") {
      return this.#options.decimals === undefined ? at : this.#writeEffect(out, at, this.#options.decimals);
    }
    if (from === -1) return at;
    if (kind === "transferType") return writeWhole(out, at, this.#name(record, from, this.#transferTypes).cell);
    if (kind === "accountType") return writeWhole(out, at, this.#name(record, from, this.#accountTypes).cell);
    const known = this.#knownId(from);
    if (known !== undefined) return at + known.copy(out, at);
    this.#read(record, from);
    if (kind === "asWritten") return writeBytes(out, at, this.#bytes, this.#start, this.#end);
    if (kind === "text") return writeText(out, at, this.#bytes, this.#start, this.#end);
    return writeId(out, at, this.#bytes, this.#start, this.#end, kind === "party");
  }

  /** The cell of an id of the query; undefined for any other column. */
  #knownId(from: number): Buffer | undefined {
    const ledger = this.#ledger;
    if (from === ledger?.asset) return this.#assetCell;
    if ((from === ledger?.from && this.#own.from) || (from === ledger?.to && this.#own.to)) return this.#partyCell;
    return undefined;
  }

  #writeEffect(out: Buffer, at: number, decimals: number): number {
    if (this.#sign === 0) return writeAmount(out, at, false, NOTHING, { start: 0, end: 1 }, decimals);
    const { bytes } = this.#digits;
    return writeAmount(out, at, this.#sign < 0, bytes, this.#digits, decimals);
  }
}

function idCell(id: string, isParty: boolean): Buffer {
  const bytes = Buffer.from(id);
  const cell = Buffer.alloc(2 * bytes.length + 8);
  return cell.subarray(0, writeId(cell, 0, bytes, 0, bytes.length, isParty));
}

function writeWhole(out: Buffer, at: number, cell: Buffer): number {
  return writeBytes(out, at, cell, 0, cell.length);
}

const NOTHING = Buffer.from("0");
