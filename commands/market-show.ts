import { marketAmounts, type MarketAmounts, percentWords } from "../src/answers/amounts.ts";
import { tellAtAction } from "../src/alerts/words/subscription-words.ts";
import { answer, askFor, extraFields, looksChartActions, timeCell } from "../src/answers/answer.ts";
import { auctionTriggerWords, enumWords, tradingModeWords } from "../src/reply/enum-words.ts";
import { assetsById, MARKET, marketsById, type NamedId, noteSeen, typedName } from "../src/answers/ids/ids.ts";
import { resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import {
  auctionWords,
  boundsTable,
  isInAuction,
  isLive,
  liquidityFeesTable,
  markOf,
  marketTone,
  nearestBound,
  spread,
  stateAndMode,
} from "../src/answers/markets.ts";
import { LiquidityFeeShare, MarketData, PriceBound } from "../src/api/model/market.ts";
import { command } from "../src/bot/command.ts";
import { nearest } from "../src/bot/nearest.ts";
import { UserError } from "../src/errors.ts";
import { type Block, details, facts, field, type Field, fields, paragraph } from "../src/reply/block.ts";
import { id, joinText, text, type Text } from "../src/reply/text.ts";
import { parseDecimal, roundedPercentOf } from "../src/units/decimal.ts";

/** The known fields of a bound's trigger. */
const TRIGGER_FIELDS = { horizon: true, probability: true, auctionExtension: true };

export const marketShow = command({
  name: "market show",
  alsoCalled: ["price", "spread", "mark", "bid", "offer", "open interest", "price bound"],
  asked: [
    "price|spread|mark|mid|bid|offer|ask|best|bbo|top|book|touch|level|ticker|quote|dollar|usd|cost|worth|value|trade|wide|tight|far|apart|difference|gap|liquidity|liquid|deep|depth|interest|bound|market|much|many|expensive|cheap|pay|rate|auction|last|check|how|where|what {market}",
    "how much|many|far|wide|deep {market}",
    "{market}",
    "price|spread|bid|offer|liquidity|mid|quote",
    "open interest",
  ],
  summary: "One market: price, spread, bounds, liquidity",
  verb: "Show market",
  examples: ["market show BTC/USDT", "market show BTC/USDT network:testnet"],
  workspaceChooses: true,
  options: {
    market: idOption(MARKET, { required: true, description: "Its code (BTC/USDT) or id; the beginning is enough" }),
  },
  run: async (context) => {
    const { api, signal, network, options } = context;
    const { value, asOf } = await api.getMarketsData({ signal });
    const live = new Set(value.filter(isLive).map((data) => data.market));
    const also = value.flatMap(({ market: known }) => (known === undefined ? [] : [{ id: known, label: undefined }]));
    const marketId = await resolveId(MARKET, options.market, context, "market", {
      also,
      prefer: (candidate) => live.has(candidate),
      asSaid: true,
    });
    const market = value.find((data) => data.market?.toLowerCase() === marketId.toLowerCase());
    if (market === undefined) throw noSuchMarket(network, marketId, also);
    const [markets, assets] = await Promise.all([marketsById(context), assetsById(context)]);
    const names = markets.get(marketId);
    const amounts = marketAmounts(names, assets.get(names?.settlementAsset ?? ""));
    noteSeen(
      context,
      "party",
      market.liquidityProviderFeeShare.map(({ party }) => ({ id: party })),
    );
    noteSeen(context, "market", [{ id: marketId, label: names?.code }]);
    const label = names?.code ?? marketId;
    const all = await MARKET.names(context);
    const typed = typedName(all.find(({ id: known }) => known === marketId) ?? { id: marketId, label }, all);
    const liquidity = fields(
      [
        field("Market value proxy", amounts.amount(market.marketValueProxy)),
        field("Supplied stake", amounts.amount(market.suppliedStake)),
        field("Target stake", amounts.amount(market.targetStake)),
      ],
      text`Liquidity`,
    );
    const ids: Block[] = [fields(stateFields(market, names?.name, marketId), text`Market`)];
    const unknown = [
      ...extraFields(market, MarketData.shape),
      ...market.priceMonitoringBounds.flatMap((bound, index) => [
        ...extraFields(bound, PriceBound.shape, `priceMonitoringBounds[${index}].`),
        ...extraFields(bound.trigger, TRIGGER_FIELDS, `priceMonitoringBounds[${index}].trigger.`),
      ]),
      ...market.liquidityProviderFeeShare.flatMap((share, index) =>
        extraFields(share, LiquidityFeeShare.shape, `liquidityProviderFeeShare[${index}].`),
      ),
    ];
    if (unknown.length > 0) ids.push(fields(unknown, text`Further fields of the node`));
    if (!amounts.known) {
      ids.push(
        paragraph(
          "This node does not say how many decimals the market has: numbers marked raw are integers as it sends them.",
        ),
      );
    }
    const below = [
      ...details([fields(priceFields(market, amounts), text`Prices`)], "Prices"),
      ...details([liquidity, liquidityFeesTable(market.liquidityProviderFeeShare, amounts)], "Liquidity"),
      ...details([boundsTable(market, amounts)], "Bounds"),
      ...details(ids, "Ids"),
    ];
    const high = isLive(market) ? amounts.typedPrice(market.markPrice ?? 0n) : undefined;
    // Buttons of a private answer ask privately, too, whatever the server chose.
    const again = { private: context.askedPrivately || undefined };
    return answer(context, asOf, {
      title: headline(label, market, amounts),
      titleOfPast: headline(label, market, amounts, PAST),
      tone: marketTone(market),
      blocks: [...facts(factFields(market, amounts)), ...below],
      actions: [
        ...(high === undefined
          ? []
          : [tellAtAction(context.network, marketId, label, { present: high, side: "above" })]),
        ...looksChartActions(context, typed, again, label),
      ],
      ask: askFor(context, "market show", { market: typed, ...again }),
    });
  },
});

function noSuchMarket(network: string, marketId: string, also: readonly NamedId[]): UserError {
  const ids = also.map((one) => one.id);
  const near = nearest(marketId, ids);
  return new UserError(`${network} has no market ${marketId}.`, {
    option: "market",
    remedy: `${near === undefined ? "Check the id and the network." : `Did you mean ${near}?`} All markets are listed by:`,
    suggestion: "market list",
  });
}

const PRESENT = { trades: "trades", is: "is" };
const PAST: typeof PRESENT = { trades: "traded", is: "was" };

/** `BTC/USDT trades at 103,924.07, spread 0.04 %`; why it does not trade, where it does not, and what its book has. */
function headline(label: string, market: MarketData, amounts: MarketAmounts, words = PRESENT): Text {
  const mark = amounts.price(market.markPrice);
  if (isInAuction(market)) {
    const [bid, offer] = [market.bestBidPrice, market.bestOfferPrice].map((at) =>
      (at ?? 0n) > 0n ? amounts.price(at) : undefined,
    );
    const sides = [
      ...(bid === undefined ? [] : [text`bid ${bid}`]),
      ...(offer === undefined ? [] : [text`offer ${offer}`]),
    ];
    return text`${label} ${words.is} in ${auctionWords(market)}; ${joinText([...sides, spreadWords(market)], ", ")}`;
  }
  if (marketTone(market) === "good") return text`${label} ${words.trades} at ${mark}, ${spreadWords(market)}`;
  const last = (market.markPrice ?? 0n) === 0n ? text`` : text`, mark ${mark}`;
  return text`${label} ${words.is} ${stateAndMode(market)}${last}`;
}

/** `spread 0.04 %`, or that there is none, and why. */
function spreadWords(market: MarketData): Text {
  const gap = spread(market);
  if (gap !== undefined) return text`spread ${percentWords(gap.percent)}`;
  const [bids, offers] = [market.bestBidPrice, market.bestOfferPrice].map((at) => (at ?? 0n) > 0n);
  return text`no spread: the book has ${bids === true ? "no offer" : offers === true ? "no bid" : "no bid and no offer"}`;
}

function factFields(market: MarketData, amounts: MarketAmounts): Field[] {
  const { price, size } = amounts;
  const closest = nearestBound(market);
  const nearestBoundWords =
    closest === undefined
      ? undefined
      : text`${closest.side} ${price(closest.price)}, ${percentWords(closest.percent)} away`;
  const auction = isInAuction(market)
    ? [
        field("Set off by", auctionTriggerWords(market.trigger)),
        field("Since", timeCell(market.auctionStart, "relative")),
        ...(market.auctionEnd === undefined ? [] : [field("Until", timeCell(market.auctionEnd, "both"))]),
        field("Indicative", quote(amounts, market.indicativePrice, market.indicativeVolume)),
        field("Mark", price(markOf(market))),
      ]
    : [];
  return [
    ...auction,
    field("Bid", quote(amounts, market.bestBidPrice, market.bestBidVolume)),
    field("Offer", quote(amounts, market.bestOfferPrice, market.bestOfferVolume)),
    field("Open interest", size(market.openInterest)),
    field("Nearest bound", nearestBoundWords),
    field("Liquidity", liquidityWords(market)),
  ];
}

function stateFields(market: MarketData, name: string | undefined, marketId: string): Field[] {
  return [
    ...(name === undefined ? [] : [field("Name", name, { wide: true })]),
    field("Market id", id(marketId), { wide: true }),
    field("State", enumWords(market.marketState, "STATE")),
    field("Trading mode", tradingModeWords(market.marketTradingMode)),
    field("Auction trigger", auctionTriggerWords(market.trigger)),
    field("Extension trigger", auctionTriggerWords(market.extensionTrigger)),
    field("Auction start", timeCell(market.auctionStart, "both")),
    field("Auction end", timeCell(market.auctionEnd, "both")),
    field("Next mark to market", timeCell(market.nextMarkToMarket, "both")),
    field("Data of", timeCell(market.timestamp, "both")),
  ];
}

/** `103,905.04 × 0.3537`; undefined for a side of the book without orders. */
function quote({ price, size }: MarketAmounts, at: bigint | undefined, volume: bigint | undefined): Text | undefined {
  return (at ?? 0n) === 0n && (volume ?? 0n) === 0n ? undefined : text`${price(at)} × ${size(volume)}`;
}

/** The prices that are no facts. */
function priceFields(market: MarketData, amounts: MarketAmounts): Field[] {
  const { price } = amounts;
  const gap = spread(market);
  return [
    ...(isInAuction(market)
      ? []
      : [
          field("Mark", price(markOf(market))),
          field("Indicative", quote(amounts, market.indicativePrice, market.indicativeVolume)),
        ]),
    field("Spread", gap === undefined ? undefined : text`${price(gap.units)} (${percentWords(gap.percent)})`),
    field("Mid", price(market.midPrice)),
    field("Static mid", price(market.staticMidPrice)),
    field("Static bid", quote(amounts, market.bestStaticBidPrice, market.bestStaticBidVolume)),
    field("Static offer", quote(amounts, market.bestStaticOfferPrice, market.bestStaticOfferVolume)),
    // Release v0.71 leaves it empty; others may not.
    ...(market.lastTradedPrice === undefined ? [] : [field("Last traded", price(market.lastTradedPrice))]),
  ];
}

/** The stake of those who provide liquidity, beside the market's target for it. */
function liquidityWords({ suppliedStake = "", targetStake = "" }: MarketData): Text | undefined {
  const [supplied, target] = [parseDecimal(suppliedStake), parseDecimal(targetStake)];
  const share = supplied === undefined || target === undefined ? undefined : roundedPercentOf(supplied, target);
  return share === undefined ? undefined : text`${percentWords(share)} of its target`;
}
