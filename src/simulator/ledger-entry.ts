import type { Chance } from "./chance.ts";

/** Names and numbers as in the platform's protocol definitions (vega.proto: TransferType, AccountType). */
type Kind = readonly [name: string, number: number];

interface TransferKind {
  readonly transfer: Kind;
  /** The party's own account, and whose it meets. */
  readonly own: Kind;
  readonly other: Kind;
  readonly sent: boolean;
  readonly inMarket: boolean;
  /** The other side is another party rather than the network. */
  readonly betweenParties?: true;
}

const GENERAL: Kind = ["ACCOUNT_TYPE_GENERAL", 4];
const MARGIN: Kind = ["ACCOUNT_TYPE_MARGIN", 3];
const SETTLEMENT: Kind = ["ACCOUNT_TYPE_SETTLEMENT", 2];
const FEES_MAKER: Kind = ["ACCOUNT_TYPE_FEES_MAKER", 7];
const FEES_INFRASTRUCTURE: Kind = ["ACCOUNT_TYPE_FEES_INFRASTRUCTURE", 5];
const EXTERNAL: Kind = ["ACCOUNT_TYPE_EXTERNAL", 10];
const REWARD: Kind = ["ACCOUNT_TYPE_GLOBAL_REWARD", 12];

const SENT: readonly TransferKind[] = [
  { transfer: ["TRANSFER_TYPE_MTM_LOSS", 4], own: MARGIN, other: SETTLEMENT, sent: true, inMarket: true },
  { transfer: ["TRANSFER_TYPE_MAKER_FEE_PAY", 9], own: GENERAL, other: FEES_MAKER, sent: true, inMarket: true },
  {
    transfer: ["TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY", 11],
    own: GENERAL,
    other: FEES_INFRASTRUCTURE,
    sent: true,
    inMarket: false,
  },
  { transfer: ["TRANSFER_TYPE_WITHDRAW", 18], own: GENERAL, other: EXTERNAL, sent: true, inMarket: false },
];
const RECEIVED: readonly TransferKind[] = [
  { transfer: ["TRANSFER_TYPE_MTM_WIN", 5], own: MARGIN, other: SETTLEMENT, sent: false, inMarket: true },
  { transfer: ["TRANSFER_TYPE_DEPOSIT", 19], own: GENERAL, other: EXTERNAL, sent: false, inMarket: false },
  { transfer: ["TRANSFER_TYPE_REWARD_PAYOUT", 21], own: GENERAL, other: REWARD, sent: false, inMarket: false },
  {
    transfer: ["TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE", 30],
    own: GENERAL,
    other: GENERAL,
    sent: false,
    inMarket: false,
    betweenParties: true,
  },
];

/** Whose ledger it is, and what fills it. */
export interface LedgerSubject {
  readonly party: string;
  readonly partyIndex: number;
  readonly asset: string;
  readonly markets: readonly string[];
  readonly parties: readonly string[];
}

export const HEADERS = {
  12: "vega_time,quantity,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_to_market_id,account_to_party_id,account_to_account_type,account_from_balance,account_to_balance",
  13: "vega_time,quantity,effect,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_from_balance,account_to_market_id,account_to_party_id,account_to_account_type,account_to_balance",
} as const;

/** A text that no release has, to be kept by whoever reads columns by their names. */
export const EXTRA_COLUMN = "later_column";

/** One line of the export, without the line feed. The older columns know only what the party sent. */
export function ledgerRow(
  subject: LedgerSubject,
  entry: { time: string; index: number; columns: 12 | 13; extra: boolean },
  chance: Chance,
): string {
  const { partyIndex: p, asset } = subject;
  const { index, columns } = entry;
  const sent = columns === 12 || chance.bits("entry-way", p, index) % 2 === 0;
  const kinds = sent ? SENT : RECEIVED;
  const kind = kinds[chance.bits("entry-kind", p, index) % kinds.length] ?? kinds[0];
  if (kind === undefined) throw new RangeError("there are kinds of transfers");
  const market = kind.inMarket
    ? (subject.markets[chance.bits("entry-market", p, index) % subject.markets.length] ?? "")
    : "";
  const peer = kind.betweenParties
    ? (subject.parties[(p + 1 + (index % 7)) % subject.parties.length] ?? "network")
    : "network";
  const quantity = amount(chance, "entry-quantity", p, index);
  const own = { party: subject.party, type: kind.own, balance: amount(chance, "entry-balance", p, index) };
  const other = { party: peer, type: kind.other, balance: kind.sent ? quantity : "0" };
  const [from, to] = kind.sent ? [own, other] : [other, own];
  const extra = entry.extra ? `,"Zürich ""${index}"" 💱"` : "";
  if (columns === 13) {
    const effect = kind.sent ? `-${quantity}` : quantity;
    return `${entry.time},${quantity},${effect},${kind.transfer[0]},${asset},${market},${from.party},${from.type[0]},${from.balance},${market},${to.party},${to.type[0]},${to.balance}${extra}`;
  }
  return `${entry.time},${quantity},${kind.transfer[1]},\\x${asset},\\x${market},\\x${olderParty(from.party)},${from.type[1]},\\x${market},\\x${olderParty(to.party)},${to.type[1]},${from.balance},${to.balance}${extra}`;
}

function olderParty(party: string): string {
  return party === "network" ? "03" : party;
}

/** From 11 to 21 digits: in the asset's smallest unit, and as a rule beyond what a JS number holds. */
function amount(chance: Chance, what: string, party: number, index: number): string {
  const head = 1 + (chance.bits(what, party, index) >>> 1);
  const tail = chance.bits(what, party, index, 1);
  return `${head}${String(tail).padStart(10, "0")}`;
}
