import { describe, expect, onTestFinished, test } from "vitest";

import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import { SendError } from "../../../src/alerts/sender.ts";
import { createLog } from "../../../src/log.ts";
import { memoryAttachment } from "../../../src/reply/reply.ts";
import { down } from "../readings.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage, type StageOptions } from "../stage.ts";

/** A channel that is told of nodes that are down, with pictures. `drawn`: of what, in which zone. */
async function told(more: Partial<Subscription> = {}, options: StageOptions = {}) {
  const drawn: string[] = [];
  const lines: { readonly event: string; readonly why?: string }[] = [];
  const log = createLog("warn", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const stage = await openStage({
    log,
    draw: async ({ subject, state }, zone) => {
      drawn.push(`${subject} ${state} ${zone}`);
      return memoryAttachment("chart.png", "image/png", "PNG", { alt: "a chart" });
    },
    ...options,
  });
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["node.down"], style: "live", ...more })], "ada");
  await stage.rounds(2, [down("good")]);
  const { sender } = stage;
  onTestFinished(() => {
    sender.take();
    sender.takeEdits();
  });
  return { stage, sender, drawn, warned: () => lines.filter(({ event }) => event.startsWith("picture")) };
}

/** A node is down for so long, looked at every 5 s; the first rounds only make it fire. */
async function isDown(stage: Stage, seconds: number, nodes: readonly string[] = ["a:1"]): Promise<void> {
  await stage.rounds(
    2,
    nodes.map((node) => down("bad", node)),
  );
  await stage.rounds(
    1 + seconds / 5,
    nodes.map((node) => down("bad", node)),
  );
}

const isUp = (stage: Stage, nodes: readonly string[] = ["a:1"]): Promise<void> =>
  stage.rounds(
    6,
    nodes.map((node) => down("good", node)),
  );

