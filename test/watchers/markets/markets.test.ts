import { setImmediate } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { GivenParameters } from "../../../src/alerts/judge/kinds/kind.ts";
import type { AlertKind } from "../../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import { judgeReading, ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { type MarketData, MarketsData } from "../../../src/api/model/market.ts";
import { marketRecordOf, marketsWatcher } from "../../../src/watchers/markets/markets.ts";
import { clientOf, name, node } from "../../api/client-under-test.ts";
import { sendJson } from "../../api/serve-wire.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { ManualObserver } from "../manual-observer.ts";
import { simulatedNetwork } from "../simulated-network.ts";

const watcher = () => marketsWatcher({ network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG });

interface Sent {
  readonly market: string;
  readonly marketState?: string;
  readonly marketTradingMode?: string;
  readonly trigger?: string;
  readonly markPrice?: string;
  readonly auctionStart?: string;
  readonly auctionEnd?: string;
  readonly priceMonitoringBounds?: readonly { minValidPrice: string; maxValidPrice: string }[];
}

const ACTIVE = { marketState: "STATE_ACTIVE", marketTradingMode: "TRADING_MODE_CONTINUOUS" };
const AUCTION = {
  marketState: "STATE_SUSPENDED",
  marketTradingMode: "TRADING_MODE_MONITORING_AUCTION",
  trigger: "AUCTION_TRIGGER_PRICE",
};

/** A node with these markets, which the test may exchange; market "a" has two decimals, "b" is not named. */
async function markets(first: readonly Sent[]) {
  const state = { sent: first, seconds: 1_682_942_400, named: [["a", "BTC/USD"]] };
  const served = await node((request, response) => {
    const headers = { "X-Block-Height": "1", "X-Block-Timestamp": `${state.seconds}000000000` };
    if (request.url === "/api/v2/markets/data") return sendJson(response, { marketsData: state.sent }, { headers });
    if (request.url?.startsWith("/api/v2/markets") === true) {
      const edges = state.named.map(([id, code]) => ({
        node: { id, decimalPlaces: "2", tradableInstrument: { instrument: { code } } },
        cursor: "x",
      }));
      return sendJson(response, { markets: { edges, pageInfo: { hasNextPage: false } } });
    }
    return sendJson(response, { code: 5, message: "Not Found", details: [] }, { status: 404 });
  });
  const clock = new VirtualClock();
  const observer = new ManualObserver(watcher(), clientOf([served], { clock }), () => clock.wallClock());
  return {
    served,
    state,
    observer,
    observe: async (sent?: readonly Sent[]) => {
      if (sent !== undefined) state.sent = sent;
      state.seconds += 60;
      await clock.advance(60_000);
      return observer.observe();
    },
  };
}

const reading = <K extends Reading["kind"]>(readings: readonly Reading[], kind: K, subject: string) =>
  readings.find((one): one is Extract<Reading, { kind: K }> => one.kind === kind && one.subject === subject);

