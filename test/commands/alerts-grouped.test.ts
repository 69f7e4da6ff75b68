import { expect, test } from "vitest";

import { ann, deliver, elsewhere, OPS, ops, see, shown, talkInOps } from "./alert-channel.ts";
import { down, stalled } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { episodesIn } from "../support/gist.ts";
import { saying } from "../support/said.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Talk } from "../support/talk.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

// The buttons of a message that says several alerts hold for all that it named when they were drawn.

const NODES = ["a:1", "b:1", "c:1", "d:1"];

/** So many of the nodes are down. */
const nodes = (count: number) => [
  stalled("good"),
  ...NODES.map((node, index) => down(index < count ? "bad" : "good", node)),
];

async function threeNodesDown(): Promise<{ talk: Talk; sender: FakeSender }> {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down style:plain");
  await see(talk, 1, nodes(0));
  await see(talk, 4, nodes(3));
  const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
  await deliver(talk, sender);
  return { talk, sender };
}

async function press(talk: Talk, sender: FakeSender, label: string) {
  const post = sender.posts.findLast(({ channel, gist }) => channel === OPS.channel && gist.startsWith("warning"));
  const action = post?.reply.actions.find((one) => one.label === label);
  if (post === undefined || action === undefined || !("invocation" in action)) throw new Error("no such button");
  const pressed = { platform: "discord", channel: post.delivery.destination.channel, message: post.message };
  return talk.bot.run({ here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...action.invocation, pressed });
}

const acknowledged = async (talk: Talk): Promise<string[]> =>
  (await talk.engine.openEpisodes()).flatMap((one) => (one.acknowledged === undefined ? [] : [one.subject]));

test("Acknowledge covers each alert that the message names, says how many, and is announced once", async () => {
  const { talk, sender } = await threeNodesDown();
  expect(sender.posts.map(({ gist }) => gist)).toContain("warning: 3 node.down on mainnet");
  await see(talk, 4, nodes(4));
  const said = await press(talk, sender, "Acknowledge");
  expect([said.tone, plainText(said.title)]).toEqual(["good", expect.stringContaining("2 more")]);
  // Not the fourth, which the message did not name.
  expect((await acknowledged(talk)).toSorted()).toEqual(["a:1", "b:1", "c:1"]);
  const again = await press(talk, sender, "Acknowledge");
  expect(shown(again)).toMatch(saying("•", "ann", "a:1", "mainnet"));
});

test("Acknowledge is announced wherever one of the alerts was told", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down style:plain");
  const there = aSubscription({ destination: elsewhere, kinds: ["node.down"], subjects: ["b:1"] });
  await talk.engine.putSubscriptions([there], "bob");
  await see(talk, 1, nodes(0));
  await see(talk, 4, nodes(3));
  const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
  await deliver(talk, sender);
  await press(talk, sender, "Acknowledge");
  await deliver(talk, sender);
  const announced = sender.posts.filter(({ gist }) => gist.startsWith("acknowledged"));
  expect(announced.map(({ channel, gist }) => [channel, gist])).toEqual([
    [elsewhere.channel, "acknowledged by ann: node.down of b:1 on mainnet"],
  ]);
});

test("Silence covers the subjects that the message names, says how many, and no other of their kind", async () => {
  const { talk, sender } = await threeNodesDown();
  const said = await press(talk, sender, "Silence 1 h");
  expect([said.tone, plainText(said.title)]).toEqual(["good", expect.stringContaining("3")]);
  const [silence] = await talk.engine.silences();
  expect(silence?.scope).toEqual({
    destination: expect.any(String) as string,
    network: "mainnet",
    kind: "node.down",
    subjects: ["a:1", "b:1", "c:1"],
  });
  // All are back; soon after that one of them goes down again, and the fourth.
  await see(talk, 8, nodes(0));
  await see(talk, 4, [
    stalled("good"),
    down("bad", "a:1"),
    down("bad", "d:1"),
    down("good", "b:1"),
    down("good", "c:1"),
  ]);
  await deliver(talk, sender);
  // The message of those before shows the fourth, and not the silenced one again.
  const shownEpisodes = sender.edits.flatMap(({ reply }) => episodesIn(reply));
  expect(shownEpisodes).toContain("node.down|mainnet|d:1|1");
  expect(shownEpisodes).not.toContain("node.down|mainnet|a:1|2");
  const fired = sender.posts.filter(({ gist }) => gist.startsWith("warning")).map(({ gist }) => gist);
  expect(fired).toEqual(["warning: 3 node.down on mainnet"]);
});

test("until:resolved of what the message names lasts until all of that is over, and is refused once it is", async () => {
  const { talk, sender } = await threeNodesDown();
  const post = sender.posts.findLast(({ gist }) => gist.startsWith("warning"))!;
  const action = post.reply.actions.find(({ label }) => label === "Silence 1 h");
  if (action === undefined || !("invocation" in action)) throw new Error("no such button");
  const { what } = action.invocation.options;
  expect((await talk.suggest("alerts silence", "until", "r", { what: what! })).map(({ value }) => value)).toEqual([
    "resolved",
  ]);
  expect(await talk.ask(`alerts silence ${String(what)} until:resolved`)).toMatch(saying("✓", 3, "10 min after all"));
  await see(talk, 8, nodes(1));
  expect(await talk.ask("alerts silences")).toContain("until all are over");
  await see(talk, 8, nodes(0));
  const [silence] = await talk.engine.silences();
  expect(silence?.untilOver).toBeUndefined();
  expect(silence!.until).toBeLessThan(Number(talk.now() / 1_000_000n) + 600_000);
  expect(await talk.ask(`alerts silence ${String(what)} until:resolved`)).toMatch(saying("!", "that is over"));
});

test("In the alert's thread, Silence holds for the channel that was told", async () => {
  const { talk, sender } = await threeNodesDown();
  const post = sender.posts.findLast(({ gist }) => gist.startsWith("warning"))!;
  const action = post.reply.actions.find(({ label }) => label === "Silence 1 h");
  if (action === undefined || !("invocation" in action)) throw new Error("no such button");
  // On Discord a thread has the id of the message that it was begun at.
  const here = { ...OPS, channel: post.message };
  const said = await talk.bot.run({ here, caller: ann, signal: AbortSignal.timeout(5000), ...action.invocation });
  expect(shown(said)).toMatch(saying("✓", 3));
  expect((await talk.engine.silences()).map(({ scope }) => scope.destination)).toEqual([destinationKey(ops)]);
});
