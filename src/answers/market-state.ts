import type { MarketData } from "../api/market-data.ts";
import { isAuctionMode, isLiveState, LIVE_STATES } from "../api/market-life.ts";
import type { Tone } from "../reply/reply.ts";
import { auctionTriggerWords, enumWords, tradingModeWords } from "./enum-words.ts";

/** A market that may yet come, then those that are over. */
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

/** Whether a market is in an auction that will end: those of markets that are not live stay for ever and mean nothing. */
export function isInAuction(market: MarketData): boolean {
  return isLive(market) && isAuctionMode(market.marketTradingMode);
}

/** Live markets first, then by how far they are from trading; states that are not known come before the ended ones. */
export function stateRank(market: MarketData): number {
  const state = market.marketState ?? "";
  const live = LIVE_STATES.indexOf(state);
  if (live >= 0) return live;
  const other = OTHER_STATES.indexOf(state);
  return other >= 0 ? LIVE_STATES.length + 1 + other : LIVE_STATES.length;
}

/** Whether a market in this state will never be traded again. */
export function hasEnded(state: string | undefined): boolean {
  return OTHER_STATES.indexOf(state ?? "") > 0;
}

export function stateWords(market: MarketData): string {
  return enumWords(market.marketState, "STATE");
}

/** `suspended, monitoring auction (price)`. */
export function stateAndMode(market: MarketData): string {
  const trigger = isInAuction(market) ? auctionTriggerWords(market.trigger) : undefined;
  const known = isLive(market) && market.marketTradingMode !== undefined;
  const mode = known ? `, ${tradingModeWords(market.marketTradingMode)}` : "";
  return `${stateWords(market)}${mode}${trigger === undefined ? "" : ` (${trigger})`}`;
}

/** Good while it trades, a warning while it is live and does not, neutral before and after its life. */
export function marketTone(market: MarketData): Tone {
  if (!isLive(market)) return "neutral";
  const trades =
    market.marketState === "STATE_ACTIVE" &&
    !isAuctionMode(market.marketTradingMode) &&
    market.marketTradingMode !== "TRADING_MODE_NO_TRADING";
  if (trades) return "good";
  // Before its opening auction is over a market is not in trouble.
  return market.marketState === "STATE_PENDING" ? "neutral" : "warning";
}
