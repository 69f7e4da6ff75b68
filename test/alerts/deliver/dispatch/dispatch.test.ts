import { describe, expect, it } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { isRepeat } from "../../../support/gist.ts";
import { FIRED, RESOLVED, subscribed } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import type { Stage } from "../../stage.ts";

/** What the log says of the messages of an alert to the channel, each about its delivery. */
async function attemptsOf({ engine }: Stage): Promise<(string | null)[]> {
  const { decisions, deliveries } = (await engine.history("network.stalled|mainnet||1"))!;
  const ids = deliveries.map(({ id }) => id);
  const about = decisions.filter(({ delivery }) => delivery !== null);
  return about.map(({ what, destination, delivery }) =>
    ids.includes(delivery ?? "") && destination === "fake//ops/" ? what : null,
  );
}

describe("the log of an alert says of a message that", () => {
  it.each([
    ["failed for now", new SendError("retry", "503"), ["try again"]],
    ["failed for good", new SendError("permanent", "400"), ["dead letter"]],
    ["may have arrived", "posted-unknown", ["outcome unknown"]],
    ["came as plain text", new SendError("content", "400"), ["content refused"]],
    ["cannot be sent there", new SendError("gone", "404"), ["try again"]],
    ["is refused with the token", new SendError("refused", "401"), ["token refused"]],
  ] as const)("%s", async (_what, outcome, logged) => {
    const it = await subscribed();
    it.sender.outcome = (what, tries) => ("destination" in what && tries === 1 ? outcome : "ok");
    await it.rounds(7, [stalled("bad")]);
    expect(await attemptsOf(it)).toEqual(logged);
    it.sender.take();
  });

  it("was being sent as the process ended", async () => {
    const it = await subscribed();
    it.sender.outcome = (_what, tries) => (tries === 1 ? "hang" : "ok");
    await it.rounds(6, [stalled("bad")]);
    await it.round([stalled("bad")]);
    expect(await attemptsOf(it)).toEqual([]);
    await it.restart(0);
    await it.pass(0);
    expect(await attemptsOf(it)).toEqual(["outcome unknown"]);
    expect(it.sender.take()).toEqual([FIRED]);
  });
});

