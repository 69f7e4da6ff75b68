import { describe, expect, it } from "vitest";

import { auction, blind, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage } from "../stage.ts";

const FLAPPING = "flapping: network.stalled on mainnet";
const CALM = "calm: network.stalled on mainnet";
const END = "resolved: network.stalled on mainnet";
const MILD = ["warning: network.stalled on mainnet", END];
const CRITICAL = ["critical: network.stalled on mainnet", END];
const WORSE = ["warning: network.stalled on mainnet", "now critical: network.stalled on mainnet", END];
/** Thresholds of seconds rather than minutes; five episodes are flapping. */
const config = JSON.stringify({
  stalled: { for: "10s", criticalFor: "1h" },
  keep: { rounds: 2, for: "5s" },
  flap: { episodes: 3, within: "5m" },
});

async function subscribed(more: Parameters<typeof aSubscription>[0] = {}): Promise<Stage> {
  const stage = await openStage({ config });
  await stage.engine.putSubscriptions([aSubscription(more)], "ada");
  await stage.rounds(1, [blind("good"), stalled("good")]);
  return stage;
}

async function outages(it: Stage, count: number): Promise<void> {
  for (let time = 0; time < count; time += 1) {
    await it.rounds(4, [blind("good"), stalled("bad")]);
    await it.rounds(4, [blind("good"), stalled("good")]);
  }
}

