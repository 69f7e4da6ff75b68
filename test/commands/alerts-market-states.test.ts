import { describe, expect, test } from "vitest";

import type { AlertEvent, MarketSide } from "../../src/alerts/judge/kinds/event.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { toMillis } from "../../src/units/time.ts";
import { auction, values } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import { deliver, shown, talkInOps } from "./alert-channel.ts";

const side = (state: string, mode = "CONTINUOUS"): MarketSide => ({
  state: `STATE_${state}`,
  tradingMode: `TRADING_MODE_${mode}`,
});

/** A channel with one subscription, and a way to let it see markets change. */
async function asking(line: string) {
  const talk = await talkInOps();
  await talk.ask(line);
  const market = talk.samples.marketId;
  const sender = new FakeSender({ platform: "discord", now: () => toMillis(talk.now()) });
  let looks = 0;
  const see = async (readings: readonly Reading[], changes: readonly [MarketSide, MarketSide, object?][] = []) => {
    looks += 1;
    const events = changes.map(([before, after, more = {}], index): AlertEvent => {
      const key = `${looks}-${index}`;
      return {
        kind: "market.state",
        network: "mainnet",
        subject: market,
        key,
        at: `${talk.now()}`,
        before,
        after,
        ...more,
      };
    });
    const watcher = { name: "markets", every: 5000 };
    const at = talk.now();
    await talk.engine.processObservation({ network: "mainnet", watcher, snapshot: {}, readings, events, at });
    talk.advance(5000);
    await talk.engine.upkeep();
  };
  const told = async () => {
    const before = sender.posts.length;
    await deliver(talk, sender);
    return sender.posts.slice(before).map(({ reply, delivery }) => ({
      title: plainText(reply.title),
      quiet: delivery.quiet === true,
      tone: reply.tone,
    }));
  };
  await see([]);
  await told();
  const card = () => shown(sender.edits.at(-1)!.reply);
  return { talk, market, see, told, card };
}

describe("a state of a market", () => {
  test.each([
    [side("ACTIVE"), side("SUSPENDED_VIA_GOVERNANCE", "SUSPENDED_VIA_GOVERNANCE"), "suspended", "warning"],
    [side("ACTIVE"), side("SUSPENDED", "MONITORING_AUCTION"), "suspended", "warning"],
    [side("ACTIVE"), side("TRADING_TERMINATED", "NO_TRADING"), "terminated", "warning"],
    [side("TRADING_TERMINATED"), side("SETTLED", "NO_TRADING"), "settled", "warning"],
    [side("ACTIVE"), side("CANCELLED", "NO_TRADING"), "cancelled", "warning"],
    [side("SUSPENDED_VIA_GOVERNANCE"), side("ACTIVE"), "active", "neutral"],
  ])("rings for who named the market: %o to %o", async (before, after, word, tone) => {
    const { see, told } = await asking("alerts add market.state BTC/USDT");
    await see([], [[before, after]]);
    expect(await told()).toEqual([{ title: expect.stringMatching(saying(word)) as unknown, quiet: false, tone }]);
  });

  test.each([
    ["alerts add market.state", side("ACTIVE"), side("SETTLED")],
    ["alerts add market.state BTC/USDT events:rolling", side("ACTIVE"), side("SETTLED")],
    ["alerts add market.state BTC/USDT", side("PENDING", "OPENING_AUCTION"), side("ACTIVE")],
    ["alerts add markets BTC/USDT", side("ACTIVE"), side("SUSPENDED", "MONITORING_AUCTION")],
  ])("%s has it in the day's message alone", async (line, before, after) => {
    const { see, told } = await asking(line);
    await see([], [[before, after]]);
    expect(await told()).toMatchObject([{ quiet: true }]);
  });
});

const over = [side("ACTIVE"), side("SETTLED"), { over: true, price: "71000.5" }] as const;

describe("a market that is over", () => {
  test("ends what watches its values alone, with its last price", async () => {
    const { talk, see, told } = await asking('alerts add market.value BTC/USDT if:"mark above 80,000"');
    await see([], [[...over]]);
    expect(await told()).toEqual([
      { title: expect.stringMatching(saying("settled", "71,000.5")) as unknown, quiet: false, tone: "warning" },
    ]);
    expect((await talk.engine.subscriptions())[0]).toMatchObject({ state: "ended", why: "the market is over" });
    await see([], [[...over]]);
    expect(await told()).toEqual([]);
  });

  test("ends an alert of its values with the last one, not as if the value were back", async () => {
    const { talk, market, see, told } = await asking('alerts add market.value BTC/USDT if:"mark above 70,000"');
    for (const mark of ["60000", "71000"]) await see([values({ mark }, market)]);
    expect(await told()).toHaveLength(1);
    const last = { ...values({ mark: "71000.5" }, market), over: "STATE_SETTLED" } as Reading;
    await see([last], [[...over]]);
    expect((await talk.engine.subscriptions())[0]?.state).toBe("active");
    for (let look = 0; look < 3; look += 1) await see([last]);
    expect((await told()).map(({ title }) => title)).toEqual([expect.stringMatching(saying("settled", "71,000.5"))]);
    expect((await talk.engine.subscriptions())[0]).toMatchObject({ state: "ended", why: "the market is over" });
  });
});

