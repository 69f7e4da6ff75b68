import { describe, expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import type { FakeSender } from "../../../support/fake-sender.ts";
import { alertOf } from "../../../support/gist.ts";
import { GuardedSender } from "../../../support/guarded-sender.ts";
import { saying } from "../../../support/said.ts";
import { FIRED, RESOLVED, wordsOf } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage, type StageOptions } from "../../stage.ts";
import type { Destination } from "../../../../src/alerts/destination.ts";

const HOUR = 3_600_000;
const CONSOLE: Destination = { platform: "web", channel: "console" };
const OPERATORS: Destination = { platform: "slack", channel: "operators" };

const REFUSED = "token refused: discord";
const REVOKED = "token revoked: discord";
const REMOVED = "token removed: discord";
const ACCEPTED = "token accepted: discord";
const BACK = "token back: discord";

interface World {
  readonly stage: Stage;
  readonly discord: GuardedSender;
  readonly slack: GuardedSender;
  readonly web: FakeSender;
}

/** Discord, where some channels are subscribed to a healthy network, and Slack, where the operators are. */
async function world(channels = ["one"], more: StageOptions = { operators: OPERATORS }): Promise<World> {
  const guarded: GuardedSender[] = [];
  const stage = await openStage({
    console: CONSOLE,
    ...more,
    senders: (now) => {
      guarded.push(new GuardedSender({ platform: "discord", now }), new GuardedSender({ platform: "slack", now }));
      return [...guarded, new GuardedSender({ platform: "web", now })];
    },
  });
  await stage.engine.putSubscriptions(
    channels.map((channel) => aSubscription({ id: channel, destination: { platform: "discord", channel } })),
    "ada",
  );
  await stage.rounds(2, [stalled("good")]);
  const [discord, slack] = guarded;
  return { stage, discord: discord!, slack: slack!, web: stage.senders.at(-1)! };
}

/** Lets so many minutes pass, one after the other. */
async function minutes({ stage }: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await stage.pass(60_000);
}

const unauthorized = (): SendError => new SendError("refused", "Discord says 401: Unauthorized");
const removed = (): SendError => new SendError("refused", "Discord says account_inactive", { revoked: true });

function told({ slack, web }: World): { operators: string[]; console: string[] } {
  const bare = (gists: string[]): string[] => gists.map((gist) => gist.replace(/^(?:operators|console): /u, ""));
  return { operators: bare(slack.take()), console: bare(web.take()) };
}

const everybody = (gist: string): { operators: string[]; console: string[] } => ({
  operators: [gist],
  console: [gist],
});
const NOBODY = { operators: [], console: [] };

