import { describe, expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import type { FakeSender } from "../../../support/fake-sender.ts";
import { alertOf, describeAlert } from "../../../support/gist.ts";
import { GuardedSender } from "../../../support/guarded-sender.ts";
import { saying } from "../../../support/said.ts";
import { FIRED, RESOLVED, wordsOf } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, type Stage, type StageOptions } from "../../stage.ts";

const HOUR = 3_600_000;
const LOST = "operators: channel refused: fake ops";
const ENDED = "operators: channel revoked: fake ops";
const REACHED = "operators: channel accepted: fake ops";
const BACK = "channel back: fake ops";

async function subscribed(more: Parameters<typeof aSubscription>[0] = {}, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({ operators, ...options });
  await stage.engine.putSubscriptions([aSubscription(more)], "ada");
  await stage.rounds(1, [stalled("good")]);
  return stage;
}

const CRITICAL = "now critical: network.stalled on mainnet";

const operators = { platform: "fake", channel: "operators" };
const ops = { platform: "fake", channel: "ops" };
const message = { type: "test", by: "ada", at: "1" } as const;
const isOps = (what: object): boolean =>
  !("destination" in what) || (what as { destination: { channel: string } }).destination.channel === "ops";
const gone = ({ sender }: Stage, count: { tries: number } = { tries: 0 }): void => {
  sender.outcome = (what) => {
    if (!isOps(what)) return "ok";
    count.tries += 1;
    return new SendError("gone", "Slack says channel_not_found");
  };
};
const well = (it: Stage): void => void (it.sender.outcome = () => "ok");
const states = async ({ engine }: Stage): Promise<string[]> => (await engine.subscriptions()).map(({ state }) => state);
/** A day and an hour pass while the bot is stopped: its first attempt comes after that. */
async function nextDay(it: Stage): Promise<void> {
  await it.restart(25 * HOUR);
  await minutes(it, 2);
}
async function minutes(it: Stage, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await it.pass(60_000);
}