describe("delivery", () => {
  it("retries the first failure of a card that was edited many times after a second", async () => {
    const it = await subscribed();
    await it.rounds(7, [stalled("bad")]);
    const { deliveries } = (await it.engine.history("network.stalled|mainnet||1"))!;
    const card = deliveries[0]!.id;
    const edit = async (): Promise<void> => {
      await it.store.transaction(({ alerts: { outbox } }) => outbox.revise([card], {}, it.now(), it.now()));
      await it.pass(0);
    };
    it.dispatcher.wake();
    for (let edits = 0; edits < 20; edits += 1) {
      it.dispatcher.wake();
      await edit();
    }
    it.sender.outcome = (_what, tries) => (tries === 21 ? new SendError("retry", "503") : "ok");
    await edit();
    it.dispatcher.wake();
    await it.pass(0);
    const { row } = (await it.delivery(card))!;
    expect(row).toMatchObject({ state: "owed", last_error: "503", attempts: 1, run_at: it.now() + 1000 });
    it.sender.take();
    it.sender.takeEdits();
  });

  it("retries transient failures, in order, and delays no other channel", async () => {
    const it = await subscribed();
    await it.engine.putSubscriptions(
      [aSubscription({ id: "b", destination: { platform: "fake", channel: "other" } })],
      "a",
    );
    it.sender.outcome = (what, tries) =>
      "destination" in what && what.destination.channel === "ops" && tries < 4 ? new SendError("retry", "503") : "ok";
    await it.rounds(7, [stalled("bad")]);
    expect(it.sender.take()).toEqual([`other: ${FIRED}`]);
    await it.rounds(4, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
  });

  it("obeys retry-after, and merges trigger and resolve if the outage is over by then", async () => {
    const it = await subscribed();
    it.sender.outcome = (_what, tries) =>
      tries === 1 ? new SendError("retry", "429", { retryAfterMillis: 120_000 }) : "ok";
    await it.rounds(8, [stalled("bad")]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    await it.pass(120_000);
    expect(it.sender.take()).toEqual(["fired and resolved: network.stalled on mainnet"]);
  });

  it("dead-letters permanent failures at once, and sends no resolve for them", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("permanent", "400 too silly");
    await it.rounds(8, [stalled("bad")]);
    it.sender.outcome = () => "ok";
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([]);
    const [episode] = await it.engine.lastEpisodes(1);
    const history = await it.engine.history(episode!.id);
    expect(history?.deliveries.map(({ state, last_error }) => [state, last_error])).toEqual([
      ["dead", "400 too silly"],
    ]);
    expect(history?.decisions.map(({ what }) => what)).toContain("no resolve owed");
  });

  it("dead-letters transient failures after a day", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("retry", "503");
    await it.rounds(8, [stalled("bad")]);
    const [episode] = await it.engine.openEpisodes();
    const trigger = async () => (await it.engine.history(episode!.id))?.deliveries.at(0);
    await it.leap(23 * 3_600_000);
    expect(await trigger()).toMatchObject({ phase: "trigger", state: "owed", last_error: "503" });
    await it.leap(3_600_000);
    expect(await trigger()).toMatchObject({ phase: "trigger", state: "dead", last_error: "503" });
  });

  it("attempts every delivery once more after a downtime of more than a day, in order", async () => {
    const it = await subscribed();
    await it.rounds(8, [stalled("bad")]);
    await it.stopDelivering();
    await it.rounds(6, [stalled("good")]);
    for (const by of ["ada", "bob"]) await it.owe({ platform: "fake", channel: "ops" }, { type: "test", by, at: "1" });
    it.sender.take();
    await it.restart(25 * 3_600_000);
    await it.pass(5000);
    expect(it.sender.take()).toEqual([RESOLVED, "test by ada", "test by bob"]);
  });

  it("does not wait longer because the clock was set back", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("retry", "503");
    await it.rounds(10, [stalled("bad")]);
    it.clock.setWall(-3_600_000);
    it.sender.outcome = () => "ok";
    await it.rounds(6, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("marks a repeat where the platform would not notice it", async () => {
    const it = await subscribed();
    it.sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
    await it.rounds(9, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED, FIRED]);
    const [first, second] = it.sender.posts;
    expect(second?.delivery.id).toBe(first?.delivery.id);
    expect([first, second].map((post) => isRepeat(post!.reply))).toEqual([false, true]);
  });

  it("lets the platform drop a repeat while it does, and marks it afterwards", async () => {
    const it = await subscribed({
      senders: (now) => [new FakeSender({ now, dropsRepeatsForMillis: 60_000 })],
    });
    it.sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
    await it.rounds(9, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });

  it("marks a repeat that comes once the platform may not notice it any more", async () => {
    const it = await subscribed({
      senders: (now) => [new FakeSender({ now, dropsRepeatsForMillis: 60_000 })],
    });
    it.sender.outcome = (_what, tries) =>
      tries === 1 ? "posted-unknown" : tries === 2 ? new SendError("retry", "429", { retryAfterMillis: 90_000 }) : "ok";
    await it.rounds(30, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED, FIRED]);
    const [first, second] = it.sender.posts;
    expect(second?.delivery.id).toBe(first?.delivery.id);
    expect(isRepeat(second!.reply)).toBe(true);
  });

  it("treats a hanging attempt as unknown after a timeout", async () => {
    const it = await subscribed();
    it.sender.outcome = (_what, tries) => (tries === 1 ? "hang" : "ok");
    await it.rounds(7, [stalled("bad")]);
    expect(it.sender.take()).toEqual([]);
    await it.rounds(6, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    expect(isRepeat(it.sender.posts[0]!.reply)).toBe(true);
  });

  it("goes on after a restart where it stood", async () => {
    const it = await subscribed();
    it.sender.outcome = () => new SendError("retry", "503");
    await it.rounds(8, [stalled("bad")]);
    await it.restart(60_000);
    it.sender.outcome = () => "ok";
    await it.rounds(8, [stalled("bad")]);
    expect(it.sender.take()).toEqual([FIRED]);
    await it.restart(60_000);
    await it.rounds(6, [stalled("good")]);
    expect(it.sender.take()).toEqual([RESOLVED]);
  });
});