describe("a token that a platform refuses", () => {
  it("is reported at once and once, and loses no channel", async () => {
    const it = await world(["one", "two", "three"]);
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    const { reply } = it.slack.posts[0]!;
    expect(await wordsOf(reply)).toMatch(saying("Discord says 401: Unauthorized", "DISCORD_TOKEN", "npm run doctor"));
    expect(alertOf(reply)).toMatchObject({ change: { waiting: 3 } });
    await minutes(it, 20);
    expect(told(it)).toEqual(NOBODY);
    it.discord.tokenError = undefined;
    await it.stage.pass(60_000);
    expect(it.discord.take().toSorted()).toEqual([`one: ${FIRED}`, `three: ${FIRED}`, `two: ${FIRED}`]);
    expect(told(it)).toEqual(everybody(ACCEPTED));
    expect(alertOf(it.slack.posts[1]!.reply)).toMatchObject({ change: { waiting: 3, unsent: 0 } });
    expect((await it.stage.engine.subscriptions()).map(({ state }) => state)).toEqual(["active", "active", "active"]);
  });

  it("is probed once a minute, however many channels there are", async () => {
    const channels = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const it = await world(channels);
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    told(it);
    const { checks, refusedTries } = it.discord;
    // So many as may be under way at once were on their way when the first one was refused.
    expect(refusedTries).toBeLessThanOrEqual(64);
    await minutes(it, 10);
    expect(it.discord.refusedTries).toBe(refusedTries);
    expect(it.discord.checks - checks).toBe(10);
    it.discord.tokenError = undefined;
    await it.stage.pass(60_000);
    expect(it.discord.take()).toHaveLength(100);
    told(it);
  });

  it("is not reported again by the next process while it lasts, but its end is", async () => {
    const it = await world();
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    await it.stage.restart(60_000);
    await it.stage.rounds(4, [stalled("bad")]);
    expect(told(it)).toEqual(NOBODY);
    it.discord.tokenError = undefined;
    await it.stage.restart(60_000);
    await it.stage.rounds(1, [stalled("bad")]);
    expect(it.discord.take()).toEqual([`one: ${FIRED}`]);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("counts as accepted though another platform answers before it", async () => {
    const it = await world();
    it.discord.tokenError = removed();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REMOVED));
    it.discord.tokenError = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    it.discord.answering = promise;
    await it.stage.restart(60_000);
    await it.stage.pass(1000);
    resolve();
    await it.stage.pass(1000);
    expect(told(it)).toEqual(everybody(ACCEPTED));
    expect(it.discord.take()).toEqual([`one: ${BACK}`, `one: ${FIRED}`]);
  });

  it("is noticed though nothing is owed", async () => {
    const it = await world([]);
    it.discord.tokenError = unauthorized();
    await it.stage.pass(300_000);
    expect(told(it)).toEqual(everybody(REFUSED));
    it.discord.tokenError = undefined;
    await it.stage.pass(60_000);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("is reported on the console where the operators are on that very platform, and they are notified of the end", async () => {
    const it = await world(["one"], { operators: { platform: "discord", channel: "operators" } });
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual({ operators: [], console: [REFUSED] });
    it.discord.tokenError = undefined;
    await it.stage.pass(60_000);
    expect(it.discord.take()).toEqual([`one: ${FIRED}`, `operators: ${ACCEPTED}`]);
    expect(told(it)).toEqual({ operators: [], console: [ACCEPTED] });
  });

  it("that a probe accepts, but a send does not, stays refused", async () => {
    const it = await world();
    it.discord.sendTokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    const before = it.discord.refusedTries;
    await minutes(it, 10);
    expect(it.discord.refusedTries - before).toBe(10);
    expect(told(it)).toEqual(NOBODY);
    it.discord.sendTokenError = undefined;
    await it.stage.pass(60_000);
    expect(it.discord.take()).toEqual([`one: ${FIRED}`]);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("resumes though a trial hangs or fails in one channel", async () => {
    for (const outcome of ["hang", new SendError("retry", "500")] as const) {
      const it = await world(["one", "two", "three"]);
      it.discord.tokenError = unauthorized();
      await it.stage.rounds(8, [stalled("bad")]);
      it.discord.tokenError = undefined;
      it.discord.outcome = (what) => ("destination" in what && what.destination.channel === "one" ? outcome : "ok");
      await it.stage.pass(60_000);
      expect(it.discord.take().toSorted()).toEqual([`three: ${FIRED}`, `two: ${FIRED}`]);
      expect(told(it).console).toEqual([REFUSED, ACCEPTED]);
    }
  });

  it("is tried with five messages once it is accepted, and with no more until one of them is handled", async () => {
    const it = await world(Array.from({ length: 20 }, (_, index) => `c${index}`));
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    it.discord.tokenError = undefined;
    let tried = 0;
    it.discord.outcome = () => {
      tried += 1;
      return new SendError("retry", "503");
    };
    await it.stage.pass(60_000);
    expect(tried).toBe(5);
    expect((await it.stage.engine.suspensions()).map(({ platform }) => platform)).toEqual(["discord"]);
    it.discord.outcome = () => "ok";
    await it.stage.pass(60_000);
    expect(it.discord.take()).toHaveLength(20);
    expect(told(it)).toEqual({ operators: [REFUSED, ACCEPTED], console: [REFUSED, ACCEPTED] });
  });

  it("has its end reported at once, to however many channels", async () => {
    const it = await world(Array.from({ length: 300 }, (_, index) => `c${index}`));
    it.discord.tokenError = removed();
    await it.stage.pass(300_000);
    expect(told(it)).toEqual(everybody(REMOVED));
    it.discord.tokenError = undefined;
    await it.stage.restart();
    for (let turn = 0; turn < 20; turn += 1) await it.stage.clock.advance(0);
    expect(it.discord.take()).toHaveLength(300);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("counts as revoked after a day: all ends at once, with one message, and comes back with the token", async () => {
    const it = await world(["one", "two"]);
    await it.stage.engine.putSubscriptions(
      [aSubscription({ id: "paused", destination: { platform: "discord", channel: "three" }, state: "paused" })],
      "ada",
    );
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    await it.stage.restart(23 * HOUR);
    await minutes(it, 50);
    expect(told(it)).toEqual(NOBODY);
    await minutes(it, 15);
    expect(told(it)).toEqual(everybody(REVOKED));
    expect(alertOf(it.slack.posts[1]!.reply)).toMatchObject({ change: { subscriptions: 3, unsent: 2 } });
    const retired = await it.stage.engine.subscriptions();
    expect(retired.map(({ state, returns }) => [state, returns])).toEqual([
      ["retired", "active"],
      ["retired", "paused"],
      ["retired", "active"],
    ]);
    expect(retired[0]?.why).toContain("Discord says 401: Unauthorized");
    const rows = await it.stage.engine.finished(10);
    expect(rows.filter(({ state }) => state === "dead").map(({ destination }) => destination)).toEqual(
      expect.arrayContaining(["discord//one/", "discord//two/"]),
    );
    await it.stage.restart(50 * HOUR);
    await minutes(it, 10);
    expect(told(it)).toEqual(NOBODY);

    it.discord.tokenError = undefined;
    await it.stage.restart();
    await it.stage.rounds(1, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(ACCEPTED));
    const about = /^(?:token|platform|destination) /u;
    const log = (await it.stage.engine.decisions({ limit: 99 })).filter(
      ({ what, delivery }) => about.test(what) && delivery === null,
    );
    expect(log.map(({ what, destination }) => `${what} ${destination ?? ""}`).toReversed()).toEqual([
      "token refused ",
      "platform lost ",
      "destination lost discord//one/",
      "destination lost discord//three/",
      "destination lost discord//two/",
      "token accepted ",
    ]);
    expect(alertOf(it.slack.posts[2]!.reply)).toMatchObject({ change: { subscriptions: 3, unsent: 2 } });
    expect(it.discord.take().toSorted()).toEqual([`one: ${BACK}`, `one: ${FIRED}`, `two: ${BACK}`, `two: ${FIRED}`]);
    const [, fired] = it.discord.posts.filter(({ channel }) => channel === "one");
    expect(alertOf(fired!.reply)).toHaveProperty("already");
    expect((await it.stage.engine.subscriptions()).map(({ id, state }) => [id, state])).toEqual([
      ["one", "active"],
      ["paused", "paused"],
      ["two", "active"],
    ]);
    await it.stage.rounds(6, [stalled("good")]);
    expect(it.discord.take().toSorted()).toEqual([`one: ${RESOLVED}`, `two: ${RESOLVED}`]);
  });

  it("counts as revoked after a longer downtime, with all that was owed", async () => {
    const it = await world(["one", "two"]);
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    await it.stage.restart(50 * HOUR);
    await minutes(it, 1);
    expect(told(it)).toEqual(everybody(REVOKED));
    expect(alertOf(it.slack.posts[1]!.reply)).toMatchObject({ change: { subscriptions: 2, unsent: 2 } });
    // What certainly never arrived is told after all once somebody listens again.
    it.discord.tokenError = undefined;
    await it.stage.restart();
    await it.stage.rounds(1, [stalled("bad")]);
    expect(it.discord.take().toSorted()).toEqual([`one: ${BACK}`, `one: ${FIRED}`, `two: ${BACK}`, `two: ${FIRED}`]);
    told(it);
  });

  it("of a bot that was removed ends running attempts, too; triggers that may have arrived get their resolve", async () => {
    const it = await world(["one", "two"]);
    it.discord.outcome = (what) =>
      "destination" in what && what.destination.channel === "two" ? "posted-hang" : removed();
    await it.stage.rounds(12, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REMOVED));
    expect(it.discord.take()).toEqual([`two: ${FIRED}`]);
    const rows = await it.stage.engine.finished(20);
    const dead = rows.filter(({ state }) => state === "dead");
    expect(dead.map((row) => `${row.destination} ${row.uncertain_since !== null}`).toSorted()).toEqual([
      "discord//one/ false",
      "discord//two/ true",
    ]);
    it.discord.outcome = () => "ok";
    await minutes(it, 5);
    expect(told(it)).toEqual(everybody(ACCEPTED));
    expect(it.discord.take().toSorted()).toEqual([`one: ${BACK}`, `one: ${FIRED}`, `two: ${BACK}`]);
    await it.stage.rounds(6, [stalled("good")]);
    expect(it.discord.take().toSorted()).toEqual([`one: ${RESOLVED}`, `two: ${RESOLVED}`]);
  });

  it("of a bot that was removed ends all at once", async () => {
    const it = await world(["one", "two"]);
    it.discord.tokenError = removed();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(told(it)).toEqual(everybody(REMOVED));
    expect((await it.stage.engine.subscriptions()).map(({ state }) => state)).toEqual(["retired", "retired"]);
    it.discord.tokenError = undefined;
    await it.stage.pass(300_000);
    expect(told(it)).toEqual(everybody(ACCEPTED));
    expect(it.discord.take()).toHaveLength(4);
  });

  it("of a bot that was removed keeps the resolves of triggers sent there", async () => {
    const it = await world(["one", "two"]);
    it.discord.outcome = (what) =>
      "destination" in what && what.destination.channel === "two" ? new SendError("retry", "500") : "ok";
    await it.stage.rounds(7, [stalled("bad")]);
    expect(it.discord.take()).toEqual([`one: ${FIRED}`]);
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("good")]);
    expect(told(it)).toEqual(everybody(REFUSED));
    it.discord.tokenError = removed();
    await minutes(it, 1);
    expect(told(it)).toEqual(everybody(REMOVED));
    await it.stage.restart();
    it.discord.tokenError = undefined;
    it.discord.outcome = () => "ok";
    await minutes(it, 5);
    // Of what was never told there, nothing is over.
    expect(it.discord.take().toSorted()).toEqual([`one: ${RESOLVED}`, `one: ${BACK}`, `two: ${BACK}`]);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("of a bot that was removed is tried again within a minute where a trial proved nothing", async () => {
    const it = await world(["one", "two"]);
    await it.stage.rounds(7, [stalled("bad")]);
    it.discord.tokenError = removed();
    await it.stage.rounds(8, [stalled("good")]);
    expect(it.discord.take()).toHaveLength(2);
    expect(told(it)).toEqual(everybody(REMOVED));
    it.discord.tokenError = undefined;
    it.discord.outcome = () => new SendError("retry", "503");
    await it.stage.restart();
    it.discord.outcome = () => "ok";
    await minutes(it, 1);
    expect(it.discord.take()).toHaveLength(4);
    expect(told(it)).toEqual(everybody(ACCEPTED));
  });

  it("of a bot that was removed keeps no resolve for longer than a day", async () => {
    const it = await world();
    await it.stage.rounds(7, [stalled("bad")]);
    expect(it.discord.take()).toEqual([`one: ${FIRED}`]);
    it.discord.tokenError = removed();
    await it.stage.rounds(8, [stalled("good")]);
    expect(told(it)).toEqual(everybody(REMOVED));
    // The resolve, and the edit of the trigger's message.
    expect((await it.stage.engine.outboxDepth()).map(({ owed }) => owed)).toEqual([2]);
    await it.stage.restart(25 * HOUR);
    await minutes(it, 2);
    expect(await it.stage.engine.outboxDepth()).toEqual([]);
  });

  it("brings back no channel that is lost for itself, or that somebody removed meanwhile", async () => {
    const it = await world(["lost", "removed", "stays"]);
    it.discord.outcome = (what) =>
      "destination" in what && what.destination.channel === "lost" ? new SendError("gone", "Unknown Channel") : "ok";
    await it.stage.rounds(8, [stalled("bad")]);
    it.discord.take();
    told(it);
    it.discord.tokenError = removed();
    await it.stage.rounds(6, [stalled("good")]);
    expect(told(it)).toEqual(everybody(REMOVED));
    const found = (await it.stage.engine.subscriptions()).find(({ id }) => id === "removed");
    await it.stage.engine.putSubscriptions([{ ...found!, state: "removed" }], "ada");
    it.discord.tokenError = undefined;
    await it.stage.pass(300_000);
    expect((await it.stage.engine.subscriptions()).map(({ id, state }) => [id, state])).toEqual([
      ["lost", "retired"],
      ["removed", "removed"],
      ["stays", "active"],
    ]);
    // What was told is told its end, also where nobody listens any more.
    expect(it.discord.take().toSorted()).toEqual([`removed: ${RESOLVED}`, `stays: ${RESOLVED}`, `stays: ${BACK}`]);
    told(it);
  });

  it("is never reported on its own platform, nor in a circle where two refuse", async () => {
    const it = await world(["one"], { operators: { platform: "discord", channel: "operators" } });
    it.slack.tokenError = new SendError("refused", "Slack says invalid_auth");
    await it.stage.engine.putSubscriptions([aSubscription({ id: "s", destination: OPERATORS })], "ada");
    it.discord.tokenError = unauthorized();
    await it.stage.rounds(8, [stalled("bad")]);
    expect(
      it.web
        .take()
        .map((gist) => gist.replace("console: ", ""))
        .toSorted(),
    ).toEqual([REFUSED, REFUSED.replace("discord", "slack")]);
    await it.stage.restart(25 * HOUR);
    await minutes(it, 3);
    expect(it.web.take()).toHaveLength(2);
    await it.stage.restart(50 * HOUR);
    await minutes(it, 3);
    const owed = await it.stage.engine.outboxDepth();
    expect(owed).toEqual([]);
  });
});

it("a lost channel is reported on the console, too", async () => {
  const it = await world();
  it.discord.outcome = () => new SendError("gone", "Unknown Channel");
  await it.stage.rounds(8, [stalled("bad")]);
  expect(told(it)).toEqual(everybody("channel refused: discord one"));
  expect(it.web.posts).toHaveLength(1);
});