describe("a watch of several markets", () => {
  const isOver = (market: string) => ({ over: true, price: "71000.5", subject: market });
  const settles = (market: string): [MarketSide, MarketSide, object] => [
    side("ACTIVE"),
    side("SETTLED"),
    isOver(market),
  ];
  const settledAt = (mark: string, market: string) =>
    ({ ...values({ mark }, market), over: "STATE_SETTLED" }) as Reading;

  async function watching() {
    const asked = await asking('alerts add market.value BTC/USDT,ETH/USDT if:"mark above 70,000"');
    const one = async () => (await asked.talk.engine.subscriptions())[0];
    const [first = "", second = ""] = (await one())?.subjects ?? [];
    return { ...asked, one, first, second };
  }

  test("goes on for the others once one is over, and ends with the last", async () => {
    const { see, told, one, first, second } = await watching();
    await see([], [settles(first)]);
    expect((await told()).map(({ title }) => title)).toEqual([expect.stringMatching(saying("settled", "71,000.5"))]);
    expect(await one()).toMatchObject({ state: "active", subjects: [second] });
    await see([values({ mark: "60000" }, second)]);
    await see([values({ mark: "71000" }, second)]);
    expect((await told()).map(({ title }) => title)).toEqual([expect.stringMatching(saying("71,000"))]);
    for (let look = 0; look < 4; look += 1) await see([settledAt("71000", second)]);
    expect((await told()).map(({ title }) => title)).toEqual([expect.stringMatching(saying("settled", "71,000"))]);
    expect(await one()).toMatchObject({ state: "ended", why: "the market is over" });
  });

  test("ends where all are over at once, each told", async () => {
    const { see, told, one, first, second } = await watching();
    await see([], [settles(first), settles(second)]);
    expect(await told()).toHaveLength(2);
    expect(await one()).toMatchObject({ state: "ended", why: "the market is over" });
  });

  test("tells the end of one also while an alert of another is open", async () => {
    const { see, told, one, first, second } = await watching();
    for (const mark of ["60000", "71000"]) await see([values({ mark }, first)]);
    expect(await told()).toHaveLength(1);
    await see([values({ mark: "71000" }, first)], [settles(second)]);
    expect((await told()).map(({ title }) => title)).toEqual([expect.stringMatching(saying("settled", "71,000.5"))]);
    expect(await one()).toMatchObject({ state: "active", subjects: [first] });
  });

  test("ends with the open alerts of all", async () => {
    const { see, told, card, one, first, second } = await watching();
    for (const mark of ["60000", "71000"]) await see([values({ mark }, first), values({ mark }, second)]);
    await told();
    const last = [settledAt("71000.5", first), settledAt("71000.5", second)];
    await see(last, [settles(first), settles(second)]);
    expect(await one()).toMatchObject({ state: "active", subjects: [first, second] });
    for (let look = 0; look < 4; look += 1) await see(last);
    expect(await told()).toHaveLength(1);
    expect(card()).toMatch(saying("settled", "71,000.5 at the end"));
    expect(await one()).toMatchObject({ state: "ended", why: "the market is over" });
  });
});

test("the card of an auction says why it goes on, and when it ends, once a node says so", async () => {
  const { talk, market, see } = await asking("alerts add market.auction BTC/USDT");
  const reading = auction("bad", market) as Extract<Reading, { kind: "market.auction" }>;
  await see([auction("good", market)]);
  await see([reading]);
  const sender = new FakeSender({ platform: "discord", now: () => toMillis(talk.now()) });
  await deliver(talk, sender);
  expect(sender.posts).toHaveLength(1);
  const extension = "AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET";
  const end = `${talk.now() + 600_000_000_000n}`;
  await see([{ ...reading, facts: { ...reading.facts, extension, end } }]);
  await deliver(talk, sender);
  expect(shown(sender.edits.at(-1)!.reply)).toMatch(
    saying("extended: liquidity target not met", /until 12:\d\d:\d\d UTC/u),
  );
});
