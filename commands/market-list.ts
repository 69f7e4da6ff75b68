import { marketAmounts } from "../src/answers/amounts.ts";
import { answer, askFor } from "../src/answers/answer.ts";
import { idCell } from "../src/answers/cells.ts";
import { tradingModeWords } from "../src/answers/enum-words.ts";
import { marketsById } from "../src/answers/ids/ids.ts";
import { noteSeen } from "../src/answers/ids/seen-ids.ts";
import { isInAuction, isLive, marketTone, stateAndMode, stateRank, stateWords } from "../src/answers/markets.ts";
import type { MarketData } from "../src/api/model/market.ts";
import type { MarketNames } from "../src/api/model/names.ts";
import { command } from "../src/bot/command.ts";
import type { Block } from "../src/reply/block.ts";
import type { Tone } from "../src/reply/reply.ts";
import { strong, text, type Text, time, toText } from "../src/reply/text.ts";

export const marketList = command({
  name: "market list",
  summary: "All markets, live ones first: state, mark, best bid and offer, open interest",
  examples: ["market list", "market list network:testnet"],
  access: "everyone",
  audience: "caller",
  workspaceChooses: true,
  options: {},
  run: async (context) => {
    const { api, signal, network } = context;
    const [{ value, asOf }, names] = await Promise.all([api.getMarketsData({ signal }), marketsById(context)]);
    const nameOf = (market: MarketData): MarketNames | undefined => names.get(market.market ?? "");
    const labelOf = (market: MarketData): string => nameOf(market)?.code ?? market.market ?? "";
    // Nodes send them in random order: sorted, two replies can be compared by eye.
    const markets = value.toSorted((a, b) => stateRank(a) - stateRank(b) || compareLabels(labelOf(a), labelOf(b)));
    const live = markets.filter(isLive);
    const troubled = live.filter((market) => marketTone(market) === "warning");
    noteSeen(
      context,
      "market",
      markets.toReversed().map((market) => ({ id: market.market, label: nameOf(market)?.code })),
    );
    const blocks: Block[] = [];
    if (troubled.length > 0) {
      blocks.push({
        kind: "list",
        title: text`Not trading normally`,
        items: troubled.map((market) => text`${strong(labelOf(market))}: ${stateAndMode(market)}${auctionEnd(market)}`),
      });
    }
    blocks.push(marketTable(markets, nameOf));
    return answer(context, asOf, {
      title:
        markets.length === 0
          ? text`${network} has no markets`
          : text`${live.length} live ${live.length === 1 ? "market" : "markets"} of ${markets.length} on ${network}`,
      tone: listTone(live, troubled),
      blocks,
      ask: askFor(context, "market list"),
    });
  },
});

function listTone(live: readonly MarketData[], troubled: readonly MarketData[]): Tone {
  if (live.length === 0) return "neutral";
  return troubled.length === 0 ? "good" : "warning";
}

function marketTable(markets: readonly MarketData[], nameOf: (market: MarketData) => MarketNames | undefined): Block {
  return {
    kind: "table",
    name: "markets",
    columns: [
      { title: "Market" },
      { title: "Mark", align: "right" },
      { title: "State" },
      { title: "Best bid", align: "right" },
      { title: "Best offer", align: "right" },
      { title: "Mode", priority: 2 },
      { title: "Open interest", align: "right", priority: 2 },
      { title: "Auction ends", priority: 2 },
      { title: "Id", priority: 3 },
    ],
    rows: markets.map((market) => {
      const names = nameOf(market);
      const { price, size } = marketAmounts(names);
      return [
        names?.code === undefined ? idCell(market.market) : toText(names.code),
        toText(price(market.markPrice)),
        toText(stateWords(market)),
        toText(quoted(market.bestBidPrice, market.bestBidVolume, price)),
        toText(quoted(market.bestOfferPrice, market.bestOfferVolume, price)),
        toText(isLive(market) ? tradingModeWords(market.marketTradingMode) : ""),
        toText(size(market.openInterest)),
        toText(isInAuction(market) && market.auctionEnd !== undefined ? time(market.auctionEnd, "both") : ""),
        idCell(market.market),
      ];
    }),
    empty: text`No markets.`,
  };
}

/** Nodes write a side of the book that is empty as price 0, volume 0. */
function quoted(price: bigint | undefined, volume: bigint | undefined, show: (price: bigint) => string): string {
  if (price === undefined) return "–";
  return price === 0n && (volume === undefined || volume === 0n) ? "none" : show(price);
}

function auctionEnd(market: MarketData): Text {
  return isInAuction(market) && market.auctionEnd !== undefined ? text`, ends ${time(market.auctionEnd, "both")}` : [];
}

function compareLabels(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
