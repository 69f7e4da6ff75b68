import { parseResponse } from "../src/api/http/parse-response.ts";
import { MarketsData } from "../src/api/model/market.ts";
import { alternate, atMost, type Measured, runAsScript } from "./support/figure.ts";

// The answer of a network with 1,000 markets, parsed and checked field by field, against JSON.parse alone.

const MARKETS = 1000;
/** Many short rounds: whatever else the machine does then falls on few of them, which a median leaves out. */
const ROUNDS = 101;
const TIMES_A_ROUND = 2;
const WARM_UPS = 10;

function market(index: number): Record<string, unknown> {
  const price = (base: number): string => `${base + index}00000`;
  const bound = {
    minValidPrice: price(28_000),
    maxValidPrice: price(31_000),
    trigger: { horizon: "3600", probability: "0.9999999", auctionExtension: "120" },
    referencePrice: price(29_000),
  };
  const share = {
    party: index.toString(16).padStart(64, "0"),
    equityLikeShare: "0.7312500000000001",
    averageEntryValuation: "27000000000000000000",
    averageScore: "0.0123456789012345678",
  };
  return {
    markPrice: price(29_134),
    bestBidPrice: price(29_133),
    bestBidVolume: "1250",
    bestOfferPrice: price(29_136),
    bestOfferVolume: "980",
    bestStaticBidPrice: price(29_132),
    bestStaticBidVolume: "3000",
    bestStaticOfferPrice: price(29_137),
    bestStaticOfferVolume: "2500",
    midPrice: price(29_134),
    staticMidPrice: price(29_134),
    market: (index + 1).toString(16).padStart(64, "0"),
    timestamp: "1682942400123456789",
    openInterest: "184467",
    auctionEnd: "0",
    auctionStart: "0",
    indicativePrice: "0",
    indicativeVolume: "0",
    marketTradingMode: "TRADING_MODE_CONTINUOUS",
    trigger: "AUCTION_TRIGGER_UNSPECIFIED",
    extensionTrigger: "AUCTION_TRIGGER_UNSPECIFIED",
    targetStake: "34051230000000000000",
    suppliedStake: "50000000000000000000",
    priceMonitoringBounds: [bound, bound],
    marketValueProxy: "50000000000000000000",
    liquidityProviderFeeShare: [share, share],
    marketState: "STATE_ACTIVE",
    nextMarkToMarket: "1682942405123456789",
    lastTradedPrice: "",
  };
}

async function measure(): Promise<readonly Measured[]> {
  const text = JSON.stringify({ marketsData: Array.from({ length: MARKETS }, (_, index) => market(index)) });
  const reply = { status: 200, headers: {}, text };
  const asked = { network: "bench", node: "bench:3008", what: "markets" };
  let seen = 0;
  const timed = async (once: () => void): Promise<number> => {
    const began = performance.now();
    for (let count = 0; count < TIMES_A_ROUND; count += 1) once();
    return (performance.now() - began) / TIMES_A_ROUND;
  };
  const { ours, theirs } = await alternate(
    ROUNDS,
    () => timed(() => (seen += parseResponse(reply, MarketsData, asked).marketsData.length)),
    () => timed(() => (seen += (JSON.parse(text) as { marketsData: unknown[] }).marketsData.length)),
    WARM_UPS,
  );
  if (seen % MARKETS !== 0) throw new Error("not every market was read");
  const detail = `${ours.toFixed(2)} ms against ${theirs.toFixed(2)} ms, median of ${ROUNDS}, ${text.length} bytes`;
  return [atMost("1,000 markets parsed and checked, against JSON.parse", ours / theirs, 4, "times as long", detail)];
}

await runAsScript(import.meta.url, measure);