describe("flapping", () => {
  it("is announced, once, where a silence held when it was detected", async () => {
    const it = await subscribed();
    const now = it.now();
    await it.engine.putSilence({ id: "s", scope: {}, from: now, until: now + 180_000, by: "ada", created: now }, "ada");
    await outages(it, 4);
    expect(it.sender.take()).toEqual([]);
    await outages(it, 4);
    expect(it.sender.take()).toEqual([FLAPPING]);
  });

  it("is announced to later subscribers while it lasts, and so is its end", async () => {
    const it = await subscribed({ floor: "critical" });
    await outages(it, 5);
    const destination = { platform: "fake", channel: "new" };
    await it.engine.putSubscriptions([aSubscription({ id: "new", destination, created: it.now() })], "ada");
    await outages(it, 2);
    expect(it.sender.take()).toEqual([`new: ${FLAPPING}`]);
    await it.rounds(65, [blind("good"), stalled("good")]);
    expect(it.sender.take()).toEqual([`new: ${CALM}`]);
  });

  it("that begins with an episode which stays open is over once that has lasted: then the episode is sent", async () => {
    const it = await subscribed();
    await outages(it, 3);
    expect(it.sender.take()).toHaveLength(6);
    await it.rounds(4, [blind("good"), stalled("bad")]);
    expect(it.sender.take()).toEqual([FLAPPING]);
    await it.rounds(65, [blind("good"), stalled("bad")]);
    expect(it.sender.take()).toEqual(["steady: network.stalled on mainnet", "warning: network.stalled on mainnet"]);
  });

  it("disturbs nobody in quiet hours: ended episodes are in their digest, open ones are sent then", async () => {
    const it = await subscribed({ quietHours: { from: "12:00", to: "12:05", zone: "UTC" } });
    await outages(it, 7);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(6, [blind("good"), stalled("bad")]);
    expect(it.sender.take()).toEqual([FLAPPING, "digest: 7 network.stalled on mainnet, quiet hours"]);
  });

  it.each([
    ["of equal length: two are told", [9, 9, 9, 9], [...WORSE, ...WORSE, FLAPPING]],
    ["of which one lasts longer: it is told, too", [9, 9, 9, 20, 9], [...WORSE, ...WORSE, FLAPPING, ...CRITICAL]],
    [
      "behind shorter ones: two are told",
      [4, 4, 4, 4, 9, 9, 9],
      [...MILD, ...MILD, ...MILD, FLAPPING, ...CRITICAL, ...CRITICAL],
    ],
  ] as const)("of what becomes critical, %s", async (_what, lengths, posts) => {
    const stage = await openStage({ config: config.replace("1h", "20s") });
    await stage.engine.putSubscriptions([aSubscription()], "ada");
    await stage.rounds(1, [blind("good"), stalled("good")]);
    for (const rounds of lengths) {
      await stage.rounds(rounds, [blind("good"), stalled("bad")]);
      await stage.rounds(4, [blind("good"), stalled("good")]);
    }
    expect(stage.sender.take()).toEqual(posts);
    // Whoever reads its end alone learns how bad it was.
    await stage.rounds(65, [blind("good"), stalled("good")]);
    expect(stage.sender.take()).toEqual([CALM]);
    const [calm] = await stage.engine.finished(1);
    const messages = await stage.engine.messages([calm!.message]);
    expect(messages.get(calm!.message)).toMatchObject({ type: "calm", critical: true });
  });

  it("of many markets is one message, and so is its end; the console lists each by itself", async () => {
    const console = { platform: "fake", channel: "console" };
    const stage = await openStage({ config, console });
    for (const destination of [{ platform: "fake", channel: "ops" }, console]) {
      const id = destination.channel;
      await stage.engine.putSubscriptions([aSubscription({ id, destination, kinds: ["market.auction"] })], "ada");
    }
    const markets = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const rounds = (count: number, state: "good" | "bad"): Promise<void> =>
      stage.rounds(count, [blind("good"), stalled("good"), ...markets.map((one) => auction(state, one))]);
    const told = (): string[] => stage.sender.take().filter((one) => /flapping|calm/u.test(one));
    await rounds(1, "good");
    for (let time = 0; time < 5; time += 1) {
      await rounds(4, "bad");
      await rounds(4, "good");
    }
    const flapping = told();
    const [reply] = stage.sender.posts.filter(({ gist }) => gist === "flapping: 12 market.auction on mainnet");
    await rounds(65, "good");
    const calm = told();
    for (const [said, word] of [
      [flapping, "flapping"],
      [calm, "calm"],
    ] as const) {
      const [ops, others] = [
        said.filter((one) => !one.startsWith("console")),
        said.filter((one) => one.startsWith("console")),
      ];
      expect(ops).toEqual([`${word}: 12 market.auction on mainnet`]);
      expect(others).toHaveLength(12);
    }
    const [file] = reply?.reply.attachments ?? [];
    expect([file?.name, reply?.reply.attachments.length]).toEqual(["mainnet-market.auction-flapping.csv", 1]);
  });

  it("of a market is over under the name that people know", async () => {
    const stage = await openStage({ config });
    await stage.engine.putSubscriptions([aSubscription({ kinds: ["market.auction"] })], "ada");
    const rounds = (count: number, state: "good" | "bad"): Promise<void> =>
      stage.rounds(count, [blind("good"), stalled("good"), auction(state)]);
    await rounds(1, "good");
    for (let time = 0; time < 5; time += 1) {
      await rounds(4, "bad");
      await rounds(4, "good");
    }
    await rounds(65, "good");
    expect(stage.sender.take().at(-1)).toBe("calm: market.auction of m1 on mainnet");
    const [calm] = await stage.engine.finished(1);
    const messages = await stage.engine.messages([calm!.message]);
    const { recovered: until } = (await stage.engine.history("market.auction|mainnet|m1|5"))!.episode;
    const message = messages.get(calm!.message);
    expect(message).toMatchObject({ type: "calm", subject: "m1", label: "BTC/USD", until });
    expect(message).not.toHaveProperty("critical");
    const log = await stage.engine.decisions({ limit: 1000 });
    expect(log.filter(({ what }) => what === "calm")).toMatchObject([{ detail: "market.auction" }]);
  });

  it("is not over because the watcher is blind, nor because of a downtime", async () => {
    const it = await subscribed();
    await outages(it, 4);
    expect(it.sender.take()).toHaveLength(7);
    await it.rounds(70, [blind("bad"), stalled("unknown")]);
    await it.restart(400_000);
    await it.pass(0);
    await it.rounds(50, [blind("good"), stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(15, [blind("good"), stalled("good")]);
    expect(it.sender.take()).toEqual([CALM]);
  });
});

it("a message held for quiet hours is in their digest, though the episode ended at that very moment", async () => {
  const it = await subscribed({ quietHours: { from: "12:00", to: "12:01", zone: "UTC" } });
  const observe = async (state: "good" | "bad"): Promise<void> => {
    await it.round([blind("good"), stalled(state)]);
    // Nothing is kept up in between: the process has much to do.
    await it.clock.advance(5000);
  };
  for (let time = 0; time < 10; time += 1) await observe("bad");
  for (let time = 0; time < 5; time += 1) await observe("good");
  await it.pass(0);
  expect(it.sender.take()).toEqual(["digest: 1 network.stalled on mainnet, quiet hours"]);
  const { decisions } = (await it.engine.history("network.stalled|mainnet||1"))!;
  expect(decisions.at(-1)).toMatchObject({ what: "held for the digest", destination: "fake//ops/" });
});