describe("a channel that cannot be reached", () => {
  it.each(["permanent", "content"] as const)("is back when it refuses a message itself (%s)", async (kind) => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    it.sender.outcome = (what) => (isOps(what) ? new SendError(kind, "400") : "ok");
    await minutes(it, 2);
    expect(it.sender.take().filter((gist) => gist.startsWith("operators: channel"))).toEqual([REACHED]);
  });

  it("is not back because a message to it cannot be made", async () => {
    let isBroken = false;
    const it = await subscribed(
      {},
      {
        describe: (message, context) => {
          if (isBroken && message.type === "condition") throw new Error("a bug");
          return describeAlert(message, context);
        },
      },
    );
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    isBroken = true;
    await minutes(it, 2);
    expect(it.sender.take().filter((gist) => gist.startsWith("operators: channel"))).toEqual([]);
  });

  it("waits, and comes back by itself with one message; the operators learn of both", async () => {
    const it = await subscribed();
    const count = { tries: 0 };
    gone(it, count);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    expect(await wordsOf(it.sender.posts.at(-1)!.reply)).toMatch(saying("ops", "Slack says channel_not_found"));
    await minutes(it, 120);
    // The pauses grow from a minute to an hour.
    expect(count.tries).toBeGreaterThan(4);
    expect(count.tries).toBeLessThan(11);
    expect(it.sender.take()).toEqual([]);
    expect(await states(it)).toEqual(["active"]);
    well(it);
    await minutes(it, 61);
    expect(it.sender.take()).toEqual([FIRED, REACHED, BACK]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("says an outage that is over by then in one message", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([LOST]);
    well(it);
    await minutes(it, 10);
    expect(it.sender.take()).toEqual(["fired and resolved: network.stalled on mainnet", REACHED, BACK]);
  });

  it("stays suspended over a restart, without another word", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    await it.restart(HOUR);
    await minutes(it, 5);
    expect(it.sender.take()).toEqual([]);
    well(it);
    await minutes(it, 60);
    expect(it.sender.take()).toEqual([FIRED, REACHED, BACK]);
  });

  it("is tried no later because the clock was set back", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await minutes(it, 45);
    well(it);
    it.clock.setWall(-1_800_000);
    await minutes(it, 45);
    expect(it.sender.take()).toEqual([LOST, FIRED, REACHED, BACK]);
  });

  it("is tried at a start, though the clock was set back by days before it", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    well(it);
    it.clock.setWall(-72 * HOUR);
    await it.restart();
    await minutes(it, 2);
    expect(it.sender.take()).toEqual([LOST, FIRED, REACHED, BACK]);
  });

  it("is tried at once with what is critical", async () => {
    const it = await subscribed();
    await it.rounds(8, [stalled("bad")]);
    gone(it);
    await it.owe(ops, message);
    await minutes(it, 70);
    expect(it.sender.take()).toEqual([FIRED, LOST]);
    well(it);
    const [suspension] = await it.engine.suspensions();
    await it.rounds(40, [stalled("bad")]);
    expect(it.now()).toBeLessThan(suspension!.nextAt);
    expect(it.sender.take()).toEqual([CRITICAL, "test by ada", REACHED, BACK]);
  });

  it("loses its subscriptions after a day; somebody brings them back, and is told what fires", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([LOST]);
    await nextDay(it);
    expect(it.sender.take()).toEqual([ENDED]);
    expect(alertOf(it.sender.posts.at(-1)!.reply)).toMatchObject({ change: { subscriptions: 1, unsent: 1 } });
    expect(await states(it)).toEqual(["retired"]);
    const whats = (await it.engine.decisions({ destination: "fake//ops/", limit: 100 })).map(({ what }) => what);
    expect(whats).toEqual(expect.arrayContaining(["destination unreachable", "destination lost"]));
    await nextDay(it);
    expect(it.sender.take()).toEqual([]);
    well(it);
    await it.engine.putSubscriptions([aSubscription({ created: it.now() })], "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual([FIRED, REACHED, BACK]);
    expect(alertOf(it.sender.posts.at(-3)!.reply)).toMatchObject({ already: "this place could not be reached" });
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("is forgotten a day after that, once nobody is subscribed there any more", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await nextDay(it);
    const lost = async (): Promise<number> => (await it.engine.suspensions()).length;
    const [retired] = await it.engine.subscriptions();
    await it.engine.putSubscriptions([{ ...retired!, id: "other" }], "ada");
    await it.engine.putSubscriptions([{ ...retired!, state: "removed" }], "ada");
    await nextDay(it);
    expect(await lost()).toBe(1);
    await it.engine.putSubscriptions([{ ...retired!, id: "other", state: "removed" }], "ada");
    await minutes(it, 2);
    expect(await lost()).toBe(0);
    expect(it.sender.take()).toContain(ENDED);
  });

  it("brings its subscriptions back where the end of an alert arrives after all", async () => {
    const it = await subscribed();
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    gone(it);
    await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1" });
    await it.pass(0);
    await nextDay(it);
    expect(it.sender.take()).toEqual([LOST, ENDED]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    well(it);
    await it.pass(HOUR);
    expect(it.sender.take()).toEqual([RESOLVED, REACHED, BACK]);
    expect(await states(it)).toEqual(["active"]);
  });

  it("and stays so gets no resolve without a trigger, and the log says why", async () => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await nextDay(it);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([LOST, ENDED]);
    const [episode] = await it.engine.lastEpisodes(1);
    const whats = (await it.engine.history(episode!.id))?.decisions.map(({ what }) => what);
    expect(whats).toContain("no resolve owed");
  });

  it("without a subscription keeps nothing waiting; the operators learn of the message", async () => {
    const it = await openStage({ operators });
    gone(it);
    await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1" });
    await it.pass(1000);
    expect(it.sender.take()).toEqual(["operators: refused: fake ops 1 dead 0 plain"]);
    expect(await it.engine.outboxDepth()).toEqual([]);
    expect(await it.engine.suspensions()).toEqual([]);
  });

  it.each([
    ["asks", (it: Stage) => it.engine.retry(ops), [REACHED, BACK]],
    [
      "announces something there",
      (it: Stage) => it.engine.putSubscriptions([aSubscription()], "ada", [{ destination: ops, message }]),
      ["test by ada", REACHED, BACK],
    ],
  ] as const)("is tried at once where somebody %s", async (_what, asks, then) => {
    const it = await subscribed();
    gone(it);
    await it.rounds(8, [stalled("bad")]);
    await minutes(it, 5);
    well(it);
    await asks(it);
    await it.pass(0);
    expect(it.sender.take()).toEqual([LOST, FIRED, ...then]);
    const logged = (await it.engine.decisions({ destination: "fake//ops/", limit: 99 })).map(({ what }) => what);
    expect(logged.filter((what) => what.startsWith("destination"))).toEqual([
      "destination reached",
      "destination unreachable",
    ]);
  });
});