test("observing thousands of markets yields to the event loop", async () => {
  const served = await node((_, response) => sendJson(response, { marketsData: [{ market: "a", ...ACTIVE }] }));
  const api = clientOf([served], { clock: new VirtualClock() });
  const one = await api.getMarketsData();
  const value = Array.from({ length: 3500 }, (_, index) => ({ ...one.value[0], market: `m${index}` }) as MarketData);
  const many = { ...api, getMarketsData: async () => ({ ...one, value }), getMarketNames: async () => [] };
  let turns = 0;
  const looked = new AbortController();
  const others = (async () => {
    for (; !looked.signal.aborted; turns += 1) await setImmediate();
  })();
  const watched = { before: undefined, subjects: () => [] };
  const { markets: seen } = await watcher().observe(many, watched, AbortSignal.timeout(10_000));
  looked.abort();
  await others;
  expect(Object.keys(seen)).toHaveLength(3500);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test("the least and the most of a time are kept of values whose changes are told, whatever the wall clock does", async () => {
  const { observer, observe } = await markets([{ market: "a", ...ACTIVE, markPrice: "10000" }]);
  observer.subjects = { "market.value": ["a"] };
  observer.changes = new Map([["a", [{ fact: "mark", within: 120_000 }]]]);
  const extremes = async (markPrice?: string) => {
    const sent = { market: "a", ...ACTIVE, ...(markPrice === undefined ? {} : { markPrice }) };
    const { facts } = reading((await observe([sent])).readings, "market.value", "a")!;
    return [facts["mark low 2m"], facts["mark high 2m"]];
  };
  expect(await extremes("10000")).toEqual(["100.00", "100.00"]);
  expect(await extremes("9000")).toEqual(["90.00", "100.00"]);
  expect(await extremes()).toEqual(["90.00", "100.00"]);
  expect(await extremes("9500")).toEqual(["90.00", "95.00"]);
  expect(await extremes("36893488147419103232")).toEqual(["95.00", "368934881474191032.32"]);
});

test("markets are asked for sooner where their values are watched, the shorter the answer is", async () => {
  const served = await node((_, response) => sendJson(response, { marketsData: [{ market: "a", ...ACTIVE }] }));
  const api = clientOf([served], { clock: new VirtualClock() });
  const { value, asOf } = await api.getMarketsData();
  const one = watcher();
  const paceAt = async (bytes: number, kind: AlertKind) => {
    const long = { ...api, getMarketsData: async () => ({ value, asOf, bytes }), getMarketNames: async () => [] };
    const context = { before: undefined, subjects: (one: AlertKind) => (one === kind ? ["a"] : []) };
    return one.pace?.(await one.observe(long, context, AbortSignal.timeout(10_000)));
  };
  expect(await paceAt(99_999, "market.value")).toBe(5000);
  expect(await paceAt(99_999, "market.price")).toBe(5000);
  expect(await paceAt(100_000, "market.value")).toBe(15_000);
  expect(await paceAt(399_999, "market.value")).toBe(15_000);
  expect(await paceAt(400_000, "market.value")).toBe(60_000);
  expect(await paceAt(10, "order.final")).toBe(60_000);
});

describe("a market", () => {
  test("that is new has its name at once, though names are cached for long; one without is asked for once", async () => {
    const { observe, state, served } = await markets([{ market: "a", ...ACTIVE }]);
    const asked = () => served.asked.filter((path) => path.startsWith("/api/v2/markets?")).length;
    await observe();
    expect(asked()).toBe(1);
    state.named.push(["c", "ETH/USD"]);
    const { events } = await observe([
      { market: "a", ...ACTIVE },
      { market: "c", ...AUCTION },
    ]);
    expect(events).toMatchObject([{ subject: "c", label: "ETH/USD" }]);
    expect(asked()).toBe(2);
    const all = [
      { market: "a", ...ACTIVE },
      { market: "b", ...ACTIVE },
      { market: "c", ...AUCTION },
    ];
    for (let round = 0; round < 3; round += 1) await observe(all);
    expect(asked()).toBe(3);
  });

  test("that changes state or mode is announced, as is a new one; the first observation announces nothing", async () => {
    const { observe, served } = await markets([{ market: "a", ...ACTIVE }]);
    expect((await observe()).events).toEqual([]);
    expect((await observe()).events).toEqual([]);
    const opened = await observe([
      { market: "b", ...ACTIVE },
      { market: "a", ...AUCTION },
    ]);
    expect(opened.events).toMatchObject([
      {
        kind: "market.state",
        subject: "a",
        label: "BTC/USD",
        node: name(served),
        before: { state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS" },
        after: { state: "STATE_SUSPENDED", tradingMode: "TRADING_MODE_MONITORING_AUCTION" },
      },
      { kind: "market.state", subject: "b", after: { state: "STATE_ACTIVE" } },
    ]);
    expect(opened.events[1]).not.toHaveProperty("before");
  });

  test("is announced where only its mode changes, or only its state, and not where neither does", async () => {
    const { observe } = await markets([{ market: "a", ...ACTIVE }]);
    await observe();
    const eventsAfter = async (sent: Partial<Sent>) => (await observe([{ market: "a", ...ACTIVE, ...sent }])).events;
    const marketTradingMode = "TRADING_MODE_MONITORING_AUCTION";
    expect(await eventsAfter({ marketTradingMode })).toMatchObject([
      { before: { state: "STATE_ACTIVE" }, after: { state: "STATE_ACTIVE", tradingMode: marketTradingMode } },
    ]);
    expect(await eventsAfter({ marketTradingMode, markPrice: "7", trigger: "AUCTION_TRIGGER_PRICE" })).toEqual([]);
    expect(await eventsAfter({ marketTradingMode, marketState: "STATE_SUSPENDED" })).toMatchObject([
      { before: { state: "STATE_ACTIVE" }, after: { state: "STATE_SUSPENDED", tradingMode: marketTradingMode } },
    ]);
  });

  test("that goes into the same auction twice is announced twice, under different keys", async () => {
    const { observe } = await markets([{ market: "a", ...ACTIVE }]);
    await observe();
    const keys: string[] = [];
    for (const deed of [AUCTION, ACTIVE, AUCTION, ACTIVE]) {
      keys.push(...(await observe([{ market: "a", ...deed }])).events.map(({ key }) => key));
    }
    expect(new Set(keys).size).toBe(4);
  });

  test("that is left out for once is not new when it comes back", async () => {
    const { observe } = await markets([
      { market: "a", ...ACTIVE },
      { market: "b", ...ACTIVE },
    ]);
    await observe();
    expect((await observe([{ market: "b", ...ACTIVE }])).events).toEqual([]);
    expect((await observe([{ market: "a", ...ACTIVE }])).events).toEqual([]);
    expect((await observe([{ market: "a", ...AUCTION }])).events).toHaveLength(1);
  });

  test("that is not listed has no readings, until it is listed again", async () => {
    const { observe } = await markets([
      { market: "a", ...AUCTION },
      { market: "b", ...ACTIVE },
    ]);
    const subjects = async (sent?: readonly Sent[]): Promise<string[]> => {
      const { readings } = await observe(sent);
      return [...new Set(readings.map(({ subject }) => subject))].toSorted();
    };
    expect(await subjects()).toEqual(["a", "b"]);
    expect(await subjects([{ market: "b", ...ACTIVE }])).toEqual(["b"]);
    expect(await subjects()).toEqual(["b"]);
    expect(await subjects([])).toEqual([]);
    expect(await subjects([{ market: "a", ...AUCTION }])).toEqual(["a"]);
  });

  test("from a node that is behind is not announced, and its readings are unknown", async () => {
    const { observe, state } = await markets([{ market: "a", ...AUCTION }]);
    await observe();
    state.seconds -= 3600;
    const behind = await observe([{ market: "a", ...ACTIVE }]);
    expect(behind.events).toEqual([]);
    expect(new Set(behind.readings.map((one) => one.state))).toEqual(new Set(["unknown"]));
    state.seconds += 7200;
    expect((await observe()).events).toHaveLength(1);
  });

  test("is still announced after a node once sent an implausible time", async () => {
    const { observe, state } = await markets([{ market: "a", ...ACTIVE }]);
    await observe();
    state.seconds += 86_400;
    await observe();
    state.seconds -= 86_400;
    expect((await observe([{ market: "a", ...AUCTION }])).events).toHaveLength(1);
  });
});

test.each([
  ["in continuous trading", ACTIVE, "good"],
  ["in a monitoring auction", AUCTION, "bad"],
  ["in an opening auction", { marketState: "STATE_PENDING", marketTradingMode: "TRADING_MODE_OPENING_AUCTION" }, "bad"],
  [
    "in a kind of auction to come",
    { marketState: "STATE_ACTIVE", marketTradingMode: "TRADING_MODE_NEW_AUCTION" },
    "bad",
  ],
  ["settled in an auction for ever", { ...AUCTION, marketState: "STATE_SETTLED" }, "good"],
  ["proposed", { marketState: "STATE_PROPOSED", marketTradingMode: "TRADING_MODE_OPENING_AUCTION" }, "good"],
  ["without trading", { marketState: "STATE_ACTIVE", marketTradingMode: "TRADING_MODE_NO_TRADING" }, "good"],
])("a market %s: its auction reads %s", async (_name, sent, state) => {
  const { observe } = await markets([{ market: "a", ...sent }]);
  expect(reading((await observe()).readings, "market.auction", "a")).toMatchObject({ state, label: "BTC/USD" });
});

describe("a price", () => {
  const judged = async (sent: Partial<Sent>, kind: "market.price" | "market.bound", given: GivenParameters) => {
    const { observe } = await markets([{ market: "a", ...ACTIVE, ...sent }]);
    const found = reading((await observe()).readings, kind, "a");
    return judgeReading(ruleFor(kind, given, DEFAULT_ALERTS_CONFIG), found!).state;
  };

  test.each([
    ["1000000", { high: "10000" }, "good"],
    ["1000001", { high: "10000" }, "bad"],
    ["1000001", { high: "10000.01" }, "good"],
    ["99", { low: "1" }, "bad"],
    ["100", { low: "1" }, "good"],
    ["500", { low: "1", high: "10", when: "within" }, "bad"],
    ["5000", { low: "1", high: "10", when: "within" }, "good"],
    ["0", { high: "1" }, "unknown"],
  ] as const)("of %s at two decimals under %j is %s", async (markPrice, given, state) => {
    expect(await judged({ markPrice }, "market.price", given)).toBe(state);
  });

  test.each([
    ["far from both bounds", [{ minValidPrice: "9000", maxValidPrice: "11000" }], "good"],
    ["near the upper one", [{ minValidPrice: "9000", maxValidPrice: "10100" }], "bad"],
    [
      "near the lower one of the second pair",
      [
        { minValidPrice: "9000", maxValidPrice: "11000" },
        { minValidPrice: "9950", maxValidPrice: "12000" },
      ],
      "bad",
    ],
    ["beyond one", [{ minValidPrice: "10500", maxValidPrice: "12000" }], "bad"],
    ["without bounds", [], "unknown"],
  ] as const)("%s of price monitoring is %s", async (_name, priceMonitoringBounds, state) => {
    expect(await judged({ markPrice: "10000", priceMonitoringBounds }, "market.bound", { percent: "1" })).toBe(state);
  });

  test("of a market whose decimals are not known is not compared, but its distance from a bound is", async () => {
    const priceMonitoringBounds = [{ minValidPrice: "9000", maxValidPrice: "10050" }];
    const { observe } = await markets([{ market: "b", ...ACTIVE, markPrice: "10000", priceMonitoringBounds }]);
    const { readings } = await observe();
    expect(reading(readings, "market.price", "b")).toMatchObject({ state: "unknown", facts: {} });
    expect(reading(readings, "market.bound", "b")?.facts).toEqual({ side: "upper", distancePercent: "0.5" });
  });

  test("keeps every digit", () => {
    const data = MarketsData.parse({
      marketsData: [{ market: "m", ...ACTIVE, markPrice: "123456789012345678901234567890" }],
    }).marketsData[0] as MarketData;
    const places = { positionDecimalPlaces: 0, decimalPlaces: 18 };
    const names = { id: "m", code: "M", name: undefined, settlementAsset: undefined, state: undefined, ...places };
    expect(marketRecordOf(data, names).price).toBe("123456789012.345678901234567890");
  });
});

test("a simulated network: every auction that begins or ends between two observations is announced, and read", async () => {
  const { api, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(marketsWatcher({ network, nodes: 3, config }));
  const modes = async () =>
    new Map(
      (await api.getMarketsData()).value.map((one) => [
        one.market ?? "",
        `${one.marketState} ${one.marketTradingMode}`,
      ]),
    );
  await observer.observe();
  let before = await modes();
  let announced = 0;
  for (let round = 0; round < 30; round += 1) {
    await pass(60);
    const { events, readings } = await observer.observe();
    const now = await modes();
    const changed = [...now].filter(([id, mode]) => before.get(id) !== mode).map(([id]) => id);
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(changed.toSorted());
    for (const [id, mode] of now) {
      const auction = /STATE_(?:ACTIVE|SUSPENDED|PENDING) .*AUCTION$/u.test(mode);
      const found = reading(readings, "market.auction", id);
      expect(found?.state).toBe(auction ? "bad" : "good");
      // It began when the node says, not when it was first observed.
      expect(found?.since).toBe(auction && found?.kind === "market.auction" ? found.facts.start : undefined);
    }
    announced += changed.length;
    before = now;
  }
  expect(announced).toBeGreaterThan(3);
});

test("values are read of markets that a subscription names, and of no others", async () => {
  const { observer, observe } = await markets([{ market: "a", ...ACTIVE, markPrice: "123" }]);
  const valuesIn = async (sent?: readonly Sent[]) =>
    (await observe(sent)).readings
      .filter(({ kind }) => kind === "market.value")
      .map(({ state, facts }) => [state, facts]);
  expect(await valuesIn()).toEqual([]);
  observer.subjects = { "market.value": ["a"] };
  expect(await valuesIn()).toEqual([["good", { mark: "1.23" }]]);
  expect(await valuesIn([{ market: "a", ...ACTIVE }])).toEqual([["unknown", {}]]);
  const governed = { market: "a", marketState: "STATE_SUSPENDED_VIA_GOVERNANCE", markPrice: "124" };
  expect(await valuesIn([governed])).toEqual([["good", { mark: "1.24" }]]);
  // What a node leaves out of a market that is over was said before.
  const { readings, events } = await observe([{ market: "a", marketState: "STATE_SETTLED" }]);
  expect(reading(readings, "market.value", "a")).toMatchObject({ over: "STATE_SETTLED", facts: { mark: "1.24" } });
  expect(events).toMatchObject([{ over: true, after: { state: "STATE_SETTLED" } }]);
});
