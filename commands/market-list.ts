import { isAlive } from "../src/alerts/route/subscription.ts";
import type { AlertsContext } from "../src/answers/alerts/destination.ts";
import { visibleSubscriptions } from "../src/answers/alerts/subscriptions/subscriptions.ts";
import { marketAmounts, percentWords } from "../src/answers/amounts.ts";
import { answer, askFor, idCell } from "../src/answers/answer.ts";
import { tradingModeWords } from "../src/reply/enum-words.ts";
import { compareNames, marketsById, noteSeen } from "../src/answers/ids/ids.ts";
import {
  isExpectedToTrade,
  isInAuction,
  isLive,
  markOf,
  marketTone,
  shownState,
  spread,
  stateRank,
  stateWords,
} from "../src/answers/markets.ts";
import type { MarketData } from "../src/api/model/market.ts";
import type { MarketNames } from "../src/api/model/names.ts";
import { command } from "../src/bot/command.ts";
import { table, type Table } from "../src/reply/block.ts";
import type { Tone } from "../src/reply/reply.ts";
import { type Inline, strong, type Text, text, time, toText, detailText } from "../src/reply/text.ts";
import { compareDecimals, decimal, type Decimal } from "../src/units/decimal.ts";

export const marketList = command({
  name: "market list",
  alsoCalled: ["markets", "prices"],
  asked: [
    "market list|all|every|which|what|overview|trade|open|suspended|auction",
    "which|what|any market halted|stopped|suspended|paused|auction|open|live",
    "price|spread all|every|any",
    "which|what|where|market tight|narrow|wide|small|large|big|high|low|best|busy|active|liquid|deep market|spread|liquidity|activity|interest|book",
    "tight|narrow|wide|small|large|big|high|low|best|busy|busiest|least market|spread|liquidity|activity|interest",
    "market",
  ],
  summary: "All markets: mark, spread, state",
  verb: "List markets",
  examples: ["market list", "market list network:testnet"],
  workspaceChooses: true,
  run: async (context) => {
    const { api, signal, network } = context;
    const [{ value, asOf }, names] = await Promise.all([api.getMarketsData({ signal }), marketsById(context)]);
    const nameOf = (market: MarketData): MarketNames | undefined => names.get(market.market ?? "");
    const labelOf = (market: MarketData): string => nameOf(market)?.code ?? market.market ?? "";
    const own = await ownMarkets(context);
    const live = inOrder(value.filter(isExpectedToTrade), (market) => {
      // Those that the headline names, then those that somebody here is told of.
      const named = FIRST_TONES.indexOf(marketTone(market));
      const first = named >= 0 ? named : FIRST_TONES.length + (own.has(market.market ?? "") ? 0 : 1);
      return { first, activity: marketAmounts(nameOf(market)).activity(market), label: labelOf(market) };
    });
    const dead = inOrder(
      value.filter((market) => !live.includes(market)),
      (market) => ({ first: stateRank(market.marketState), activity: NO_ACTIVITY, label: labelOf(market) }),
    );
    const markets = [...live, ...dead];
    const troubled = live.filter((market) => marketTone(market) === "warning");
    noteSeen(
      context,
      "market",
      markets.toReversed().map((market) => ({ id: market.market, label: nameOf(market)?.code })),
    );
    return answer(context, asOf, {
      title: headline(network, markets.length, [live, troubled], labelOf),
      tone: listTone(live, troubled),
      blocks: [marketTable(context, markets, nameOf, live.length)],
      ask: askFor(context, "market list"),
    });
  },
});

/** Rows above the fold, and how many more are not worth a press. */
const FIRST_ROWS = 7;
const ROWS_TO_SPARE = 2;

const NO_ACTIVITY = decimal(0n);

/** Markets that do not trade come first: those in trouble, then those that wait. */
const FIRST_TONES: readonly Tone[] = ["warning", "neutral"];

interface Order {
  /** The lowest comes first. */
  readonly first: number;
  readonly activity: Decimal;
  readonly label: string;
}

/** Nodes send markets in random order: sorted, two replies can be compared by eye. */
function inOrder(markets: readonly MarketData[], orderOf: (market: MarketData) => Order): readonly MarketData[] {
  return markets
    .map((market) => ({ market, ...orderOf(market) }))
    .toSorted((a, b) => a.first - b.first || compareDecimals(b.activity, a.activity) || compareNames(a.label, b.label))
    .map(({ market }) => market);
}