describe("who subscribed a channel", () => {
  /** Slack, where two channels are subscribed, and the console. */
  async function onSlack(by: readonly string[]): Promise<{ stage: Stage; slack: FakeSender; web: FakeSender }> {
    const stage = await openStage({
      console: { platform: "web", channel: "console" },
      senders: (now) => [new GuardedSender({ platform: "slack", now }), new GuardedSender({ platform: "web", now })],
    });
    for (const [index, id] of by.entries()) {
      const destination = { platform: "slack", channel: `C${index}` };
      await stage.engine.putSubscriptions(
        [aSubscription({ id: `s${index}`, destination, by: { id, name: "ada" } })],
        "ada",
      );
    }
    await stage.rounds(2, [stalled("good")]);
    const [slack, web] = stage.senders;
    return { stage, slack: slack!, web: web! };
  }
  const inChannel = (what: object): boolean =>
    "destination" in what && (what as { destination: { channel: string } }).destination.channel.startsWith("C");

  it("is told by direct message, where it is somebody on that platform", async () => {
    const { stage, slack, web } = await onSlack(["U0123ABCD", "console"]);
    slack.outcome = (what) => (inChannel(what) ? new SendError("gone", "Slack says is_archived") : "ok");
    await stage.rounds(8, [stalled("bad")]);
    expect(slack.take()).toEqual(["user:U0123ABCD: channel refused: slack C0"]);
    expect(web.take()).toHaveLength(2);
  });

  it("who cannot be told either keeps nobody waiting", async () => {
    const { stage, slack, web } = await onSlack(["U0123ABCD"]);
    slack.outcome = () => new SendError("gone", "Slack says is_archived");
    await stage.rounds(8, [stalled("bad")]);
    expect(slack.take()).toEqual([]);
    expect(web.take().map((gist) => gist.replace("console: ", ""))).toEqual([
      "channel refused: slack C0",
      "refused: slack user:U0123ABCD 1 dead 0 plain",
    ]);
    expect((await stage.engine.suspensions()).map(({ destination }) => destination?.channel)).toEqual(["C0"]);
  });

  it("is not told of a missing scope: the operators are, once for all channels", async () => {
    const { stage, slack, web } = await onSlack(["U0123ABCD", "U0123ABCE", "U0123ABCF"]);
    const missing = new SendError("gone", "Slack says missing_scope", { operator: true });
    slack.outcome = (what) => (inChannel(what) ? missing : "ok");
    await stage.rounds(8, [stalled("bad")]);
    expect(slack.take()).toEqual([]);
    expect(web.take()).toEqual(["console: channel refused: slack C0"]);
    slack.outcome = () => "ok";
    await minutes(stage, 5);
    expect(slack.take()).toHaveLength(6);
    expect(web.take()).toEqual([expect.stringMatching(/^console: channel accepted: slack C\d$/u)]);
  });
});

describe("a trigger that is refused", () => {
  it("is not retried, but an escalation is sent after all, and so is the resolve", async () => {
    const it = await subscribed();
    let refused = 0;
    it.sender.outcome = (what) => {
      if (!isOps(what)) return "ok";
      refused += 1;
      return new SendError("permanent", "400 too silly");
    };
    await it.rounds(20, [stalled("bad")]);
    expect(refused).toBe(1);
    expect(it.sender.take()).toEqual(["operators: refused: fake ops 1 dead 0 plain"]);
    well(it);
    await it.rounds(20, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    expect(alertOf(it.sender.posts.at(-1)!.reply)).toHaveProperty("already");
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
    await it.engine.putSubscriptions([aSubscription({ id: "two", floor: "critical", mention: "oncall" })], "ada");
    await it.rounds(4, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    expect(mentions(it)).toEqual([["critical: network.stalled on mainnet", "oncall"]]);
  });
});
