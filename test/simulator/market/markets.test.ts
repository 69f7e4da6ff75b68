import { describe, expect, test } from "vitest";

import { simulated, type Simulated } from "../simulated.ts";

type Row = Record<string, string> & {
  priceMonitoringBounds: Record<string, string>[];
  liquidityProviderFeeShare: Record<string, string>[];
};

async function marketsData({ ask }: Simulated, network: "mainnet" | "testnet" = "mainnet"): Promise<Row[]> {
  const { json } = await ask("/api/v2/markets/data", { network });
  return json["marketsData"] as Row[];
}

const isLive = (row: Row): boolean =>
  row["marketTradingMode"] === "TRADING_MODE_CONTINUOUS" || row["marketState"] === "STATE_SUSPENDED";
const big = (text: string | undefined): bigint => BigInt(text ?? "");

/** What is wrong with a record; nothing, if all is well. */
function oddities(row: Row): string[] {
  const odd: string[] = [];
  const must = (holds: boolean, what: string): unknown => holds || odd.push(`${row["market"]} ${what}`);
  const continuous = row["marketTradingMode"] === "TRADING_MODE_CONTINUOUS";
  const auction = row["marketTradingMode"]?.endsWith("AUCTION") === true;
  must(row["lastTradedPrice"] === "", "has a last traded price");
  must(
    (row["nextMarkToMarket"] === "-6795364578871345152") === !continuous,
    "is marked to market while it does not trade",
  );
  must((row["auctionStart"] === "0") === !auction, "has an auction's start out of an auction");
  must(auction || row["auctionEnd"] === "0", "has an auction's end out of an auction");
  must(
    continuous === (row["trigger"] === "AUCTION_TRIGGER_UNSPECIFIED") || !isLive(row),
    "has a trigger that does not fit",
  );
  if (isLive(row)) {
    must(big(row["bestBidPrice"]) < big(row["bestOfferPrice"]), "is crossed");
    must(big(row["bestStaticBidPrice"]) <= big(row["bestBidPrice"]), "has a static bid above its best");
    must(big(row["bestStaticOfferPrice"]) >= big(row["bestOfferPrice"]), "has a static offer below its best");
    must(row["priceMonitoringBounds"].length > 0, "has no bounds");
    for (const bound of row["priceMonitoringBounds"]) {
      const [low, high, mark] = [bound["minValidPrice"], bound["maxValidPrice"], row["markPrice"]].map(big);
      must(
        low !== undefined && high !== undefined && mark !== undefined && low < mark && mark < high,
        "is out of bounds",
      );
    }
    const shares = row["liquidityProviderFeeShare"].map((share) => Number(share["equityLikeShare"]));
    must(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9, "shares out more or less than everything");
  }
  if (continuous) {
    const mid = big(row["midPrice"]);
    must(mid > big(row["bestBidPrice"]) && mid < big(row["bestOfferPrice"]), "has its middle outside the spread");
  }
  return odd;
}

describe("the record of each market fits together", () => {
  test.each(["one", "two", "three", "four"])("seed %s, over a day", async (seed) => {
    const world = await simulated({ seed });
    const counts = new Set<number>();
    for (let hour = 0; hour < 24; hour++) {
      for (const network of ["mainnet", "testnet"] as const) {
        const rows = await marketsData(world, network);
        counts.add(rows.length);
        expect(rows.flatMap(oddities)).toEqual([]);
        expect(new Set(rows.map((row) => row["market"])).size).toBe(rows.length);
      }
      world.advance(3600);
    }
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(12);
    expect(Math.max(...counts)).toBeLessThanOrEqual(40);
  });
});

test("markets come in another order each time", async () => {
  const world = await simulated();
  const order = async (): Promise<string[]> => (await marketsData(world)).map((row) => row["market"] ?? "");
  const [one, other] = [await order(), await order()];
  expect(one).not.toEqual(other);
  expect(one.toSorted()).toEqual(other.toSorted());
});

test("prices move from block to block, a little", async () => {
  const world = await simulated();
  const { marketId } = world.simulator.samples.mainnet;
  const marks: number[] = [];
  for (let step = 0; step < 60; step++) {
    const rows = await marketsData(world);
    marks.push(Number(rows.find((row) => row["market"] === marketId)?.["markPrice"]));
    world.advance(10);
  }
  expect(new Set(marks).size).toBeGreaterThan(40);
  const moves = marks.slice(1).map((mark, index) => Math.abs(mark / (marks[index] ?? mark) - 1));
  expect(Math.max(...moves)).toBeLessThan(0.005);
});

test("the jumpy market enters an auction and leaves it within half an hour, at the time told", async () => {
  const world = await simulated();
  const codes = (await world.ask("/api/v2/markets")).json as {
    markets: { edges: { node: { id: string; tradableInstrument: { instrument: { code: string } } } }[] };
  };
  const { jumpyMarketCode } = world.simulator.samples.mainnet;
  const { id } =
    codes.markets.edges.find((edge) => edge.node.tradableInstrument.instrument.code === jumpyMarketCode)?.node ?? {};
  const modes: string[] = [];
  let endsAt = 0n;
  for (let step = 0; step < 240; step++) {
    const row = (await marketsData(world)).find((one) => one["market"] === id);
    const auction = row?.["marketState"] === "STATE_SUSPENDED";
    if (auction) endsAt = big(row["auctionEnd"]);
    const mode = `${row?.["marketState"]} ${row?.["marketTradingMode"]}`;
    if (modes.at(-1) !== mode) modes.push(mode);
    if (modes.length === 3 && !auction && endsAt > 0n) break;
    world.advance(10);
  }
  expect(new Set(modes)).toEqual(
    new Set(["STATE_ACTIVE TRADING_MODE_CONTINUOUS", "STATE_SUSPENDED TRADING_MODE_MONITORING_AUCTION"]),
  );
  const late = Number(world.now() - endsAt) / 1e9;
  expect(late).toBeGreaterThan(-10);
  expect(late).toBeLessThan(12);
});

