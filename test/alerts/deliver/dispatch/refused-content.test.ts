import { expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import { readRefusedMessages } from "../../../../src/alerts/deliver/dispatch/refused-messages.ts";
import { type SendOutcome } from "../../../support/fake-sender.ts";
import { isRepeat } from "../../../support/gist.ts";
import { linesOf, saying } from "../../../support/said.ts";
import { CRITICAL, FIRED, RESOLVED, subscribed, wordsOf } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import type { Stage } from "../../stage.ts";

const OPERATORS = { platform: "fake", channel: "operators" };
const refused = (): SendError => new SendError("content", "Slack says invalid_blocks");
const isOps = (what: object): boolean =>
  !("destination" in what) || (what as { destination: { channel: string } }).destination.channel === "ops";

/** Refuses the usual form of whatever goes to the channel; `plain`, too, where asked. */
function refuse(it: Stage, alsoPlain = false): void {
  it.sender.outcome = (what): SendOutcome =>
    isOps(what) && ("id" in what ? what.plain !== true || alsoPlain : !it.sender.isPlainEdit || alsoPlain)
      ? refused()
      : "ok";
}

it("is sent once more as plain text, in the same place of the order, marked and counted", async () => {
  const stage = await subscribed({ operators: OPERATORS });
  refuse(stage);
  await stage.rounds(8, [stalled("bad")]);
  const [posted] = stage.sender.posts;
  expect((await stage.delivery(posted!.delivery.id))?.row).toMatchObject({ state: "sent", attempts: 2 });
  stage.sender.outcome = () => "ok";
  await stage.rounds(6, [stalled("good")]);
  const ops = stage.sender.posts.filter(({ channel }) => channel === "ops");
  expect(ops.map(({ gist, delivery }) => [gist, delivery.plain === true])).toEqual([
    [FIRED, true],
    [RESOLVED, false],
  ]);
  const [episode] = await stage.engine.lastEpisodes(1);
  const { decisions, deliveries } = (await stage.engine.history(episode!.id))!;
  expect(decisions.filter(({ what }) => what === "content refused")).toHaveLength(1);
  expect(deliveries[0]).toMatchObject({ phase: "trigger", state: "sent", attempts: 1 });
  const told = stage.sender.posts.filter(({ channel }) => channel === "operators");
  expect(told.map(({ gist }) => gist)).toEqual(["refused: fake ops 0 dead 1 plain"]);
  expect(await wordsOf(told[0]!.reply)).toMatch(saying("ops", 1, "Slack says invalid_blocks"));
  stage.sender.take();
});

it("that is refused as plain text, too, is a dead letter, of which the operators learn", async () => {
  const stage = await subscribed({ operators: OPERATORS });
  refuse(stage, true);
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toEqual(["operators: refused: fake ops 1 dead 0 plain"]);
  const [episode] = await stage.engine.openEpisodes();
  const { deliveries } = (await stage.engine.history(episode!.id))!;
  expect(deliveries.map(({ state, attempts }) => [state, attempts])).toEqual([["dead", 2]]);
  const noted = await stage.store.transaction(({ alerts }) => readRefusedMessages(alerts));
  expect(noted[0]?.last.place).toEqual({ channel: "ops", why: "Slack says invalid_blocks", dead: 1, plain: 0 });
});

it("of an edit is edited as plain text", async () => {
  const stage = await subscribed({ operators: OPERATORS }, { style: "live" });
  await stage.rounds(8, [stalled("bad")]);
  refuse(stage);
  await stage.rounds(32, [stalled("bad")]);
  stage.sender.outcome = () => "ok";
  expect(stage.sender.edits.map(({ plain }) => plain)).toEqual([true]);
  expect(stage.sender.take()).toEqual(expect.arrayContaining([FIRED, CRITICAL]));
  stage.sender.takeEdits();
});

it("of an edit as plain text, too, takes the buttons from the message, which says that it is out of date", async () => {
  const stage = await subscribed({ operators: OPERATORS }, { style: "live" });
  await stage.rounds(8, [stalled("bad")]);
  const tries: number[] = [];
  stage.sender.outcome = (what, attempts) => {
    if ("id" in what) return "ok";
    tries.push(attempts);
    return attempts < 3 ? refused() : "ok";
  };
  await stage.rounds(32, [stalled("bad")]);
  const [card] = stage.sender.posts;
  expect(linesOf(card!.reply)).not.toEqual([]);
  expect(stage.sender.edits.map(({ message, plain, reply }) => [message, plain, linesOf(reply)])).toEqual([
    [card!.message, true, []],
  ]);
  expect(await wordsOf(stage.sender.edits[0]!.reply)).toMatch(saying("alerts status"));
  expect(tries).toEqual([1, 2, 3]);
  const [episode] = await stage.engine.openEpisodes();
  const { decisions, deliveries } = (await stage.engine.history(episode!.id))!;
  expect(decisions.filter(({ what }) => what === "content refused")).toHaveLength(2);
  expect(deliveries[0]).toMatchObject({ phase: "trigger", state: "sent" });
  expect(stage.sender.take()).toEqual([FIRED, CRITICAL]);
  stage.sender.takeEdits();
});

it("of every form of an edit ends with the third", async () => {
  const stage = await subscribed({ operators: OPERATORS }, { style: "live" });
  await stage.rounds(8, [stalled("bad")]);
  const tries: number[] = [];
  stage.sender.outcome = (what, attempts) => {
    if ("id" in what) return "ok";
    tries.push(attempts);
    return refused();
  };
  await stage.rounds(32, [stalled("bad")]);
  await stage.pass(600_000);
  expect(tries).toEqual([1, 2, 3]);
  expect(stage.sender.take()).toEqual([FIRED, CRITICAL]);
});

it("reaches the operators at once, and then once an hour with counts, also after a restart", async () => {
  const stage = await subscribed({ operators: OPERATORS });
  const notices = (): string[] => stage.sender.take().filter((gist) => gist.startsWith("operators"));
  stage.sender.outcome = (what) => (isOps(what) ? new SendError("permanent", "as_user_not_supported") : "ok");
  const owe = async (count: number): Promise<void> => {
    for (let one = 0; one < count; one += 1)
      await stage.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1" });
    await stage.pass(1000);
  };
  await owe(1);
  expect(notices()).toHaveLength(1);
  await owe(5);
  await stage.restart(60_000);
  await owe(5);
  expect(notices()).toEqual([]);
  for (let minute = 0; minute < 61; minute += 1) await stage.pass(60_000);
  expect(notices()).toHaveLength(1);
  const { gist, reply } = stage.sender.posts.at(-1)!;
  expect(gist).toBe("refused: fake ops 10 dead 0 plain");
  expect(await wordsOf(reply)).toMatch(saying("ops", 10, "as_user_not_supported"));
  for (let minute = 0; minute < 61; minute += 1) await stage.pass(60_000);
  expect(notices()).toEqual([]);
});

it("of the notice itself makes no further notice", async () => {
  const stage = await subscribed({ operators: OPERATORS });
  stage.sender.outcome = () => new SendError("permanent", "as_user_not_supported");
  await stage.owe({ platform: "fake", channel: "ops" }, { type: "test", by: "ada", at: "1" });
  for (let hour = 0; hour < 5; hour += 1) await stage.pass(3_600_000);
  const rows = await stage.engine.finished(20);
  expect(rows.map(({ destination, state }) => `${destination} ${state}`).toSorted()).toEqual([
    "fake//operators/ dead",
    "fake//ops/ dead",
  ]);
});

it("keeps its form after a crash between the refusal and the plain text", async () => {
  const stage = await subscribed();
  stage.sender.outcome = (_what, tries) => (tries === 1 ? refused() : "hang");
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toEqual([]);
  stage.sender.outcome = () => "ok";
  await stage.restart();
  await stage.pass(30_000);
  expect(stage.sender.take()).toEqual([FIRED]);
  expect(stage.sender.posts[0]?.delivery.plain).toBe(true);
  expect(isRepeat(stage.sender.posts[0]!.reply)).toBe(true);
});
