import type { Nanoseconds } from "../../units/time.ts";
import { type Chain, DAY, GENESIS, HOUR, type Micros, type Moment, SECOND, toMicros } from "../chain/chain.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** Names and numbers as in the platform's protocol definitions (vega.proto: TransferType, AccountType). */
type Kind = readonly [name: string, number: number];

/** The party's own account, the account that it meets, and where the transfer takes place. */
type TransferKind = readonly [transfer: Kind, own: Kind, other: Kind, where: "market" | "network" | "party"];

const GENERAL: Kind = ["ACCOUNT_TYPE_GENERAL", 4];
const MARGIN: Kind = ["ACCOUNT_TYPE_MARGIN", 3];
const SETTLEMENT: Kind = ["ACCOUNT_TYPE_SETTLEMENT", 2];
const FEES_MAKER: Kind = ["ACCOUNT_TYPE_FEES_MAKER", 7];
const FEES_INFRASTRUCTURE: Kind = ["ACCOUNT_TYPE_FEES_INFRASTRUCTURE", 5];
const EXTERNAL: Kind = ["ACCOUNT_TYPE_EXTERNAL", 10];
const REWARD: Kind = ["ACCOUNT_TYPE_GLOBAL_REWARD", 12];

const SENT: readonly TransferKind[] = [
  [["TRANSFER_TYPE_MTM_LOSS", 4], MARGIN, SETTLEMENT, "market"],
  [["TRANSFER_TYPE_MAKER_FEE_PAY", 9], GENERAL, FEES_MAKER, "market"],
  [["TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY", 11], GENERAL, FEES_INFRASTRUCTURE, "network"],
  [["TRANSFER_TYPE_WITHDRAW", 18], GENERAL, EXTERNAL, "network"],
];
const RECEIVED: readonly TransferKind[] = [
  [["TRANSFER_TYPE_MTM_WIN", 5], MARGIN, SETTLEMENT, "market"],
  [["TRANSFER_TYPE_DEPOSIT", 19], GENERAL, EXTERNAL, "network"],
  [["TRANSFER_TYPE_REWARD_PAYOUT", 21], GENERAL, REWARD, "network"],
  [["TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE", 30], GENERAL, GENERAL, "party"],
];

/** The party of a ledger, and its pattern of entries. */
interface LedgerSubject extends LedgerIds {
  readonly party: string;
  readonly partyIndex: number;
  readonly asset: string;
}

const HEADERS = {
  12: "vega_time,quantity,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_to_market_id,account_to_party_id,account_to_account_type,account_from_balance,account_to_balance",
  13: "vega_time,quantity,effect,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_from_balance,account_to_market_id,account_to_party_id,account_to_account_type,account_to_balance",
} as const;

/** A column that no release has: readers that select columns by name must ignore or keep it. */
const EXTRA_COLUMN = "later_column";

/** One line of the export, without the line feed. The older columns hold only transfers that the party sent. */
function ledgerRow(
  subject: LedgerSubject,
  entry: { time: string; index: number; columns: 12 | 13; extra: boolean },
  random: SeededRandom,
): string {
  const { partyIndex: p, asset } = subject;
  const { index, columns } = entry;
  const sent = columns === 12 || random.bits("entry-way", p, index) % 2 === 0;
  const [transfer, ownType, otherType, where] = random.pick(sent ? SENT : RECEIVED, "entry-kind", p, index);
  const market = where === "market" ? random.pick(subject.markets, "entry-market", p, index) : "";
  const peer = (where === "party" ? subject.parties[(p + 1 + (index % 7)) % subject.parties.length] : "network") ?? "";
  const quantity = amount(random, "entry-quantity", p, index);
  const own = { party: subject.party, type: ownType, balance: amount(random, "entry-balance", p, index) };
  const other = { party: peer, type: otherType, balance: sent ? quantity : "0" };
  const [from, to] = sent ? [own, other] : [other, own];
  const extra = entry.extra ? `,"Zürich ""${index}"" 💱"` : "";
  if (columns === 13) {
    const effect = sent ? `-${quantity}` : quantity;
    return `${entry.time},${quantity},${effect},${transfer[0]},${asset},${market},${from.party},${from.type[0]},${from.balance},${market},${to.party},${to.type[0]},${to.balance}${extra}`;
  }
  return `${entry.time},${quantity},${transfer[1]},\\x${asset},\\x${market},\\x${olderParty(from.party)},${from.type[1]},\\x${market},\\x${olderParty(to.party)},${to.type[1]},${from.balance},${to.balance}${extra}`;
}

function olderParty(party: string): string {
  return party === "network" ? "03" : party;
}

/** From 11 to 21 digits: in the asset's smallest unit, and as a rule beyond what a JS number holds. */
function amount(random: SeededRandom, what: string, party: number, index: number): string {
  const head = 1 + (random.bits(what, party, index) >>> 1);
  const tail = random.bits(what, party, index, 1);
  return `${head}${String(tail).padStart(10, "0")}`;
}

/** How long a standard node keeps the ledger. */
const RETENTION = 180 * DAY;
/** A party has an entry this often; the heavy one has 1 GiB of them within the retention. */
const USUAL_EVERY = HOUR;
const ROW_BYTES = { 12: 305, 13: 371 } as const;
const HEAVY_BYTES = 2 ** 30;

const GENESIS_SECONDS = Number(GENESIS / 1_000_000_000n);

export interface LedgerRequest {
  readonly party: string;
  readonly asset: string;
  /** Unix nanoseconds; start inclusive, end exclusive, both cut to whole seconds. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly columns: 12 | 13;
  readonly extraColumn: boolean;
  readonly strayRows: boolean;
  /** About this many bytes, whatever the history has; 0 = the history. */
  readonly bytes: number;
}

