import { MarketsData } from "../../src/api/model/market.ts";
import type { Look } from "../../src/looks/look.ts";
import { GENESIS, momentAt, toMicros } from "../../src/simulator/chain/chain.ts";
import { createNetwork } from "../../src/simulator/network.ts";
import { fromMillis, timeToText, toMillis } from "../../src/units/time.ts";
import type { Changes } from "../../src/watchers/kept.ts";
import { keptMarkets } from "../../src/watchers/markets/kept-markets.ts";
import { marketReadings, marketRecordOf, type MarketsState } from "../../src/watchers/markets/markets.ts";

/** How often markets are looked at that nobody watches. */
export const MARKETS_EVERY = 60_000;
const MARKETS = 50;
const DAY = 86_400_000;

/** The looks of a day at the first fifty markets that two simulated networks list: most trade, some rest. */
export function* looksAtMarkets(): Generator<Look> {
  const began = toMillis(GENESIS) + 400 * DAY;
  const networks = ["one", "two"].map((seed) => createNetwork("mainnet", seed));
  const momentOf = (at: number) =>
    networks.map((network) => ({
      network,
      moment: momentAt(network.chain, network.random, [], toMicros(fromMillis(at))),
    }));
  const listed = momentOf(began).flatMap(({ network, moment }) => network.catalogue.at(moment.height));
  const names = new Map(
    listed
      .slice(0, MARKETS)
      .map((market) => [market.id, { ...market, settlementAsset: market.asset.id, state: undefined }]),
  );
  let before: MarketsState | undefined;
  for (let looks = 1; looks <= DAY / MARKETS_EVERY; looks += 1) {
    const at = fromMillis(began + looks * MARKETS_EVERY + ((looks * 7919) % 100));
    const records = momentOf(toMillis(at)).flatMap(({ network, moment }) => network.markets.marketsData(moment, 0));
    const markets = MarketsData.parse({ marketsData: records }).marketsData.flatMap((data) => {
      const market = names.get(data.market ?? "");
      return market === undefined ? [] : [[market.id, marketRecordOf(data, market)] as const];
    });
    const after: MarketsState = {
      since: timeToText(fromMillis(began)),
      looks,
      node: "node-1:3008",
      behind: false,
      moment: looks * MARKETS_EVERY,
      readAt: timeToText(at),
      markets: Object.fromEntries(markets),
    };
    const findings = { readings: marketReadings("mainnet", 3, after), events: [] };
    const seen = keptMarkets(after, before, { findings, named: () => new Set() }, { markets: MARKETS }) as Changes;
    yield { run: "one", dueMillis: looks * MARKETS_EVERY, every: MARKETS_EVERY, at, seen };
    before = after;
  }
}
