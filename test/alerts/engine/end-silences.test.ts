import { expect, it } from "vitest";

import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { Silence } from "../../../src/alerts/route/silence.ts";
import { timeFromText } from "../../../src/alerts/judge/kinds/kind.ts";
import { toMillis } from "../../../src/units/time.ts";
import { auction } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage } from "../stage.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const operators = { platform: "fake", channel: "operators" };
const subscription = aSubscription({ kinds: ["market.auction"] });
const FIRED = "warning: market.auction of m1 on mainnet";
const RESOLVED = "resolved: market.auction of m1 on mainnet";
const idOf = (market: string, number = 1): string => `market.auction|mainnet|${market}|${number}`;

/** Two markets, each in an auction where it is named. */
const auctions = (...markets: readonly string[]): readonly Reading[] =>
  ["m1", "m2"].map((market) => auction(markets.includes(market) ? "bad" : "good", market));

/** Lets markets be in an auction until that was told. */
async function inAuction(...markets: readonly string[]): Promise<Stage> {
  const stage = await openStage({ operators });
  await stage.engine.putSubscriptions([subscription], "ada");
  await stage.rounds(2, auctions());
  await stage.rounds(8, auctions(...markets));
  expect((await stage.engine.openEpisodes()).map(({ subject }) => subject)).toEqual(markets);
  stage.sender.take();
  return stage;
}

/** Silences these markets until the episodes are over. */
async function silence(stage: Stage, markets: readonly string[], untilOver: string[] = markets.map((m) => idOf(m))) {
  const from = stage.now();
  const scope = { network: "mainnet", kind: "market.auction", subjects: [...markets] };
  const silence: Silence = {
    id: "s",
    scope,
    from,
    until: from + 30 * DAY,
    untilOver,
    by: "ada",
    created: from,
  };
  await stage.engine.putSilence(silence, "ada");
  return silence;
}

const endOf = async ({ engine }: Stage, market: string): Promise<number> =>
  toMillis(timeFromText((await engine.history(idOf(market)))!.episode.ended!));

it("ends 10 min after its episode, keeps back what fires again meanwhile, and tells that then", async () => {
  const stage = await inAuction("m1");
  const given = await silence(stage, ["m1"]);
  await stage.rounds(3, auctions("m1"));
  expect(await stage.engine.silences()).toEqual([given]);
  await stage.rounds(8, auctions());
  const { untilOver: _, ...rest } = given;
  const until = (await endOf(stage, "m1")) + 10 * MINUTE;
  expect(await stage.engine.silences()).toEqual([{ ...rest, until }]);
  const lines = (await stage.engine.decisions({ limit: 99 })).filter(({ what }) => what === "silence");
  expect(lines.map(({ detail, network }) => [detail, network])).toContainEqual([
    expect.stringMatching(/^s ends at 2024-06-03 12:1\d:\d\d UTC: auctions of 1 subjects on mainnet is over$/u),
    "mainnet",
  ]);
  stage.sender.take();
  await stage.rounds(Math.ceil((until - stage.now()) / 5000) - 1, auctions("m1"));
  expect(stage.sender.take()).toEqual([]);
  await stage.rounds(2, auctions("m1"));
  expect(stage.sender.take()).toEqual([FIRED]);
  expect(await stage.engine.silences()).toEqual([]);
});

it("of several lasts until the last of them is over", async () => {
  const stage = await inAuction("m1", "m2");
  const given = await silence(stage, ["m1", "m2"]);
  await stage.rounds(8, auctions("m2"));
  expect(await stage.engine.silences()).toEqual([given]);
  await stage.rounds(8, auctions());
  expect(await stage.engine.silences()).toMatchObject([{ until: (await endOf(stage, "m2")) + 10 * MINUTE }]);
  // The end of what was told before is told all the same.
  expect(stage.sender.take()).toEqual([RESOLVED, RESOLVED.replace("m1", "m2")]);
});

it.each<[string, (stage: Stage) => Promise<unknown>]>([
  ["whose subject is gone", (stage) => stage.rounds(30, [auction("good", "m2")])],
  [
    "of which nobody is told any more",
    (stage) => stage.engine.putSubscriptions([{ ...subscription, state: "removed" }], "a"),
  ],
  ["on a network that is watched no more", (stage) => stage.engine.closeUnwatched([])],
])("ends 10 min after an episode %s", async (_what, close) => {
  const stage = await inAuction("m1");
  await silence(stage, ["m1"]);
  await close(stage);
  await stage.pass(1000);
  const [ended] = await stage.engine.silences();
  expect([ended?.until, ended?.untilOver]).toEqual([(await endOf(stage, "m1")) + 10 * MINUTE, undefined]);
  stage.sender.take();
});

it("of an episode that ended before the silence was stored ends 10 min after the episode; of one unknown, after now", async () => {
  const stage = await inAuction("m1");
  await stage.rounds(8, auctions());
  expect(stage.sender.take()).toEqual([RESOLVED]);
  await silence(stage, ["m1"]);
  expect(await stage.engine.silences()).toMatchObject([{ until: (await endOf(stage, "m1")) + 10 * MINUTE }]);
  await silence(stage, ["m1"], [idOf("m1", 7)]);
  expect(await stage.engine.silences()).toMatchObject([{ until: stage.now() + 10 * MINUTE }]);
});

it("of an episode that ended long ago, while nothing looked, is over at once", async () => {
  const stage = await inAuction("m1");
  await silence(stage, ["m1"]);
  // Its end is observed, and the process dies before the next upkeep.
  for (let round = 0; round < 6; round += 1) {
    await stage.round(auctions());
    await stage.clock.advance(5000);
  }
  await stage.restart(20 * MINUTE);
  await stage.pass(0);
  expect(await stage.engine.silences()).toEqual([]);
  stage.sender.take();
  await stage.rounds(8, auctions("m1"));
  expect(stage.sender.take()).toEqual([FIRED]);
});

it("keeps its new end where the operators are told of it in the same second", async () => {
  const stage = await inAuction("m1");
  await silence(stage, ["m1"]);
  await stage.leap(DAY - 60_000);
  for (let round = 0; round < 12; round += 1) {
    await stage.round(auctions());
    await stage.clock.advance(5000);
  }
  await stage.pass(0);
  expect(stage.sender.take()).toContain("operators: silences: 1");
  const [told] = await stage.engine.silences();
  expect(told).toEqual({ ...told, noticed: stage.now(), until: (await endOf(stage, "m1")) + 10 * MINUTE });
  expect(told?.untilOver).toBeUndefined();
});