interface Span {
  readonly from: Micros;
  readonly to: Micros;
}

/** The ids that exist on a network. */
interface LedgerIds {
  readonly markets: readonly string[];
  readonly parties: readonly string[];
  readonly assets: readonly string[];
}

/** Ledger entries, generated while they are read: a gigabyte takes no memory. */
export class Ledger {
  readonly #chain: Chain;
  readonly #random: SeededRandom;
  readonly #ids: LedgerIds;

  constructor(chain: Chain, random: SeededRandom, ids: LedgerIds) {
    this.#chain = chain;
    this.#random = random;
    this.#ids = ids;
  }

  /** The party whose whole ledger is 1 GiB. */
  get heavyParty(): string {
    return this.#ids.parties.at(-1) ?? "";
  }

  /** The CSV line by line, each with its line feed. For an unknown party or an empty range: the header alone. */
  *lines(request: LedgerRequest, moment: Moment): Generator<string> {
    const { columns, party, asset } = request;
    yield `${HEADERS[columns]}${request.extraColumn ? `,${EXTRA_COLUMN}` : ""}\n`;
    const partyIndex = this.#ids.parties.indexOf(party);
    const span = askedSpan(request, moment);
    if (partyIndex === -1 || !this.#ids.assets.includes(asset) || span.from >= span.to) return;
    const rows = this.#rows({ ...this.#ids, party, partyIndex, asset }, request, span, moment);
    yield* columns === 12 ? unsorted(rows) : rows;
  }

  *#rows(subject: LedgerSubject, request: LedgerRequest, span: Span, moment: Moment): Generator<string> {
    const { columns, bytes } = request;
    const heavy = request.party === this.heavyParty ? (RETENTION * ROW_BYTES[columns]) / HEAVY_BYTES : USUAL_EVERY;
    // A requested size gets a tenth more rows than it takes on average, since their length varies.
    const every = bytes === 0 ? heavy : (0.9 * (span.to - span.from) * ROW_BYTES[columns]) / bytes;
    const timeText = new TimeText();
    let left = bytes === 0 ? Infinity : bytes;
    // For a requested size, rows count from the start of the range; else from the start of the history.
    const first = bytes === 0 ? Math.max(0, Math.floor(moment.activeAt(span.from) / every) - 1) : 0;
    for (let index = first; left > 0; index++) {
      const at = bytes === 0 ? this.#timeInHistory(index, every, moment) : span.from + Math.floor(index * every);
      if (at >= span.to) return;
      if (at < span.from) continue;
      const entry = { time: timeText.of(at), index, columns, extra: request.extraColumn };
      const row = `${ledgerRow(subject, entry, this.#random)}\n`;
      left -= row.length;
      yield row;
      if (request.strayRows && columns === 13 && index % 10 === 3) yield this.#strayRow(subject, index, span, timeText);
    }
  }

  /** An entry stands in the first block after its place. */
  #timeInHistory(index: number, every: number, moment: Moment): Micros {
    const active = index * every + this.#random.unit("entry-time", index) * every * 0.9;
    return moment.microsOf(this.#chain.firstBlockFrom(Math.floor(active)));
  }

  /** Newer releases also send incoming rows of other assets and of the time before the range. */
  #strayRow(subject: LedgerSubject, index: number, span: Span, timeText: TimeText): string {
    const { party, partyIndex, assets, parties } = subject;
    const other = assets.find((asset) => asset !== subject.asset) ?? subject.asset;
    const before = index % 20 === 3;
    const peer = parties[(partyIndex + 1) % parties.length] ?? "network";
    const time = timeText.of(Math.max(SECOND, span.from - (before ? DAY : -SECOND)));
    const asset = before ? subject.asset : other;
    return `${time},${index},${index},TRANSFER_TYPE_DEPOSIT,${asset},,${peer},ACCOUNT_TYPE_GENERAL,0,,${party},ACCOUNT_TYPE_GENERAL,${index}\n`;
  }
}

/** The requested range, within the entries that the node keeps and that exist. */
function askedSpan(request: LedgerRequest, moment: Moment): Span {
  const now = toMicros(moment.timeOf(moment.height));
  const second = (at: bigint): Micros => toMicros(((at / 1_000_000_000n) * 1_000_000_000n) as Nanoseconds);
  const from = Math.max(now - RETENTION, SECOND, request.start === undefined ? 0 : second(request.start));
  const to = Math.min(now + 1, request.end === undefined || request.end === 0n ? Infinity : second(request.end));
  return { from, to };
}

/** Older releases send rows in no order; here each 17 rows come in reverse order. */
function* unsorted(rows: Iterable<string>): Generator<string> {
  let handful: string[] = [];
  for (const row of rows) {
    handful.push(row);
    if (handful.length < 17) continue;
    yield* handful.toReversed();
    handful = [];
  }
  yield* handful.toReversed();
}

const DAY_SECONDS = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Times as Postgres writes them, `2023-01-18 01:09:59.297309+00`; the date is computed once for all rows of a day. */
class TimeText {
  #day = -1;
  #date = "";

  of(at: Micros): string {
    const seconds = Math.floor(at / SECOND);
    const day = Math.floor(seconds / DAY_SECONDS);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = new Date((GENESIS_SECONDS + day * DAY_SECONDS) * 1000).toISOString().slice(0, 10);
    }
    const clock = seconds - day * DAY_SECONDS;
    const hour = Math.floor(clock / 3600);
    const minute = Math.floor(clock / 60) % 60;
    const text = `${this.#date} ${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[clock % 60]}`;
    const micros = at - seconds * SECOND;
    if (micros === 0) return `${text}+00`;
    return `${text}.${String(micros).padStart(6, "0").replace(/0+$/u, "")}+00`;
  }
}
