import type { Moment } from "../chain/chain.ts";
import type { PagedList } from "../gateway/pages.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { lastTradedAt, openInterestShare, type Phase, phaseOf } from "./market-phase.ts";
import { type Market, type MarketCatalogue, millionths, priceAt, swingAt, type Waves } from "./market.ts";

/** How a node sends a time that Go never set: the year 1754, in nanoseconds. */
const UNSET_TIME = "-6795364578871345152";
/** Marking to market happens about every five seconds. */
const MARK_EVERY_BLOCKS = 7;

/** The changes of open interest and of target stake: some hundredths in an hour, a third in a month. */
const INTEREST: Waves = [
  [35, 800],
  [430, 5_000],
  [5_100, 18_000],
  [61_000, 60_000],
  [720_000, 250_000],
];

export class MarketRecords {
  readonly #catalogue: MarketCatalogue;
  readonly #random: SeededRandom;
  #kept: { height: number; records: Record<string, unknown>[] } | undefined;

  constructor(catalogue: MarketCatalogue, random: SeededRandom) {
    this.#catalogue = catalogue;
    this.#random = random;
  }

  /** `/api/v2/markets/data`, in an order that changes with `round`. */
  marketsData(moment: Moment, round: number): Record<string, unknown>[] {
    return this.#random.shuffled(this.#dataAt(moment), "markets-order", round);
  }

  markets(moment: Moment): PagedList<Market> {
    const rows = this.#catalogue.at(moment.height);
    const order = new Map(rows.map((market, index) => [market.id, index]));
    return {
      rows,
      keyOf: (market) => market.id,
      compareKeys: (a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0),
      render: (market) => this.market(market, moment),
    };
  }

  byId(id: string, moment: Moment): Market | undefined {
    return this.#catalogue.byId(id, moment.height);
  }

  /** The record of `/api/v2/market/{id}`: only its names and scales. */
  market(market: Market, moment: Moment): Record<string, unknown> {
    const phase = phaseOf(market, moment.height, this.#random);
    const future = { settlementAsset: market.asset.id, quoteName: market.asset.symbol };
    return {
      id: market.id,
      tradableInstrument: {
        instrument: { id: "", code: market.code, name: market.name, metadata: { tags: ["simulated"] }, future },
      },
      decimalPlaces: String(market.decimalPlaces),
      positionDecimalPlaces: String(market.positionDecimalPlaces),
      tradingMode: phase.mode,
      state: phase.state,
    };
  }

  #dataAt(moment: Moment): Record<string, unknown>[] {
    // The times in a record depend on stalls too, so the height alone does not show whether a record is current.
    const timestamp = moment.timeOf(moment.height).toString();
    if (this.#kept?.height !== moment.height || this.#kept.records[0]?.["timestamp"] !== timestamp) {
      const records = this.#catalogue.at(moment.height).map((market) => this.#record(market, moment, timestamp));
      this.#kept = { height: moment.height, records };
    }
    return this.#kept.records;
  }

