import { expect, it as test } from "vitest";

import { type Receipt, SendError } from "../../../../src/alerts/sender.ts";
import type { Reply } from "../../../../src/reply/reply.ts";
import { CRITICAL, FIRED, RESOLVED, subscribed } from "../../outage.ts";
import { down, stalled } from "../../readings.ts";
import type { Stage } from "../../stage.ts";

// Somebody deletes a card, or the thread below one: nobody is told, and what follows is told all the same.

const MINUTE = 60_000;
const TOLD = {
  operators: { platform: "fake", channel: "operators" },
  console: { platform: "fake", channel: "console" },
};

const labels = ({ actions }: Reply): string[] => actions.map(({ label }) => label);
const lastReply = ({ sender }: Stage): Reply => sender.posts.at(-1)!.reply;
const whats = async ({ engine }: Stage): Promise<string[]> =>
  (await engine.decisions({ limit: 500 })).map(({ what }) => what);
const dropped = async (it: Stage): Promise<number> => (await whats(it)).filter((what) => what === "dropped").length;

/** From now on the platform does not know these messages. */
function deletes({ sender }: Stage, ...messages: readonly (string | undefined)[]): void {
  sender.outcome = (what) =>
    !("id" in what) && messages.includes(what.message) ? new SendError("deleted", "Unknown Message") : "ok";
}

const card = ({ sender }: Stage): string | undefined => sender.posts[0]?.message;
const edited = ({ sender }: Stage): string[] => sender.edits.map(({ message }) => message);

test("a deleted card is dropped with one line in the log, and the end is told without a link", async () => {
  const it = await subscribed(TOLD, { style: "live" });
  const links: Receipt[] = [];
  Object.assign(it.sender, { link: async (receipt: Receipt) => void links.push(receipt) });
  await it.rounds(8, [stalled("bad")]);
  expect(it.sender.take()).toEqual([FIRED]);
  deletes(it, card(it));
  const [episode] = await it.engine.openEpisodes();
  await it.engine.acknowledge(episode!.id, { name: "Mia" });
  await it.pass(5000);
  expect([it.sender.take(), await dropped(it)]).toEqual([[], 1]);
  await it.rounds(6, [stalled("good")]);
  expect([it.sender.take(), labels(lastReply(it)), links]).toEqual([[RESOLVED], [], []]);
  await it.pass(MINUTE);
  expect([it.sender.take(), edited(it), await dropped(it)]).toEqual([[], [], 1]);
  expect(await whats(it)).not.toContain("destination unreachable");
});

test("the next post that rings takes the place of a deleted card, with its buttons", async () => {
  const it = await subscribed(TOLD, { style: "live" });
  await it.rounds(8, [stalled("bad")]);
  deletes(it, card(it));
  await it.rounds(36, [stalled("bad")]);
  // Only the edit after it shows that the card is deleted.
  expect(it.sender.take()).toEqual([FIRED, CRITICAL]);
  expect([labels(lastReply(it)), await dropped(it)]).toEqual([[], 1]);
  for (let minute = 0; minute < 31; minute += 1) await it.pass(MINUTE);
  expect(it.sender.take()).toEqual(["still critical: network.stalled on mainnet"]);
  expect(labels(lastReply(it))).toEqual(["Acknowledge", "Silence 1 h", "Details"]);
  const reminder = it.sender.posts.at(-1)!.message;
  const episode = (await it.engine.openEpisodes()).find(({ kind }) => kind === "network.stalled");
  await it.engine.acknowledge(episode!.id, { name: "Mia" });
  await it.pass(5000);
  expect(labels(it.sender.edits.at(-1)!.reply)).toEqual(["Silence 1 h", "Details"]);
  expect(it.sender.edits.at(-1)!.message).toBe(reminder);
  await it.rounds(6, [stalled("good")]);
  expect(it.sender.take()).toEqual([RESOLVED]);
  await it.pass(MINUTE);
  expect(await dropped(it)).toBe(1);
  it.sender.takeEdits();
  const last = it.sender.edits.findLast(({ message }) => message === reminder);
  expect(labels(last!.reply)).toEqual(["Details"]);
});

test("what a deleted card had not shown yet is told by itself, and each end rings", async () => {
  const it = await subscribed(TOLD, { style: "live", kinds: ["node.down"] });
  const nodes = (state: "bad" | "good", ...names: string[]) => names.map((name) => down(state, name));
  await it.rounds(2, nodes("good", "a:1", "b:1", "c:1"));
  await it.rounds(3, [...nodes("bad", "a:1", "b:1"), ...nodes("good", "c:1")]);
  await it.pass(5000);
  expect(it.sender.take()).toHaveLength(1);
  deletes(it, card(it));
  await it.rounds(3, nodes("bad", "a:1", "b:1", "c:1"));
  await it.pass(5000);
  expect(it.sender.take()).toEqual(["warning: node.down of c:1 on mainnet"]);
  expect(await dropped(it)).toBe(1);
  await it.rounds(5, [...nodes("good", "a:1"), ...nodes("bad", "b:1", "c:1")]);
  expect(it.sender.take()).toEqual(["resolved: node.down of a:1 on mainnet"]);
  await it.rounds(5, nodes("good", "a:1", "b:1", "c:1"));
  expect(it.sender.take().toSorted()).toEqual([
    "resolved: node.down of b:1 on mainnet",
    "resolved: node.down of c:1 on mainnet",
  ]);
  it.sender.takeEdits();
  expect(await dropped(it)).toBe(1);
});

test("what belongs into a deleted thread is dropped", async () => {
  const it = await subscribed(TOLD, { style: "thread" });
  await it.rounds(8, [stalled("bad")]);
  expect(it.sender.take()).toEqual([FIRED]);
  it.sender.outcome = (what) =>
    "threadOf" in what && what.threadOf !== undefined ? new SendError("deleted", "Unknown Channel") : "ok";
  const [episode] = await it.engine.openEpisodes();
  await it.engine.acknowledge(episode!.id, { name: "Mia" }, (taken, places) =>
    places.map((destination) => ({
      destination,
      message: { type: "change", change: { what: "acknowledged", episode: taken }, by: "Mia", at: taken.detected },
    })),
  );
  await it.pass(5000);
  expect([it.sender.take(), await dropped(it)]).toEqual([[], 1]);
  expect(edited(it)).toEqual([card(it)]);
  await it.rounds(6, [stalled("good")]);
  expect(it.sender.take()).toEqual([RESOLVED]);
  it.sender.takeEdits();
});
