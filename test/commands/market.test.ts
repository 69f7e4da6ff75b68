import { expect, test } from "vitest";

import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { shortenId } from "../../src/reply/text.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { NOON, talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("market list puts first the markets that its headline names, then those that are watched here, then the most active; dead ones are below the fold", async () => {
  const { ask, askFor } = await talkToSimulator();
  expect(await ask("market list")).toMatch(/^[!✓] \d+ of \d+ markets trade\b/u);
  await askFor("alerts add market.price ETH/BTC high:1");
  const table = (await askFor("market list")).blocks.find((block) => block.kind === "table")!;
  const column = (title: string): string[] => {
    const at = table.columns.findIndex((one) => one.title === title);
    return table.rows.map((row) => plainText(row[at]!));
  };
  const states = column("State");
  const lastLive = states.findLastIndex((state) => ["active", "suspended", "pending"].includes(state));
  expect(new Set(states.slice(0, lastLive + 1))).toEqual(new Set(["active", "suspended", "pending"]));
  expect(states.slice(lastLive + 1)).toContain("settled");
  expect([table.fold, lastLive]).toEqual([7, 15]);
  expect(column("Market").slice(0, 3)).toEqual(["RICE/USDC", "XMR/USDT", "ETH/BTC"]);
  const figure = (shown: string): number => Number(shown.replaceAll(",", ""));
  const [marks, interests] = [column("Mark"), column("Open interest")];
  const activity = marks.slice(3, 7).map((mark, index) => figure(mark) * figure(interests[index + 3]!));
  expect(activity).toEqual(activity.toSorted((a, b) => b - a));
  expect(activity.at(-1)).toBeGreaterThan(0);
});

test("market list by spread has the tightest or widest of those that trade first, and ended ones by state", async () => {
  const { ask, askFor } = await talkToSimulator();
  const namesBy = async (by: string): Promise<readonly string[]> => {
    const table = (await askFor(`market list by:${by}`)).blocks.find((block) => block.kind === "table")!;
    return table.rows.slice(0, table.fold).map((row) => plainText(row[0] ?? []));
  };
  const tightest = await namesBy("tightest");
  expect(await namesBy("widest")).not.toEqual(tightest);
  expect(await namesBy("ended")).toContain("CORN-2023");
  expect(await ask("market list by:tightest")).toContain(`${tightest[0]} has the tightest spread`);
  expect(await ask("market list by:name")).toContain("Write tightest, widest or ended.");
});

test("market list counts in its headline the markets that trade, and names those that do not", async () => {
  const { askFor } = await talkToSimulator();
  const { title, blocks } = await askFor("market list");
  const table = blocks.find((block) => block.kind === "table");
  const at = table!.columns.findIndex(({ title: name }) => name === "State");
  const states = table!.rows.map((row) => plainText(row[at]!));
  const trading = states.filter((state) => state === "active").length;
  expect(plainText(title)).toMatch(
    `${trading} of ${states.length} markets trade; RICE/USDC: suspended, XMR/USDT: pending`,
  );
});

test("in 60 columns market list has each market's name, mark and spread, and the state of those that do not trade", async () => {
  const { askFor } = await talkToSimulator();
  const reply = await askFor("market list");
  const form = { width: 60, colour: false, links: false, now: NOON, fold: { hint: "--full" } };
  const lines = renderTerminal(reply, form).split("\n");
  expect(lines.find((line) => line.startsWith("APPLE.SIM "))).toMatch(/^APPLE\.SIM +[\d.]+ +0\.\d+ %/u);
  expect(lines.find((line) => line.startsWith("RICE/USDC"))).toMatch(/^RICE\/USDC +[\d.]+ +suspended/u);
  expect(lines.find((line) => line.startsWith("BTC/USDT-R1106"))).toBeUndefined();
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
});

test("a market in an auction says which, why, since when and until when", async () => {
  const conversation = await talkToSimulator();
  const { ask, samples } = conversation;
  // The jumpy market goes into auction every half hour or so; not each of them over its price.
  let screen = "";
  for (let step = 0; step < 200 && !/Set off by +price/u.test(screen); step += 1) {
    conversation.advance(30_000);
    screen = await ask(`market show ${samples.jumpyMarketCode}`);
  }
  expect(screen).toMatch(/^! .*auction; bid [\d,.]+, offer [\d,.]+, spread \S+ %$/mu);
  expect(screen).toMatch(saying("price", "2026-01-15", "suspended", "2026-01-15"));
  expect(await ask("market list")).toMatch(saying(samples.jumpyMarketCode, "suspended", /2026-\S+/u));
});

