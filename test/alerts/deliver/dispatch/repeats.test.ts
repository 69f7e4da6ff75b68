import { afterEach, describe, expect, it } from "vitest";

import { stalled } from "../../readings.ts";
import type { Subscription } from "../../../../src/alerts/route/subscription.ts";
import { fullText } from "../../../../src/reply/full-text.ts";
import { SendError } from "../../../../src/alerts/sender.ts";
import { FakeSender, type FakeSenderOptions } from "../../../support/fake-sender.ts";
import { isRepeat } from "../../../support/gist.ts";
import { saying } from "../../../support/said.ts";
import { aSubscription } from "../../samples.ts";
import { openStage, Stage } from "../../stage.ts";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

it("a live message that may be a repeat says so until it is edited", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
  await stage.rounds(8, [stalled("bad")]);
  sender.outcome = () => "ok";
  await stage.rounds(8, [stalled("good")]);
  const [first, repeat, resolve] = sender.posts;
  expect([first, repeat, resolve].map((post) => isRepeat(post!.reply))).toEqual([false, true, false]);
  const edits = sender.edits.filter(({ message }) => message === repeat?.message);
  expect(edits.at(-1)?.gist).toMatch(/^resolved/u);
  expect(edits.some(({ reply }) => isRepeat(reply))).toBe(false);
});

it("a receipt that comes late, before the next attempt, keeps the message from being sent twice", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  // The next attempt has to wait, so that the receipt comes first.
  sender.outcome = (_what, tries) =>
    tries === 1 ? "posted-late" : new SendError("retry", "429", { retryAfterMillis: 30_000 });
  await stage.rounds(11, [stalled("bad")]);
  for (const give of sender.late) give();
  sender.outcome = () => "ok";
  await stage.rounds(12, [stalled("good")]);
  expect(sender.take()).toEqual(["warning: network.stalled on mainnet", "resolved: network.stalled on mainnet"]);
  expect(sender.edits.every(({ message }) => message === "1")).toBe(true);
  const { decisions } = (await engine.history("network.stalled|mainnet||1"))!;
  const late = decisions.filter(({ what }) => what === "arrived late");
  expect(late).toMatchObject([{ destination: "fake//ops/", delivery: sender.posts[0]!.delivery.id }]);
  sender.takeEdits();
});

it("a receipt that comes late takes no escalation with it, which joined the message meanwhile", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) =>
    tries === 1 ? "posted-late" : new SendError("retry", "429", { retryAfterMillis: 30_000 });
  await stage.rounds(44, [stalled("bad")]);
  for (const give of sender.late) give();
  sender.outcome = () => "ok";
  await stage.rounds(8, [stalled("bad")]);
  expect(sender.take()).toEqual(["warning: network.stalled on mainnet", "now critical: network.stalled on mainnet"]);
  expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([false, false]);
  sender.takeEdits();
});

it("a press on a copy that no receipt is known of takes its buttons, once; a press on the known one changes nothing", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  const { destination } = aSubscription({});
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
  await stage.rounds(13, [stalled("bad")]);
  const [first, repeat] = sender.posts;
  expect([isRepeat(first!.reply), isRepeat(repeat!.reply)]).toEqual([false, true]);
  sender.outcome = () => "ok";
  const [episode] = await engine.openEpisodes();
  const press = async (message: string): Promise<void> => {
    const { platform, channel } = destination;
    await engine.notePress(episode!.id, { platform, channel, message });
    await stage!.pass(1000);
  };
  await press(repeat!.message);
  expect(sender.edits).toHaveLength(0);
  await press(first!.message);
  await press(first!.message);
  expect(sender.edits.map(({ message, reply }) => [message, reply.actions])).toEqual([[first!.message, []]]);
  // A message of something else: the only delivery in doubt is settled.
  await press("another");
  expect(sender.edits).toHaveLength(1);
  const { decisions } = (await engine.history(episode!.id))!;
  expect(decisions.filter(({ what }) => what === "sent twice")).toHaveLength(1);
  sender.take();
  sender.takeEdits();
});

it("a receipt that comes after the message was sent again takes the buttons of the first one, and says so", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) => (tries === 1 ? "posted-late" : "ok");
  await stage.rounds(13, [stalled("bad")]);
  const [first, repeat] = sender.posts;
  expect([isRepeat(first!.reply), isRepeat(repeat!.reply)]).toEqual([false, true]);
  for (const give of sender.late) give();
  await stage.pass(1000);
  const tidied = sender.edits.filter(({ message }) => message === first?.message);
  expect(tidied).toHaveLength(1);
  expect(tidied[0]?.reply.actions).toEqual([]);
  sender.outcome = () => "ok";
  await stage.rounds(8, [stalled("good")]);
  // The other one goes on.
  expect(sender.edits.filter(({ message }) => message === first?.message)).toHaveLength(1);
  expect(sender.edits.at(-1)?.message).toBe(repeat?.message);
  const [episode] = await engine.lastEpisodes(1);
  const { decisions } = (await engine.history(episode!.id))!;
  expect(decisions.map(({ what }) => what)).toContain("sent twice");
  sender.take();
  sender.takeEdits();
});

it("where both of two attempts are found to have arrived, each of those messages loses its buttons", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscriptions([aSubscription({ style: "live" })], "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) => (tries < 3 ? "posted-late" : "ok");
  await stage.rounds(18, [stalled("bad")]);
  expect(sender.posts).toHaveLength(3);
  for (const give of sender.late) {
    give();
    await stage.pass(1000);
  }
  expect(sender.edits.map(({ message, reply }) => [message, reply.actions])).toEqual([
    ["1", []],
    ["2", []],
  ]);
  sender.take();
  sender.takeEdits();
});

describe("a trigger that may have arrived, and whose alert is over before it is sent again", () => {
  /** Its process is killed in the midst of sending, and the next one begins after the end. */
  async function killedUntilTheEnd(style: Subscription["style"], platform: Partial<FakeSenderOptions> = {}) {
    const it = await openStage({ senders: (now) => [new FakeSender({ now, ...platform })] });
    await it.engine.putSubscriptions([aSubscription({ style })], "ada");
    await it.rounds(1, [stalled("good")]);
    it.sender.outcome = () => "lost-unknown";
    await it.rounds(7, [stalled("bad")]);
    await it.stopDelivering();
    await it.rounds(8, [stalled("good")]);
    it.sender.outcome = () => "ok";
    await it.restart();
    await it.pass(20_000);
    return it;
  }

  it.each(["live", "thread", "plain"] as const)("says both, once, as a possible repeat: %s", async (style) => {
    const { sender } = await killedUntilTheEnd(style);
    expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([true]);
    expect(sender.take()).toEqual(["fired and resolved: network.stalled on mainnet"]);
  });

  it("leaves the end a message of its own where the platform may drop the repeat: its card says when it was told", async () => {
    const { sender } = await killedUntilTheEnd("live", { dropsRepeatsForMillis: 10 });
    expect(sender.posts.map(({ reply }) => isRepeat(reply))).toEqual([true, false]);
    expect(sender.take()).toEqual(["resolved: network.stalled on mainnet", "resolved: network.stalled on mainnet"]);
    expect(fullText(sender.edits.at(-1)!.reply)).toMatch(saying("It was told"));
  });
});
