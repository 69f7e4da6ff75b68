import { marketAmounts, type MarketAmounts, percentWords } from "../src/answers/amounts.ts";
import { answer, askFor } from "../src/answers/answer.ts";
import { extraFields, timeCell } from "../src/answers/cells.ts";
import { auctionTriggerWords, enumWords, tradingModeWords } from "../src/answers/enum-words.ts";
import { assetsById, MARKET, marketsById, type NamedId } from "../src/answers/ids/ids.ts";
import { resolveId } from "../src/answers/ids/resolve-id.ts";
import { noteSeen } from "../src/answers/ids/seen-ids.ts";
import { suggestIds } from "../src/answers/ids/suggest-ids.ts";
import {
  boundsTable,
  isInAuction,
  isLive,
  liquidityFeesTable,
  marketTone,
  nearestBound,
  stateAndMode,
} from "../src/answers/markets.ts";
import { LiquidityFeeShare, MarketData, PriceBound } from "../src/api/model/market.ts";
import { command } from "../src/bot/command.ts";
import { nearest } from "../src/bot/nearest.ts";
import { UserError } from "../src/errors.ts";
import { type Block, field, type Field, paragraph } from "../src/reply/block.ts";
import { id, strong, text, time } from "../src/reply/text.ts";
import { decimal, type Decimal, parseDecimal, roundedPercentOf } from "../src/units/decimal.ts";

/** The known fields of a bound's trigger. */
const TRIGGER_FIELDS = { horizon: true, probability: true, auctionExtension: true };