  #record(market: Market, moment: Moment, timestamp: string): Record<string, unknown> {
    const phase = phaseOf(market, moment.height, this.#random);
    const auction = phase.mode.endsWith("AUCTION");
    const continuous = phase.mode === "TRADING_MODE_CONTINUOUS";
    const markHeight = moment.height - (moment.height % MARK_EVERY_BLOCKS);
    // An opening auction takes orders, too; a market that stays in one for ever has no book.
    const opening = phase.state === "STATE_PENDING" && phase.auctionTo !== undefined;
    const live = continuous || opening || phase.state === "STATE_SUSPENDED";
    // A market that is not live any more keeps its last mark price for ever.
    const tradedAt = lastTradedAt(market, markHeight);
    const mark = priceAt(market, tradedAt, this.#random);
    const traded = (live && !opening) || phase.state === "STATE_SETTLED" || phase.state === "STATE_TRADING_TERMINATED";
    return {
      markPrice: traded ? mark.toString() : "0",
      ...this.#book(market, moment.height, live, continuous),
      market: market.id,
      timestamp,
      // A settled market has no open positions.
      openInterest: traded && phase.state !== "STATE_SETTLED" ? this.#openInterest(market, tradedAt) : "0",
      auctionEnd: phase.auctionTo === undefined ? "0" : moment.timeOf(phase.auctionTo).toString(),
      auctionStart: phase.auctionFrom === undefined ? "0" : moment.timeOf(phase.auctionFrom).toString(),
      indicativePrice: auction && live ? priceAt(market, moment.height, this.#random).toString() : "0",
      indicativeVolume: auction && live ? this.#volume(market, "indicative", moment.height, 9_000) : "0",
      marketTradingMode: phase.mode,
      trigger: phase.trigger,
      extensionTrigger: phase.extension,
      ...this.#stakes(market, markHeight, live, phase),
      priceMonitoringBounds: live && !opening ? this.#bounds(market, moment.height, mark) : [],
      liquidityProviderFeeShare: live ? this.#feeShares(market) : [],
      marketState: phase.state,
      nextMarkToMarket: continuous ? moment.timeOf(markHeight + MARK_EVERY_BLOCKS).toString() : UNSET_TIME,
      // Always empty on a real node.
      lastTradedPrice: "",
    };
  }

  /** An auction has no mid price; a market that is not live has no book at all. */
  #book(market: Market, height: number, live: boolean, continuous: boolean): Record<string, string> {
    const price = priceAt(market, height, this.#random);
    const half = millionths(price, this.#random.int(40, 400, "spread", market.index, height));
    const lp = millionths(price, 900) + half;
    const bid = price - half > 0n ? price - half : 1n;
    const show = (value: bigint): string => (live ? value.toString() : "0");
    const volume = (what: string): string => (live ? this.#volume(market, what, height, 5_000) : "0");
    return {
      bestBidPrice: show(bid),
      bestBidVolume: volume("bid-volume"),
      bestOfferPrice: show(price + half),
      bestOfferVolume: volume("offer-volume"),
      bestStaticBidPrice: show(price - lp > 0n ? price - lp : 1n),
      bestStaticBidVolume: volume("static-bid-volume"),
      bestStaticOfferPrice: show(price + lp),
      bestStaticOfferVolume: volume("static-offer-volume"),
      midPrice: continuous ? ((bid + price + half) / 2n).toString() : "0",
      staticMidPrice: continuous ? price.toString() : "0",
    };
  }

  #stakes(market: Market, height: number, live: boolean, phase: Phase): Record<string, string> {
    const scale = "0".repeat(market.asset.decimals);
    const usual = this.#random.int(40_000, 400_000, "target-stake", market.index);
    const target = swung(usual, swingAt(INTEREST, "target-stake", market.index, height, this.#random));
    const short = phase.trigger === "AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET";
    const supplied = short ? Math.floor(target * 0.7) : Math.floor(target * 1.4) + 1;
    return {
      targetStake: live ? `${target}${scale}` : "0",
      suppliedStake: live ? `${supplied}${scale}` : "0",
      marketValueProxy: live ? `${supplied}${scale}` : "0",
    };
  }

  #bounds(market: Market, height: number, mark: bigint): Record<string, unknown>[] {
    const triggers: [horizon: string, probability: string, extension: string, width: number][] = [
      ["300", "0.9999", "60", 24_000],
      ["3600", "0.9999", "300", 72_000],
      ["43200", "0.99999", "1800", 240_000],
    ];
    const count = 1 + (market.index % triggers.length);
    return triggers.slice(0, count).map(([horizon, probability, auctionExtension, width]) => {
      const anchor = priceAt(market, height - (height % (Number(horizon) + 100)), this.#random);
      const reach = millionths(anchor, width);
      const holds = mark > anchor - reach && mark < anchor + reach;
      const reference = holds ? anchor : mark;
      return {
        minValidPrice: (reference - reach).toString(),
        maxValidPrice: (reference + reach).toString(),
        trigger: { horizon, probability, auctionExtension },
        referencePrice: reference.toString(),
      };
    });
  }

  #feeShares(market: Market): Record<string, string>[] {
    const count = 1 + (market.index % 4);
    const parts = Array.from({ length: count }, (_, index) =>
      this.#random.int(1, 100, "lp-weight", market.index, index),
    );
    const total = parts.reduce((sum, part) => sum + part, 0);
    return parts.map((part, index) => ({
      party: this.#random.hex(32, "party", (market.index + index) % 12),
      equityLikeShare: fraction(part, total),
      averageEntryValuation: `${this.#random.int(10_000, 900_000, "lp-entry", market.index, index)}${"0".repeat(market.asset.decimals)}`,
      averageScore: fraction(this.#random.int(1, 999, "lp-score", market.index, index), 1000),
    }));
  }

  #openInterest(market: Market, height: number): string {
    const usual = this.#random.int(100_000, 900_000, "open-interest", market.index) * openInterestShare(market, height);
    return swung(usual, swingAt(INTEREST, "open-interest", market.index, height, this.#random)).toString();
  }

  #volume(market: Market, what: string, at: number, most: number): string {
    return this.#random.int(1, most, what, market.index, at).toString();
  }
}

/** A usual number after so many parts per million up or down. */
function swung(usual: number, partsPerMillion: number): number {
  return Math.round((usual * (1_000_000 + partsPerMillion)) / 1_000_000);
}

/** part / whole as the decimal text that Go's big decimals give: 16 digits at most, no trailing zeros. */
function fraction(part: number, whole: number): string {
  if (part === whole) return "1";
  const digits = ((BigInt(part) * 10n ** 16n) / BigInt(whole)).toString().padStart(16, "0").replace(/0+$/u, "");
  return digits === "" ? "0" : `0.${digits}`;
}