/** The markets of which the channel or the caller is told. A list of markets needs no database. */
async function ownMarkets(context: AlertsContext & { readonly network: string }): Promise<ReadonlySet<string>> {
  const all = await context.alerts.subscriptions().catch(() => []);
  const here = visibleSubscriptions(all.filter(isAlive), context);
  return new Set(here.filter(({ network }) => network === context.network).flatMap(({ subjects }) => subjects));
}

/** The most markets that the headline names. */
const MAX_NAMED = 3;

/** `14 of 27 markets trade; RICE/USDC: suspended, XMR/USDT: pending`; those that are over are only counted. */
function headline(
  network: string,
  all: number,
  [live, troubled]: readonly [readonly MarketData[], readonly MarketData[]],
  labelOf: (market: MarketData) => string,
): Text {
  if (live.length === 0) return text`${network} has no live markets`;
  const waiting = live.filter((market) => marketTone(market) === "neutral");
  const others = [...troubled, ...waiting];
  const count = text`${live.length - others.length} of ${all} ${all === 1 ? "market trades" : "markets trade"}`;
  if (others.length === 0) return text`${count}, none in trouble`;
  const named =
    others.length > MAX_NAMED
      ? `${others.length} others wait or are in trouble`
      : others.map((market) => `${labelOf(market)}: ${idleWords(market)}`).join(", ");
  return text`${count}; ${named}`;
}

function listTone(live: readonly MarketData[], troubled: readonly MarketData[]): Tone {
  if (live.length === 0) return "neutral";
  return troubled.length === 0 ? "good" : "warning";
}

function marketTable(
  context: { readonly network: string },
  markets: readonly MarketData[],
  nameOf: (market: MarketData) => MarketNames | undefined,
  live: number,
): Table {
  const first = live > FIRST_ROWS + ROWS_TO_SPARE ? FIRST_ROWS : live;
  return table({
    name: "markets",
    ...(first === 0 || first === markets.length ? {} : { fold: first }),
    rows: markets.map((market) => ({ market, names: nameOf(market), ...marketAmounts(nameOf(market)) })),
    columns: [
      ["Market", ({ market, names }) => names?.code ?? idCell(market.market)],
      ["Mark", ({ market, price }) => price(markOf(market)), "right"],
      [
        "Spread",
        ({ market }) => (marketTone(market) === "good" ? percentWords(spread(market)?.percent) : idleWords(market)),
        "right",
      ],
      ["State", ({ market }) => stateCell(market), 3],
      ["Bid", ({ market, price }) => quoted(market, market.bestBidPrice, market.bestBidVolume, price), "right", 2],
      [
        "Offer",
        ({ market, price }) => quoted(market, market.bestOfferPrice, market.bestOfferVolume, price),
        "right",
        2,
      ],
      ["Open interest", ({ market, size }) => size(market.openInterest), "right", 2],
      ["Mode", ({ market }) => (isLive(market) ? tradingModeWords(market.marketTradingMode) : ""), 3],
      ["Auction ends", ({ market }) => auctionEnd(market), 3],
      [
        "Id",
        ({ market, names }) => (names === undefined ? idCell(market.market) : idCell(market.market).map(asDetail)),
        3,
      ],
    ],
    rowAction: {
      label: "Show",
      invocations: markets.map((market) => askFor(context, "market show", { market: market.market ?? "" })),
      effect: "reply",
    },
    empty: text`No markets.`,
  });
}

function auctionEnd(market: MarketData): Inline | undefined {
  return isInAuction(market) && market.auctionEnd !== undefined ? time(market.auctionEnd, "both") : undefined;
}

/** Nodes write a side of the book that is empty as price 0, volume 0. */
function quoted(
  market: MarketData,
  price: bigint | undefined,
  volume: bigint | undefined,
  show: (price: bigint) => Inline,
): Text {
  if (price === undefined) return toText("–");
  if (price !== 0n || (volume !== undefined && volume !== 0n)) return toText(show(price));
  return toText(isLive(market) ? "none" : detailText("none"));
}

function asDetail(inline: Inline): Inline {
  return inline.kind === "code" ? { ...inline, detail: true } : inline;
}

/** Why a market has no spread that counts, in a word or two: `suspended`, `auction`. */
function idleWords(market: MarketData): string {
  const isIdle = market.marketState === "STATE_ACTIVE";
  return isIdle ? (isInAuction(market) ? "auction" : "no trading") : stateWords(market.marketState);
}

/** Strong where a market is in trouble; a detail where it trades. */
function stateCell(market: MarketData): Text {
  const words = shownState(market);
  return toText(marketTone(market) === "warning" ? strong(words) : words);
}