describe("the picture of an alert", () => {
  test("comes a minute after its first message, and stays through five edits", async () => {
    const { stage, sender, drawn } = await told();
    await isDown(stage, 55);
    expect([sender.posts.length, drawn, sender.pictures]).toEqual([1, [], []]);
    await isDown(stage, 10);
    expect([drawn, sender.pictures]).toEqual([["a:1 firing UTC"], ["1 chart.png"]]);
    const before = sender.edits.length;
    for (let count = 0; count < 2; count += 1) {
      await stage.rounds(1, [down("good")]);
      await stage.rounds(1, [down("bad")]);
    }
    await isUp(stage);
    expect(sender.edits.length - before).toBeGreaterThanOrEqual(5);
    expect(new Set(sender.kept)).toEqual(new Set(["1 chart.png"]));
    expect(sender.kept).toHaveLength(sender.edits.length - before);
    expect([drawn.length, sender.pictures.length]).toEqual([1, 1]);
  });

  test.each(["live", "thread", "plain"] as const)(
    "comes at the end of what was over before, style %s",
    async (style) => {
      const { stage, sender, drawn } = await told({ style });
      await isDown(stage, 10);
      await isUp(stage);
      expect([drawn, sender.pictures]).toEqual([["a:1 resolved UTC"], ["1 chart.png"]]);
      await stage.pass(120_000);
      expect(sender.pictures).toHaveLength(1);
    },
  );

  test("of a message in plain style leaves its words as they are", async () => {
    const { stage, sender } = await told({ style: "plain" });
    await isDown(stage, 70);
    expect(sender.pictures).toEqual(["1 chart.png"]);
    expect(new Set(sender.edits.map(({ gist }) => gist))).toEqual(new Set([sender.posts[0]?.gist]));
  });

  test("is in the zone of the quiet hours", async () => {
    const { stage, drawn } = await told({ quietHours: { from: "01:00", to: "02:00", zone: "Asia/Kolkata" } });
    await isDown(stage, 70);
    expect(drawn).toEqual(["a:1 firing Asia/Kolkata"]);
  });

  test("is none where the subscription wants none, and none in the digest of quiet hours", async () => {
    for (const more of [
      { chart: "off" as const },
      { quietHours: { from: "11:00", to: "12:10", zone: "UTC" }, floor: "info" as const },
    ]) {
      const { stage, sender, drawn } = await told(more);
      await isDown(stage, 70);
      await isUp(stage);
      await stage.leap(900_000);
      expect([sender.posts.length > 0, drawn, sender.pictures]).toEqual([true, [], []]);
    }
  });

  test("is none on a message of two nodes, and goes once a second node joins it", async () => {
    const both = ["a:1", "b:1"];
    const { stage, sender, drawn } = await told();
    await isDown(stage, 70, both);
    await isUp(stage, both);
    expect([sender.posts[0]?.gist, drawn]).toEqual([expect.stringMatching(/a:1.*b:1|2 /u), []]);

    const other = await told();
    await isDown(other.stage, 70);
    expect(other.sender.pictures).toEqual(["1 chart.png"]);
    await isDown(other.stage, 70, both);
    await isUp(other.stage, both);
    expect([other.sender.kept, other.sender.pictures.length]).toEqual([[], 1]);
  });

  test("that cannot be drawn, or not be put there, costs a line of the log; the message stays, and goes on", async () => {
    const failing = await told({}, { draw: () => Promise.reject(new Error("no disk")) });
    const refused = await told();
    refused.sender.putting = () => {
      throw new SendError("retry", "limited", { retryAfterMillis: 1000 });
    };
    for (const { stage, sender, warned } of [failing, refused]) {
      await isDown(stage, 120);
      await isUp(stage);
      expect(warned()).toEqual([expect.objectContaining({ event: "picture not added", delivery: expect.any(String) })]);
      expect([sender.pictures, sender.kept]).toEqual([[], []]);
      expect(sender.edits.at(-1)?.gist).toMatch(/resolved|over|node.down/u);
    }
  });

  test("survives a restart before it is due, and is never there twice after one in its midst", async () => {
    const { stage, sender, drawn } = await told();
    await isDown(stage, 20);
    await stage.restart();
    await isDown(stage, 60);
    expect([drawn, sender.pictures]).toEqual([["a:1 firing UTC"], ["1 chart.png"]]);

    const killed = await told({}, { draw: () => new Promise(() => undefined) });
    await isDown(killed.stage, 60);
    await killed.stage.restart(70_000);
    await isDown(killed.stage, 60);
    await isUp(killed.stage);
    expect(killed.sender.pictures).toEqual([]);
    expect(killed.sender.posts.map(({ delivery }) => delivery.about?.state)).toEqual(["firing", "resolved"]);
  });

  const owesPicture = async (stage: Stage) => void (await stage.round([down("bad")]));
  const isAgainDown = (stage: Stage) => stage.rounds(60, [down("bad")]);
  test.each<
    [lost: string, before: (of: Stage) => Promise<void>, then: typeof isUp, again: typeof isUp, alerts: number]
  >([
    ["its end", (stage) => isDown(stage, 20), isUp, isUp, 1],
    ["its end, nor to the next alert soon", (stage) => isDown(stage, 20), isUp, isAgainDown, 2],
    ["that it was added", (stage) => isDown(stage, 55).then(() => owesPicture(stage)), isUp, isUp, 1],
    ["its message, whose repeat is dropped", async () => undefined, (stage) => isDown(stage, 70), isAgainDown, 1],
  ])("is not added again where a database that went back lacks %s", async (_, before, then, again, alerts) => {
    // A restoration asks the real clock.
    const startedAt = BigInt(Date.now()) * 1_000_000n;
    const senders = (now: () => number) => [new FakeSender({ now, dropsRepeatsForMillis: 600_000 })];
    const { stage, sender } = await told({}, { startedAt, senders });
    await before(stage);
    const goBack = stage.keep();
    await then(stage);
    expect(sender.pictures).toEqual(["1 chart.png"]);
    await goBack();
    await expect(stage.round([])).rejects.toThrow("stored again");
    await again(stage);
    await isUp(stage);
    expect(sender.posts.filter(({ delivery }) => delivery.about?.state === "firing")).toHaveLength(alerts);
    expect(sender.pictures).toEqual(["1 chart.png"]);
    await stage.pass(600_000);
    await isDown(stage, 70);
    expect(sender.pictures).toHaveLength(2);
  });

  test("that takes too long is given up, and keeps nothing waiting", async () => {
    const { stage, sender, warned } = await told({}, { draw: () => new Promise(() => undefined) });
    await isDown(stage, 60);
    await stage.engine.putSubscriptions([aSubscription({ id: "sub2" })], "ada");
    await stage.pass(30_000);
    expect(warned()).toEqual([expect.objectContaining({ why: expect.stringContaining("30000 ms") })]);
    await isUp(stage);
    expect(sender.posts).toHaveLength(2);
  });
});