export const marketShow = command({
  name: "market show",
  summary: "Everything about one market: prices, spread, bounds, liquidity fee shares",
  examples: ["market show BTC/USDT", "market show BTC/USDT network:testnet"],
  access: "everyone",
  audience: "caller",
  workspaceChooses: true,
  options: {
    market: {
      kind: "text",
      required: true,
      description: "The market: its code, its id, or the beginning of one",
      example: "BTC/USDT",
      suggest: suggestIds(MARKET),
    },
  },
  run: async (context) => {
    const { api, signal, network, options } = context;
    const { value, asOf } = await api.getMarketsData({ signal });
    const live = new Set(value.filter(isLive).map((data) => data.market));
    const also = value.flatMap((data): NamedId[] =>
      data.market === undefined ? [] : [{ id: data.market, label: undefined }],
    );
    const marketId = await resolveId(MARKET, options.market, context, "market", {
      also,
      prefer: (candidate) => live.has(candidate),
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
    const blocks: Block[] = [
      ...auctionParagraph(market),
      { kind: "fields", fields: stateFields(market, names?.name, marketId) },
      { kind: "fields", title: text`Prices`, fields: priceFields(market, amounts) },
      { kind: "fields", title: text`Interest and liquidity`, fields: liquidityFields(market, amounts) },
      boundsTable(market, amounts),
      liquidityFeesTable(market.liquidityProviderFeeShare, amounts),
    ];
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
    if (unknown.length > 0) blocks.push({ kind: "fields", title: text`Further fields of the node`, fields: unknown });
    if (!amounts.known) {
      blocks.push(
        paragraph(
          "This node does not say how many decimals the market has: numbers marked raw are integers as it sends them.",
        ),
      );
    }
    // Buttons of a private answer ask privately, too, whatever the server chose.
    const again = { private: context.askedPrivately || undefined };
    return answer(context, asOf, {
      title: text`${label}: mark ${amounts.price(market.markPrice)}, ${stateAndMode(market)}`,
      tone: marketTone(market),
      blocks,
      actions: [{ label: "All markets", invocation: askFor(context, "market list", again), effect: "reply" }],
      ask: askFor(context, "market show", { market: marketId, ...again }),
    });
  },
});

function noSuchMarket(network: string, marketId: string, also: readonly NamedId[]): UserError {
  const near = nearest(
    marketId,
    also.map((one) => one.id),
  );
  return new UserError(`${network} has no market ${marketId}.`, {
    option: "market",
    remedy: `Check the id and the network${near === undefined ? "" : `; did you mean ${near}?`} All markets are listed by:`,
    suggestion: "market list",
  });
}

function auctionParagraph(market: MarketData): Block[] {
  if (!isInAuction(market)) return [];
  const trigger = auctionTriggerWords(market.trigger);
  const extension = auctionTriggerWords(market.extensionTrigger);
  return [
    paragraph(
      text`In ${article(tradingModeWords(market.marketTradingMode))}${trigger === undefined ? "" : `, set off by ${trigger}`}${
        market.auctionStart === undefined ? text`` : text`, since ${time(market.auctionStart)}`
      }${market.auctionEnd === undefined ? text`` : text`; it ends ${time(market.auctionEnd, "both")}`}${
        extension === undefined ? "" : ` (extended by ${extension})`
      }.`,
    ),
  ];
}

function article(words: string): string {
  return `${/^[aeiou]/u.test(words) ? "an" : "a"} ${words}`;
}

function stateFields(market: MarketData, name: string | undefined, marketId: string): Field[] {
  return [
    ...(name === undefined ? [] : [field("Name", name, { wide: true })]),
    field("Market id", id(marketId), { wide: true }),
    field("State", enumWords(market.marketState, "STATE")),
    field("Trading mode", tradingModeWords(market.marketTradingMode)),
    field("Auction trigger", auctionTriggerWords(market.trigger) ?? "none"),
    field("Extension trigger", auctionTriggerWords(market.extensionTrigger) ?? "none"),
    field("Auction start", timeCell(market.auctionStart, "both")),
    field("Auction end", timeCell(market.auctionEnd, "both")),
    field("Next mark to market", timeCell(market.nextMarkToMarket, "both")),
    field("Data of", timeCell(market.timestamp, "both")),
  ];
}

function priceFields(market: MarketData, amounts: MarketAmounts): Field[] {
  const { price, size } = amounts;
  const quote = (at: bigint | undefined, volume: bigint | undefined): string => {
    if (at === undefined && volume === undefined) return "–";
    return at === 0n && (volume ?? 0n) === 0n ? "none" : `${price(at)} × ${size(volume)}`;
  };
  const closest = nearestBound(market);
  return [
    field("Mark", strong(price(market.markPrice))),
    field("Best bid", quote(market.bestBidPrice, market.bestBidVolume)),
    field("Best offer", quote(market.bestOfferPrice, market.bestOfferVolume)),
    field("Spread", spread(market, amounts)),
    field("Mid", price(market.midPrice)),
    field("Static mid", price(market.staticMidPrice)),
    field("Best static bid", quote(market.bestStaticBidPrice, market.bestStaticBidVolume)),
    field("Best static offer", quote(market.bestStaticOfferPrice, market.bestStaticOfferVolume)),
    field("Indicative", quote(market.indicativePrice, market.indicativeVolume)),
    // Release v0.71 leaves it empty; others may not.
    ...(market.lastTradedPrice === undefined ? [] : [field("Last traded", price(market.lastTradedPrice))]),
    ...(closest === undefined
      ? []
      : [
          field(
            "Nearest price bound",
            `${closest.side} ${price(closest.price)}, ${percentWords(closest.percent)} from the mark`,
          ),
        ]),
  ];
}

function spread(market: MarketData, amounts: MarketAmounts): string {
  const { bestBidPrice: bid, bestOfferPrice: offer } = market;
  if (bid === undefined || offer === undefined || bid <= 0n || offer <= 0n) return "–";
  const gap = offer - bid;
  const percent = roundedPercentOf(decimal(gap), { units: (bid + offer) * 5n, scale: 1 }, 3);
  return `${amounts.price(gap)} (${percentWords(percent)})`;
}

function liquidityFields(market: MarketData, amounts: MarketAmounts): Field[] {
  const exact = (given: string | undefined): Decimal | undefined =>
    given === undefined ? undefined : parseDecimal(given);
  const [supplied, target] = [exact(market.suppliedStake), exact(market.targetStake)];
  const share = supplied === undefined || target === undefined ? undefined : roundedPercentOf(supplied, target);
  return [
    field("Open interest", amounts.size(market.openInterest)),
    field("Market value proxy", amounts.amount(market.marketValueProxy)),
    field("Supplied stake", amounts.amount(market.suppliedStake)),
    field("Target stake", amounts.amount(market.targetStake)),
    ...(share === undefined ? [] : [field("Supplied of target", percentWords(share))]),
  ];
}