test("market show lists spread, bounds, liquidity fee shares and how far the mark is from each bound", async () => {
  const conversation = await talkToSimulator();
  const screen = await conversation.ask(`market show ${conversation.samples.marketCode}`);
  expect(screen).toMatch(saying("✓", "BTC/USDT", /[\d,]+\.\d{5}/u, /0\.\d+/u, "%", "active", "continuous"));
  expect(screen).toMatch(/[\d,.]+ \(\d+\.\d+ %\)/u);
  expect(screen).toMatch(/(min|max) [\d,.]+, \d+\.\d\d %/u);
  const tables = conversation.lastReply.blocks.flatMap((block) => (block.kind === "table" ? [block.name] : []));
  expect(tables).toEqual(["liquidity-fee-shares", "price-bounds"]);
  expect(screen).toMatch(saying("✓", /[\d,.]+/u, "USDT"));
});

test("without names, prices are the raw integers, marked raw, and a market goes by its id", async () => {
  const { ask, samples, simulator } = await talkToSimulator();
  simulator.configure("mainnet", 1, { names: false });
  const screen = await ask(`market show ${samples.marketId.slice(0, 12)}`);
  expect(screen).toMatch(saying(samples.marketId, /\d+ raw/u, "active", "continuous"));
  expect(screen).toMatch(saying("✓", /\d+/u, "raw"));
  expect(screen).toMatch(saying("✓", "raw"));
});

test("a mark just outside a bound is said to be, and its percentage is not rounded to nothing", async () => {
  const id = "ab".repeat(32);
  const market = {
    market: id,
    marketState: "STATE_ACTIVE",
    marketTradingMode: "TRADING_MODE_CONTINUOUS",
    markPrice: "1000000",
    priceMonitoringBounds: [{ minValidPrice: "1000001", maxValidPrice: "1066660", referencePrice: "1030000" }],
  };
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/markets/data") ? { body: { marketsData: [market] } } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`market show ${id}`);
  expect(screen).toContain("> -0.01 %");
  expect(screen).toMatch(/ 6\.67 % /u);
});

test("members that a newer release adds to a record are shown, however deep", async () => {
  const id = "ab".repeat(32);
  const market = {
    market: id,
    marketState: "STATE_ACTIVE",
    productData: { fundingRate: "0.01" },
    priceMonitoringBounds: [{ minValidPrice: "1", active: true, trigger: { horizon: "5", window: "7" } }],
    liquidityProviderFeeShare: [{ party: id, virtualStake: "12" }],
  };
  await using node = await loopbackNode(({ path }) =>
    path === "/api/v2/markets/data" ? { body: { marketsData: [market] } } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`market show ${id}`);
  expect(screen).toMatch(/productData +\{"fundingRate":"0\.01"\}/u);
  expect(screen).toMatch(/priceMonitoringBounds\[0\]\.active\s+true/u);
  expect(screen).toMatch(/priceMonitoringBounds\[0\]\.trigger\.window\s+7/u);
  expect(screen).toMatch(/liquidityProviderFeeShare\[0\]\.virtualStake\s+12/u);
});

test("a market is found by code in any case, by id, by a unique beginning; else the nearest one is offered", async () => {
  const { ask, samples } = await talkToSimulator();
  for (const typed of [
    "btc/usdt",
    "btc-usdt",
    '"btc usdt"',
    samples.marketId,
    samples.marketId.toUpperCase(),
    samples.marketId.slice(0, 6),
  ]) {
    expect(await ask(`market show ${typed}`)).toMatch(saying("✓", "BTC/USDT"));
  }
  expect(await ask("market show btc usdt")).toMatch(saying("✓", "BTC/USDT"));
  expect(await ask("market show BTC/USDTT")).toMatch(saying("BTC/USDT"));
  expect(await ask("market show BTC")).toMatch(saying("BTC/USDT"));
  const gone = await ask(`market show ${"0".repeat(64)}`);
  expect(gone).toMatch(saying("!", "mainnet", "0".repeat(64)));
  expect(await ask("market show")).toMatch(saying("!", "market show"));
});

