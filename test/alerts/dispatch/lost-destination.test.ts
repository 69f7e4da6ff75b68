import { describe, expect, it } from "vitest";

import { SendError } from "../../../src/alerts/sender.ts";
import { alertOf } from "../../support/gist.ts";
import { stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage, type StageOptions } from "../stage.ts";

const FIRED = "warning: network.stalled on mainnet";
const RESOLVED = "resolved: network.stalled on mainnet";
const LOST = "operators: lost: fake ops";

async function subscribed(more: Parameters<typeof aSubscription>[0] = {}, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  await stage.engine.putSubscription(aSubscription(more), "ada");
  await stage.rounds(1, [stalled("good")]);
  return stage;
}

const operators = { platform: "fake", channel: "operators" };
const gone = (it: Stage): void => {
  it.sender.outcome = (what) =>
    "destination" in what && what.destination.channel === "operators" ? "ok" : new SendError("gone", "not_in_channel");
};
const well = (it: Stage): void => void (it.sender.outcome = () => "ok");

describe("a channel that was lost while something fired", () => {
  it.each([
    ["subscribes again", { id: "sub2" }],
    ["is resumed", {}],
  ])("is told of it at once when it %s, and of its end", async (_how, again) => {
    const it = await subscribed({}, { operators });
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    await it.rounds(4, [stalled("bad")]);
    well(it);
    await it.engine.putSubscription(aSubscription({ created: it.now(), ...again }), "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual([FIRED]);
    expect(alertOf(it.sender.posts.at(-1)!.reply)).toHaveProperty("already");
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("is not notified a second time of an episode", async () => {
    const it = await subscribed({}, { operators });
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    gone(it);
    await it.rounds(32, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    well(it);
    await it.engine.putSubscription(aSubscription({ created: it.now() }), "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("and stays so gets no resolve without a trigger, and the log says why", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.posts).toEqual([]);
    const [episode] = await it.engine.lastEpisodes(1);
    const whats = (await it.engine.history(episode!.id))?.decisions.map(({ what }) => what);
    expect(whats).toContain("destination lost");
    expect(whats).toContain("no resolve owed");
  });

  it("is tried once more for the resolve of a sent trigger, and the operators are notified once", async () => {
    const it = await subscribed({}, { operators });
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    gone(it);
    await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1" });
    await it.pass(0);
    expect(it.sender.take()).toEqual([LOST]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    const [episode] = await it.engine.lastEpisodes(1);
    const deliveries = (await it.engine.history(episode!.id))?.deliveries ?? [];
    expect(deliveries.map(({ phase, state, attempts }) => [phase, state, attempts])).toEqual([
      ["trigger", "sent", 1],
      ["resolve", "dead", 1],
    ]);
  });
});

describe("a trigger that is refused", () => {
  it("is not retried, but an escalation is sent after all, and so is the resolve", async () => {
    const it = await subscribed();
    let refused = 0;
    it.sender.outcome = () => {
      refused += 1;
      return new SendError("permanent", "400 too silly");
    };
    await it.rounds(20, [stalled("bad")]);
    expect(refused).toBe(1);
    well(it);
    await it.rounds(20, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    expect(alertOf(it.sender.posts[0]!.reply)).toHaveProperty("already");
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });
});

describe("the mention for critical alerts", () => {
  const mentions = (it: Stage) => it.sender.posts.map(({ gist, delivery }) => [gist, delivery.mention]);

  it("is sent, too, where the alert was critical before anything could be sent", async () => {
    const it = await subscribed({ mention: "oncall" });
    it.sender.outcome = () => new SendError("retry", "503");
    await it.rounds(40, [stalled("bad")]);
    let tries = 0;
    it.sender.outcome = () => ((tries += 1) === 1 ? new SendError("retry", "503 once more") : "ok");
    for (let minute = 0; minute < 20; minute += 1) await it.pass(60_000);
    expect(it.sender.take()[0]).toBe("critical: network.stalled on mainnet");
    expect(mentions(it)[0]).toEqual(["critical: network.stalled on mainnet", "oncall"]);
  });

  it("is sent where one of a channel's subscriptions has it and another has not", async () => {
    const config = '{"stalled": {"for": "10s", "criticalFor": "10s"}}';
    const it = await subscribed({}, { config });
    await it.engine.putSubscription(aSubscription({ id: "two", floor: "critical", mention: "oncall" }), "ada");
    await it.rounds(4, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    expect(mentions(it)).toEqual([["critical: network.stalled on mainnet", "oncall"]]);
  });
});
