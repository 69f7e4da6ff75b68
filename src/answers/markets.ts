import {
  isAuctionMode,
  isLiveState,
  type LiquidityFeeShare,
  LIVE_STATES,
  type MarketData,
} from "../api/model/market.ts";
import { table, type Table } from "../reply/block.ts";
import type { Tone } from "../reply/reply.ts";
import { strong, type Text, text, type TextPart } from "../reply/text.ts";
import { compareDecimals, decimal, parseDecimal, roundedPercentOf } from "../units/decimal.ts";
import { formatDuration } from "../units/time.ts";
import { type MarketAmounts, percentOfFraction, percentWords } from "./amounts.ts";
import { idCell } from "./answer.ts";
import { auctionTriggerWords, enumWords, tradingModeWords } from "../reply/enum-words.ts";

/** A proposed market, then the ended states. */
const OTHER_STATES = [
  "STATE_PROPOSED",
  "STATE_TRADING_TERMINATED",
  "STATE_CLOSED",
  "STATE_SETTLED",
  "STATE_CANCELLED",
  "STATE_REJECTED",
];

export function isLive(market: MarketData): boolean {
  return isLiveState(market.marketState);
}

/** Whether a market should trade: it is neither proposed nor over, as far as its state is known. */
export function isExpectedToTrade({ marketState }: MarketData): boolean {
  return !OTHER_STATES.includes(marketState ?? "");
}

/** Whether a live market is in an auction; in other states the auction mode stays for ever and means nothing. */
export function isInAuction(market: MarketData): boolean {
  return isLive(market) && isAuctionMode(market.marketTradingMode);
}

/** Sort order: live markets by state, unknown states, proposed and ended ones. */
export function stateRank(state = ""): number {
  const live = LIVE_STATES.indexOf(state);
  if (live >= 0) return live;
  const other = OTHER_STATES.indexOf(state);
  return other >= 0 ? LIVE_STATES.length + 1 + other : LIVE_STATES.length;
}

/** Whether a market in this state will never be traded again. */
export function hasEnded(state: string | undefined): boolean {
  return OTHER_STATES.indexOf(state ?? "") > 0;
}

/** A state, short enough for a row on a phone: `terminated`. */
export function stateWords(state: string | undefined): string {
  return enumWords(state, "STATE").replace(/^trading (?=terminated$)/u, "");
}

/** The state of a row; with the mode where a market has the state of one that trades, and does not. */
export function shownState(market: MarketData): string {
  const words = stateWords(market.marketState);
  const isIdle = market.marketState === "STATE_ACTIVE" && marketTone(market) !== "good";
  return isIdle ? `${words}, ${tradingModeWords(market.marketTradingMode)}` : words;
}

/** `suspended, monitoring auction (price)`. */
export function stateAndMode(market: MarketData): string {
  const trigger = isInAuction(market) ? auctionTriggerWords(market.trigger) : undefined;
  const known = isLive(market) && market.marketTradingMode !== undefined;
  const mode = known ? `, ${tradingModeWords(market.marketTradingMode)}` : "";
  return `${stateWords(market.marketState)}${mode}${trigger === undefined ? "" : ` (${trigger})`}`;
}

/** `its opening auction`, or `an auction`. */
export function auctionWords(market: MarketData): string {
  return market.marketTradingMode === "TRADING_MODE_OPENING_AUCTION" ? "its opening auction" : "an auction";
}

/** Good while it trades; a warning while it should and does not, or nobody knows its state; neutral before and after. */
export function marketTone(market: MarketData): Tone {
  if (!isExpectedToTrade(market)) return "neutral";
  const trades =
    market.marketState === "STATE_ACTIVE" &&
    !isAuctionMode(market.marketTradingMode) &&
    market.marketTradingMode !== "TRADING_MODE_NO_TRADING";
  if (trades) return "good";
  // A market in its opening auction is not in trouble.
  return market.marketState === "STATE_PENDING" ? "neutral" : "warning";
}

/** The mark price; none where nodes write that of a market that does not trade, and never did, as 0. */
export function markOf(market: MarketData): bigint | undefined {
  return market.markPrice === 0n && marketTone(market) !== "good" ? undefined : market.markPrice;
}