test("an ambiguous or mistyped market is chosen by a press, with all else that was asked", async () => {
  const { ask, askFor, press, samples } = await talkToSimulator();
  const reply = await askFor("market show BTC/ private:yes");
  const [choice] = reply.actions;
  if (choice === undefined || !("choices" in choice)) throw new Error("nothing to choose from");
  // Those that have not ended come first.
  expect(choice.choices[0]).toMatchObject({
    label: samples.marketCode,
    invocation: { command: "market show", options: { market: samples.marketCode, private: "yes" } },
  });
  expect(choice.choices.length).toBeGreaterThan(2);
  // What is no longer traded says so.
  const labels = choice.choices.map(({ label }) => label);
  expect(labels.findIndex((label) => /terminated/u.test(label))).toBeGreaterThan(0);
  expect(labels.filter((label) => /settled/u.test(label))).toHaveLength(4);
  expect(await press(/market:BTC\/USDT$/u)).toMatch(saying("✓", "BTC/USDT"));
  await ask("market show BTC/USDTT");
  expect(await press(/market:BTC\/USDT$/u)).toMatch(saying("✓", "BTC/USDT"));
});

test("a coin alone is its one plain market, however it is asked for", async () => {
  const { ask } = await talkToSimulator();
  for (const line of ["price btc", "market show BTC", "btc"]) expect(await ask(line)).toMatch(saying("✓", "BTC/USDT"));
  expect(await ask("market show eth")).toMatch(saying("!", "“eth” could be 2 markets."));
});

test("codes are completed, live from the node, best match first", async () => {
  const { suggest, samples } = await talkToSimulator();
  const [first] = await suggest("market show", "market", "btc/usdt");
  expect(first).toMatchObject({ value: samples.marketCode });
  expect(first!.label).not.toContain(samples.marketId.slice(0, 8));
  const [shortest] = await suggest("market show", "market", "btc");
  expect(shortest).toMatchObject({ value: samples.marketCode });
  expect((await suggest("market show", "market", "")).length).toBe(25);
});

test("markets that are over are offered behind those that are not", async () => {
  const named = (letter: string, code: string, state: string) => ({
    node: { id: letter.repeat(64), state, tradableInstrument: { instrument: { code } } },
  });
  const edges = [
    named("a", "BTC/A", "STATE_SETTLED"),
    named("b", "BTC/LONGER", "STATE_ACTIVE"),
    named("c", "BTC/C", "STATE_REJECTED"),
    named("d", "BTC/LONG", "STATE_PROPOSED"),
    named("e", "BTC/E", ""),
  ];
  await using node = await loopbackNode(({ path }) =>
    path === "/api/v2/markets" ? { body: { markets: { edges, pageInfo: { hasNextPage: false } } } } : undefined,
  );
  const { suggest, [Symbol.asyncDispose]: end } = await talk({ networks: { mainnet: [node.url] } });
  const offered = async (typed: string) => (await suggest("market show", "market", typed)).map(({ value }) => value);
  expect(await offered("")).toEqual(["BTC/LONGER", "BTC/E", "BTC/LONG", "BTC/A", "BTC/C"]);
  expect(await offered("btc")).toEqual(["BTC/E", "BTC/LONG", "BTC/LONGER", "BTC/A", "BTC/C"]);
  expect(await offered("btc/a")).toEqual(["BTC/A"]);
  // No more than the names is asked for.
  expect(new Set(node.requests.map(({ path }) => path))).toEqual(new Set(["/api/v2/markets"]));
  await end();
});

test("a market seen before is completed and found by its beginning where nodes offer no names", async () => {
  const conversation = await talkToSimulator();
  const { suggest, samples, simulator, askFor } = conversation;
  simulator.configure("testnet", 1, { names: false });
  await askFor("market list network:testnet");
  const { marketId } = simulator.samples.testnet;
  const found = await conversation.bot.suggest({
    command: "market show",
    option: "market",
    typed: marketId.slice(0, 5),
    options: { network: "testnet" },
    here: { platform: "terminal", files: { maxBytes: 0, maxCount: 0 } },
    caller: { id: "1", name: "ann", mayManageChannel: true },
    signal: AbortSignal.timeout(5000),
  });
  expect(found).toContainEqual({ label: shortenId(marketId), value: marketId });
  expect(await suggest("market show", "market", samples.marketId.slice(0, 5))).toHaveLength(1);
});

test("the choice of markets begins with those that trade, by name, and says each name once", async () => {
  const { suggest } = await talkToSimulator();
  const offered = await suggest("market show", "market", "");
  const first = offered.slice(0, 8).map(({ value }) => value);
  expect(first).toEqual(expect.arrayContaining(["BTC/USDT", "ETH/USDT"]));
  expect(first).toEqual(first.toSorted());
  expect(offered.filter(({ label, value }) => label.split(value).length > 2)).toEqual([]);
});

test("the assets in which most live markets settle are offered first", async () => {
  const { suggest } = await talkToSimulator();
  const first = (await suggest("ledger export", "asset", "")).slice(0, 4).map(({ value }) => value);
  expect(first).toEqual(expect.arrayContaining(["USDT", "USDC"]));
});