test("markets that will never trade again sit in auction modes for ever", async () => {
  const rows = await marketsData(await simulated());
  const dead = rows.filter((row) =>
    ["STATE_SETTLED", "STATE_PROPOSED", "STATE_REJECTED"].includes(row["marketState"] ?? ""),
  );
  expect(dead.filter((row) => row["marketTradingMode"]?.endsWith("AUCTION")).length).toBeGreaterThan(2);
});

test("a market of testnet is proposed, trades, ends and is settled within a cycle of two hours", async () => {
  const world = await simulated();
  const states = new Set<string>();
  for (let step = 0; step < 160; step++) {
    for (const row of await marketsData(world, "testnet")) states.add(row["marketState"] ?? "");
    world.advance(60);
  }
  for (const state of ["PROPOSED", "PENDING", "ACTIVE", "TRADING_TERMINATED", "SETTLED", "SUSPENDED"]) {
    expect(states).toContain(`STATE_${state}`);
  }
});

test("open interest moves by a little, stands still where nobody trades, and is none where all is settled", async () => {
  const world = await simulated();
  const seen = new Map<string, { state: string; held: number }[]>();
  for (let step = 0; step < 150; step++) {
    for (const row of await marketsData(world, "testnet")) {
      const [id, state, held] = [row["market"] ?? "", row["marketState"] ?? "", Number(row["openInterest"])];
      seen.set(id, [...(seen.get(id) ?? []), { state, held }]);
    }
    world.advance(68);
  }
  const odd = [...seen.values()].flat().filter(({ state, held }) => state === "STATE_SETTLED" && held !== 0);
  const moves = [...seen.values()].flatMap((looks) =>
    looks.slice(1).flatMap(({ state, held }, index) => {
      const before = looks[index];
      return before?.state === state ? [{ state, by: Math.abs(held - before.held) }] : [];
    }),
  );
  const most = (state: string): number => Math.max(...moves.filter((move) => move.state === state).map(({ by }) => by));
  expect(odd).toEqual([]);
  expect(most("STATE_TRADING_TERMINATED")).toBe(0);
  expect(most("STATE_SETTLED")).toBe(0);
  // Of the 900,000 that are usual at most: what has just opened is taken up within some minutes.
  expect(most("STATE_ACTIVE")).toBeLessThan(60_000);
  const first = seen.get(world.simulator.samples.testnet.marketId)?.map(({ held }) => held) ?? [];
  expect(Math.max(...first.slice(1).map((held, index) => Math.abs(held / (first[index] ?? held) - 1)))).toBeLessThan(
    0.02,
  );
  expect(new Set(first).size).toBeGreaterThan(100);
});

test("a dated future costs about what its underlying does", async () => {
  const world = await simulated();
  const named = (await world.ask("/api/v2/markets", { network: "testnet" })).json as {
    markets: { edges: { node: { id: string; tradableInstrument: { instrument: { code: string } } } }[] };
  };
  const codes = new Map(named.markets.edges.map(({ node }) => [node.id, node.tradableInstrument.instrument.code]));
  const rows = await marketsData(world, "testnet");
  const markOf = (code: RegExp): number[] =>
    rows.filter((row) => code.test(codes.get(row["market"] ?? "") ?? "")).map((row) => Number(row["markPrice"]));
  const [spot] = markOf(/^BTC\/USDT$/u);
  const live = rows.filter((row) => row["marketState"] === "STATE_ACTIVE").map((row) => row["market"] ?? "");
  const futures = live.filter((id) => codes.get(id)?.startsWith("BTC/USDT-R"));
  expect(futures.length).toBeGreaterThan(0);
  for (const id of futures) {
    const mark = Number(rows.find((row) => row["market"] === id)?.["markPrice"]);
    expect(Math.abs(mark / spot! - 1)).toBeLessThan(0.01);
  }
  const ended = markOf(/^BTC\/USDT-23/u);
  expect(ended).toHaveLength(2);
  for (const mark of ended) expect(Math.abs(mark / spot! - 1)).toBeLessThan(0.4);
});

test("the auctions that no market leaves begin with the process; those of markets that are over long before", async () => {
  const world = await simulated();
  const began = world.now();
  world.advance(3600);
  for (const network of ["mainnet", "testnet"] as const) {
    const rows = await marketsData(world, network);
    const endless = rows.filter((row) => row["marketTradingMode"]?.endsWith("AUCTION") && row["auctionEnd"] === "0");
    const isOver = (row: Row): boolean => /SETTLED|REJECTED|CANCELLED/u.test(row["marketState"] ?? "");
    const sinceStart = (row: Row): bigint => (big(row["auctionStart"]) - began) / 1_000_000_000n;
    const underWay = endless.filter((row) => !isOver(row)).map(sinceStart);
    expect(underWay).toHaveLength(3);
    for (const seconds of underWay) expect(Math.abs(Number(seconds))).toBeLessThan(5);
    expect(endless.filter(isOver).every((row) => sinceStart(row) < -86_400n)).toBe(true);
  }
});