/** A market's price monitoring bounds, with how far the mark price is from each. */
export function boundsTable(market: MarketData, amounts: MarketAmounts): Table {
  return table({
    title: text`Price bounds`,
    name: "price-bounds",
    rows: market.priceMonitoringBounds,
    columns: [
      ["Min", (bound) => amounts.price(bound.minValidPrice), "right"],
      ["Max", (bound) => amounts.price(bound.maxValidPrice), "right"],
      ["Mark above min", (bound) => distanceText(distanceTo("min", bound.minValidPrice, market.markPrice)), "right", 2],
      ["Mark below max", (bound) => distanceText(distanceTo("max", bound.maxValidPrice, market.markPrice)), "right", 2],
      ["Reference", (bound) => referencePrice(bound.referencePrice, amounts), "right", 3],
      ["Horizon", (bound) => secondsWords(bound.trigger?.horizon), "right", 3],
      ["Probability", (bound) => percentOfFraction(bound.trigger?.probability), "right", 3],
      ["Auction extension", (bound) => secondsWords(bound.trigger?.auctionExtension), "right", 3],
    ],
    empty: text`The market has no price bounds at the moment.`,
  });
}

/** The bound nearest to the mark price, in percent of the mark; undefined without bounds. */
export function nearestBound({ markPrice, priceMonitoringBounds }: MarketData) {
  const distances = priceMonitoringBounds.flatMap((bound) => [
    distanceTo("min", bound.minValidPrice, markPrice),
    distanceTo("max", bound.maxValidPrice, markPrice),
  ]);
  return distances.filter((one) => one !== undefined).toSorted((a, b) => compareDecimals(a.percent, b.percent))[0];
}

/** Between bid and offer, in units of price and in percent of the mid; undefined without both. */
export function spread({ bestBidPrice: bid, bestOfferPrice: offer }: MarketData) {
  if (bid === undefined || offer === undefined || bid <= 0n || offer <= 0n) return undefined;
  const units = offer - bid;
  return { units, percent: roundedPercentOf(decimal(units), { units: (bid + offer) * 5n, scale: 1 }, 3) };
}

/** How liquidity fees are shared among the providers. */
export function liquidityFeesTable(shares: readonly LiquidityFeeShare[], amounts: MarketAmounts): Table {
  return table({
    title: text`Liquidity fee shares`,
    name: "liquidity-fee-shares",
    rows: shares,
    columns: [
      ["Party", (share) => idCell(share.party)],
      ["Equity-like share", (share) => percentOfFraction(share.equityLikeShare), "right"],
      ["Average score", (share) => percentOfFraction(share.averageScore), "right", 2],
      ["Average entry valuation", (share) => amounts.amount(share.averageEntryValuation), "right", 2],
    ],
    empty: text`Nobody provides liquidity.`,
  });
}

/** How far the mark lies from a bound, in percent of the mark; undefined without both, and where the mark is zero. */
function distanceTo(side: "min" | "max", price: bigint | undefined, mark: bigint | undefined) {
  if (mark === undefined || price === undefined) return undefined;
  const inside = side === "min" ? mark - price : price - mark;
  const percent = roundedPercentOf(decimal(inside), decimal(mark));
  return percent === undefined ? undefined : { side, price, percent, isOutside: inside < 0n };
}

/** The percentage may be rounded to zero where the mark is outside of the bound. */
function distanceText(distance: ReturnType<typeof distanceTo>): Text {
  return text`${percentWords(distance?.percent)}${distance?.isOutside === true ? text` ${strong("outside")}` : []}`;
}

function referencePrice(given: string | undefined, amounts: MarketAmounts): TextPart {
  const exact = given === undefined ? undefined : parseDecimal(given);
  return exact === undefined ? (given ?? "–") : amounts.price(exact);
}

function secondsWords(seconds: bigint | undefined): string {
  if (seconds === undefined) return "–";
  return seconds > 0n && seconds < 1_000_000_000n ? formatDuration(Number(seconds) * 1000) : `${seconds} s`;
}
