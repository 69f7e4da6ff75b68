import { describe, expect, it } from "vitest";

import { SendError } from "../../../src/alerts/sender.ts";
import { alertOf } from "../../support/gist.ts";
import { saying } from "../../support/said.ts";

import { CRITICAL, FIRED, RESOLVED, subscribed, wordsOf } from "../outage.ts";
import { blind, down, price, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

describe("an outage", () => {
  it("notifies when it fires, when it escalates and when it is over, with its history", async () => {
    const it = await subscribed();
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.rounds(32, [stalled("bad")]);
    expect(it.sender.take()).toEqual([CRITICAL]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
    const { reply } = it.sender.posts.at(-1)!;
    expect(await wordsOf(reply)).toMatch(
      saying("12:00:10 to 12:03:30 UTC", "It was told 30 s after it began and became critical after 3 min"),
    );
    expect(await it.engine.openEpisodes()).toEqual([]);
  });

  it("says the guidance of the subscription that it is told by, in edits as well", async () => {
    const guidance = { note: "Ask infra first.", runbook: "https://wiki.example.org/stall" };
    const it = await subscribed({}, { guidance, style: "live" });
    await it.engine.putSubscriptions(
      [aSubscription({ id: "b", destination: { platform: "fake", channel: "b" } })],
      "ada",
    );
    await it.rounds(40, [stalled("bad")]);
    expect(it.sender.take()).toEqual([`b: ${FIRED}`, FIRED, `b: ${CRITICAL}`, CRITICAL]);
    const said = it.sender.posts.map(({ reply }) => alertOf(reply));
    expect(said.map((one) => "guidance" in one)).toEqual([false, true, false, true]);
    expect(it.sender.takeEdits()).toHaveLength(1);
    const [edited] = it.sender.edits.slice(-1);
    expect(alertOf(edited!.reply)).toMatchObject({ phase: "state", guidance });
  });

  it("notifies nobody who is not subscribed to it, its network or its severity", async () => {
    const it = await openStage();
    await it.engine.putSubscriptions([aSubscription({ id: "a", kinds: ["node.down"] })], "ada");
    await it.engine.putSubscriptions([aSubscription({ id: "b", network: "testnet" })], "ada");
    await it.engine.putSubscriptions([aSubscription({ id: "c", floor: "critical" })], "ada");
    await it.rounds(1, [stalled("good")]);
    await it.rounds(10, [stalled("bad")]);
    expect(it.sender.take()).toEqual([]);
    const [episode] = await it.engine.openEpisodes();
    const history = await it.engine.history(episode!.id);
    expect(history?.decisions.map(({ what }) => what)).toEqual(["pending", "fired", "suppressed by severity"]);
  });

  it("freezes while blind, and only says so", async () => {
    const it = await subscribed({}, { kinds: ["network.stalled", "watch.blind", "node.down"] });
    await it.rounds(4, [blind("bad"), stalled("bad"), down("bad")]);
    expect(it.sender.take()).toEqual(["warning: watch.blind on mainnet"]);
    await it.rounds(40, [blind("bad"), stalled("good"), down("bad")]);
    await it.rounds(6, [blind("good"), stalled("good"), down("good")]);
    expect(it.sender.take()).toEqual(["resolved: watch.blind on mainnet"]);
  });

  it("notifies a channel once, though two of its subscriptions match", async () => {
    const it = await subscribed();
    await it.engine.putSubscriptions([aSubscription({ id: "again", floor: "critical" })], "ada");
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
  });

  it("notifies at once whoever subscribes while it lasts", async () => {
    const it = await openStage();
    await it.rounds(1, [stalled("good")]);
    await it.rounds(8, [stalled("bad")]);
    await it.engine.putSubscriptions([aSubscription({ created: it.now() })], "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual([FIRED]);
    expect(alertOf(it.sender.posts[0]!.reply)).toHaveProperty("already");
  });

  it("notifies as already firing where a subscription is resumed, or changed to match", async () => {
    for (const kept of [{ state: "paused" }, { kinds: ["node.down"] }] as const) {
      const it = await subscribed();
      const { kinds, ...more } = { kinds: ["network.stalled"] as const, ...kept };
      await it.engine.putSubscriptions([aSubscription({ ...more, kinds: [...kinds] })], "ada");
      await it.rounds(8, [stalled("bad")]);
      expect(it.sender.take()).toEqual([]);
      await it.engine.putSubscriptions([aSubscription()], "ada");
      await it.pass(0);
      const [post] = it.sender.posts.slice(-1);
      expect(it.sender.take()).toEqual([FIRED]);
      expect(alertOf(post!.reply)).toHaveProperty("already");
    }
  });

  it("inhibits what hangs on it: only one alert is sent", async () => {
    const it = await subscribed(
      {},
      {
        kinds: ["network.stalled", "market.price"],
        parameters: { "market.price": { high: "100" } },
      },
    );
    await it.rounds(1, [stalled("good"), price("50")]);
    await it.rounds(8, [stalled("bad"), price("50")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.rounds(3, [stalled("bad"), price("200")]);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(6, [stalled("good"), price("200")]);
    expect(it.sender.take()).toEqual([RESOLVED, "warning: market.price{high=100} of m1 on mainnet"]);
  });

  it("that was critical is repeated until somebody acknowledges it", async () => {
    const it = await subscribed({
      config: '{"remind": {"every": "1m", "times": 2}, "stalled": {"criticalFor": "30s"}}',
    });
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    await it.rounds(12, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["still critical: network.stalled on mainnet"]);
    const [episode] = await it.engine.openEpisodes();
    expect((await it.engine.acknowledge(episode!.id, { name: "bob" }))?.acknowledged?.by).toBe("bob");
    expect((await it.engine.acknowledge(episode!.id, { name: "eve" }))?.acknowledged?.by).toBe("bob");
    expect(await it.engine.acknowledge("nothing", { name: "bob" })).toBeUndefined();
    await it.rounds(30, [stalled("bad")]);
    expect(it.sender.take()).toEqual([]);
    // The messages show the acknowledgement.
    expect(it.sender.takeEdits()).toHaveLength(2);
  });

  it("that nobody acknowledged by the last reminder is told to the operators, once", async () => {
    const operators = { platform: "fake", channel: "operators" };
    const it = await subscribed({
      operators,
      config: '{"remind": {"every": "1m", "times": 2}, "stalled": {"criticalFor": "30s"}}',
    });
    const destination = { platform: "fake", channel: "other" };
    await it.engine.putSubscriptions([aSubscription({ id: "other", destination })], "ada");
    await it.rounds(8 + 12, [stalled("bad")]);
    const before = it.sender.take();
    expect(before.filter((one) => one.includes("unacknowledged"))).toEqual([]);
    await it.rounds(12, [stalled("bad")]);
    const again = "still critical: network.stalled on mainnet";
    expect(it.sender.take().toSorted()).toEqual(
      [again, `operators: unacknowledged: network.stalled on mainnet, 2 reminders`, `other: ${again}`].toSorted(),
    );
    await it.restart();
    await it.rounds(40, [stalled("bad")]);
    expect(it.sender.take()).toEqual([]);
    const { decisions } = (await it.engine.history("network.stalled|mainnet||1"))!;
    expect(decisions.filter(({ what }) => what === "not acknowledged")).toHaveLength(1);
    // The notice lives as the messages of the alert do: it says who took it, then that it is over, and loses its buttons.
    const notice = it.sender.posts.find(({ channel }) => channel === "operators")!;
    const offered = () => {
      const last = it.sender.edits.findLast(({ message }) => message === notice.message)?.reply ?? notice.reply;
      return last.actions.flatMap((action) => ("invocation" in action ? [action.invocation.command] : []));
    };
    expect(offered()).toEqual(["alerts ack", "alerts silence", "alerts why"]);
    await it.engine.acknowledge("network.stalled|mainnet||1", { name: "bob" });
    await it.pass(2000);
    expect(offered()).toEqual(["alerts silence", "alerts why"]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take().toSorted()).toEqual([`other: ${RESOLVED}`, RESOLVED].toSorted());
    await it.pass(2000);
    expect(offered()).toEqual(["alerts why"]);
    it.sender.takeEdits();
  });

  it("that was acknowledged for one destination is repeated at the others", async () => {
    const it = await subscribed({
      config: '{"remind": {"every": "1m", "times": 2}, "stalled": {"criticalFor": "30s"}}',
    });
    const destination = { platform: "fake", channel: "other" };
    await it.engine.putSubscriptions([aSubscription({ id: "other", destination })], "ada");
    await it.rounds(8, [stalled("bad")]);
    const [episode] = await it.engine.openEpisodes();
    await it.engine.acknowledge(episode!.id, { name: "bob" }, undefined, destination);
    it.sender.take();
    await it.rounds(1, [stalled("bad")]);
    expect(it.sender.takeEdits()).toHaveLength(1);
    await it.restart();
    await it.rounds(40, [stalled("bad")]);
    const again = "still critical: network.stalled on mainnet";
    expect(it.sender.take()).toEqual([again, again]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take().toSorted()).toEqual([`other: ${RESOLVED}`, RESOLVED]);
  });

  it("in live style edits one message, and adds a short one for what matters", async () => {
    const it = await subscribed({}, { style: "live" });
    await it.rounds(40, [stalled("bad")]);
    await it.pass(2000);
    expect(it.sender.take()).toEqual([FIRED, CRITICAL]);
    expect(it.sender.takeEdits()).toEqual(["critical: network.stalled on mainnet"]);
    await it.rounds(6, [stalled("good")]);
    await it.pass(2000);
    expect(it.sender.take()).toEqual([RESOLVED]);
    expect(it.sender.takeEdits().at(-1)).toBe(RESOLVED);
    expect(new Set(it.sender.edits.map(({ message }) => message))).toEqual(new Set(["1"]));
    const [, critical, end] = it.sender.posts;
    expect([critical, end].map((post) => post?.reply.actions)).toEqual([[], []]);
  });

  it.each(["live", "thread", "plain"] as const)(
    "in %s style leaves no message with a button that acts",
    async (style) => {
      const config = '{"remind": {"every": "1m", "times": 2}, "stalled": {"criticalFor": "60s"}}';
      const it = await subscribed({ config }, { style });
      await it.rounds(44, [stalled("bad")]);
      const before = it.sender.take();
      expect(before).toHaveLength(4);
      await it.restart();
      await it.rounds(3, [stalled("good")]);
      it.sender.takeEdits();
      const order: string[] = [];
      it.sender.outcome = (what, attempts) => {
        if (!("destination" in what)) order.push(`edit ${what.message}`);
        else if (what.about?.kind === "bot" && attempts === 1) return new SendError("retry", "503");
        else order.push("message");
        return "ok";
      };
      await it.round([stalled("good")]);
      await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1717416000000000000" });
      await it.pass(10_000);
      expect(it.sender.take()).toEqual([RESOLVED, "test by ada"]);
      // What is owed there goes first, also if it has to be sent again.
      const edited = style === "plain" ? ["1", "2", "3", "4"] : ["1"];
      expect(order).toEqual(["message", "message", ...edited.map((message) => `edit ${message}`)]);
      // A card shows the end; in plain style each message keeps what it said.
      expect(it.sender.takeEdits()).toEqual(style === "plain" ? before : [RESOLVED]);
      const last = new Map(it.sender.edits.map(({ message, reply }) => [message, reply]));
      const commands = [...last.values()].flatMap(({ actions }) =>
        actions.flatMap((action) => ("invocation" in action ? [action.invocation.command] : [])),
      );
      expect(new Set(commands)).toEqual(new Set(["alerts why"]));
    },
  );

  it.each(["live", "thread", "plain"] as const)(
    "in %s style takes Acknowledge from each message that has it",
    async (style) => {
      const it = await subscribed({}, { style });
      await it.rounds(40, [stalled("bad")]);
      expect(it.sender.take()).toEqual([FIRED, CRITICAL]);
      it.sender.takeEdits();
      const [episode] = await it.engine.openEpisodes();
      await it.engine.acknowledge(episode!.id, { name: "bob" });
      await it.rounds(3, [stalled("bad")]);
      const edits = it.sender.edits.slice(-it.sender.takeEdits().length);
      expect(edits.map(({ message }) => message)).toEqual(style === "plain" ? ["1", "2"] : ["1"]);
      for (const { reply } of edits) {
        expect(reply.actions.some((one) => "invocation" in one && one.invocation.command === "alerts ack")).toBe(false);
      }
      expect(it.sender.take()).toEqual([]);
    },
  );

  it("shows the acknowledgement also where its subscription is paused meanwhile", async () => {
    const it = await subscribed();
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    const [subscription] = await it.engine.subscriptions();
    // Somebody else keeps the episode open.
    const other = aSubscription({ id: "other", destination: { platform: "fake", channel: "other" } });
    await it.engine.putSubscriptions([{ ...subscription!, state: "paused" }, other], "ada");
    await it.rounds(1, [stalled("bad")]);
    it.sender.take();
    const [episode] = await it.engine.openEpisodes();
    await it.engine.acknowledge(episode!.id, { name: "bob" });
    await it.rounds(2, [stalled("bad")]);
    expect(it.sender.edits.map(({ message }) => message).toSorted()).toEqual(["1", "2"]);
    it.sender.takeEdits();
  });

  it("shows on its card who acknowledged it for one place alone, and nowhere else", async () => {
    const it = await subscribed({}, { style: "live" });
    const destination = { platform: "fake", channel: "other" };
    await it.engine.putSubscriptions([aSubscription({ id: "other", destination, style: "live" })], "ada");
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toHaveLength(2);
    const [episode] = await it.engine.openEpisodes();
    await it.engine.acknowledge(episode!.id, { name: "bob" }, undefined, destination);
    await it.rounds(2, [stalled("bad")]);
    const [there] = it.sender.posts.filter(({ channel }) => channel === "other");
    expect(it.sender.edits.map(({ message }) => message)).toEqual([there!.message]);
    expect(await wordsOf(it.sender.edits[0]!.reply)).toContain("bob");
    it.sender.takeEdits();
  });

  it("in thread style rings in the channel as in live style", async () => {
    const it = await subscribed({}, { style: "thread" });
    await it.rounds(40, [stalled("bad")]);
    expect(it.sender.takeEdits()).toEqual(["critical: network.stalled on mainnet"]);
    await it.rounds(6, [stalled("good")]);
    await it.pass(2000);
    expect(it.sender.take()).toEqual([FIRED, CRITICAL, RESOLVED]);
    expect(it.sender.takeEdits().at(-1)).toBe(RESOLVED);
    expect(new Set(it.sender.edits.map(({ message }) => message))).toEqual(new Set(["1"]));
    const [, critical, end] = it.sender.posts.map(({ delivery }) => delivery);
    expect([critical, end].map((delivery) => delivery?.threadOf)).toEqual([undefined, undefined]);
    // Nobody is woken by the end of a warning; this one was critical.
    expect(end?.quiet).toBeUndefined();
  });
});

describe("what is suppressed", () => {
  it("by a silence is sent when the silence ends, if the outage still lasts", async () => {
    const it = await subscribed();
    const now = it.now();
    const silence = { id: "s", scope: {}, from: now, until: now + 60_000, by: "ada", created: now };
    await it.engine.putSilence(silence, "ada");
    await it.rounds(10, [stalled("bad")]);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(3, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("by a silence is never sent, if the outage is over before", async () => {
    const it = await subscribed();
    const now = it.now();
    await it.engine.putSilence({ id: "s", scope: {}, from: now, until: now + 600_000, by: "ada", created: now }, "ada");
    await it.rounds(10, [stalled("bad")]);
    await it.rounds(6, [stalled("good")]);
    await it.pass(700_000);
    expect(it.sender.take()).toEqual([]);
    const [episode] = await it.engine.lastEpisodes(1);
    const history = await it.engine.history(episode!.id);
    expect(history?.decisions.map(({ what }) => what)).toContain("never told");
  });

  it("by quiet hours becomes one digest when they end; what is critical breaks through", async () => {
    const it = await subscribed({}, { quietHours: { from: "12:00", to: "12:30", zone: "UTC" } });
    await it.rounds(8, [stalled("bad")]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(40, [stalled("bad")]);
    expect(it.sender.take()).toEqual(["critical: network.stalled on mainnet"]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
    await it.pass(1_800_000);
    expect(it.sender.take()).toEqual(["digest: 1 network.stalled on mainnet, quiet hours"]);
  });

  it("by flapping has one flapping notice, and one of its end", async () => {
    const it = await subscribed();
    for (let time = 0; time < 6; time += 1) {
      await it.rounds(8, [stalled("bad")]);
      await it.rounds(6, [stalled("good")]);
    }
    expect(it.sender.take()).toEqual([
      FIRED,
      RESOLVED,
      FIRED,
      RESOLVED,
      FIRED,
      RESOLVED,
      "flapping: network.stalled on mainnet",
    ]);
    await it.leap(1_800_000);
    await it.rounds(1, [stalled("good")]);
    expect(it.sender.take()).toEqual(["calm: network.stalled on mainnet"]);
    await it.rounds(1, [stalled("good")]);
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
  });
});
