import { expect, it } from "vitest";

import { saying } from "../../support/said.ts";
import { subscribed } from "../outage.ts";
import { down, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";

const ops = { platform: "fake", channel: "ops" };
const announced = [{ destination: ops, message: { type: "test", by: "eve", at: "1" } as const }];

it("an acknowledgement is logged and announced once, for one place as for all; nothing to end is nothing new", async () => {
  const stage = await subscribed();
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toHaveLength(1);
  const [episode] = await stage.engine.openEpisodes();
  const acknowledge = async (only?: string): Promise<[marked: boolean, logged: number, announced: number]> => {
    const to = only === undefined ? undefined : { ...ops, channel: only };
    const after = await stage.engine.acknowledge(episode!.id, { name: "eve" }, () => announced, to);
    await stage.pass(0);
    const logged = (await stage.engine.decisions({ limit: 99 })).filter(({ what }) => what === "acknowledged");
    return [after?.acknowledged !== undefined, logged.length, stage.sender.take().length];
  };
  expect(await acknowledge("nobody was notified here")).toEqual([false, 0, 0]);
  expect(await acknowledge("ops")).toEqual([false, 1, 1]);
  expect(await acknowledge("ops")).toEqual([false, 1, 0]);
  expect(await acknowledge()).toEqual([true, 2, 1]);
  expect(await acknowledge()).toEqual([true, 2, 0]);
  expect(await acknowledge("ops")).toEqual([true, 2, 0]);
  expect(await stage.engine.acknowledge("nothing", { name: "eve" })).toBeUndefined();
  expect(stage.sender.posts.map(({ delivery }) => delivery.threadOf)).toEqual([undefined, undefined, undefined]);
});

it("an acknowledgement is announced where the alert was told, not where it was suppressed", async () => {
  const stage = await subscribed();
  const destination = { platform: "fake", channel: "quiet" };
  await stage.engine.putSubscriptions([aSubscription({ id: "quiet", destination, floor: "critical" })], "ada");
  await stage.rounds(8, [stalled("bad")]);
  const [episode] = await stage.engine.openEpisodes();
  const heard: string[] = [];
  await stage.engine.acknowledge(episode!.id, { name: "eve" }, (_episode, at) => {
    heard.push(...at.map(({ channel }) => channel));
    return [];
  });
  expect(heard).toEqual(["ops"]);
  expect(stage.sender.take()).toHaveLength(1);
});

it("an acknowledgement is announced in the thread of the alert, where it has one", async () => {
  const stage = await subscribed({}, { style: "thread" });
  await stage.rounds(8, [stalled("bad")]);
  const [trigger] = stage.sender.posts;
  const [episode] = await stage.engine.openEpisodes();
  await stage.engine.acknowledge(episode!.id, { name: "eve" }, (_episode, at) =>
    at.map((destination) => ({ destination, message: announced[0]!.message })),
  );
  await stage.rounds(1, [stalled("bad")]);
  expect(stage.sender.take()).toHaveLength(2);
  expect(stage.sender.posts.at(-1)?.delivery.threadOf).toMatchObject({ message: trigger!.message });
  stage.sender.takeEdits();
});

it("a subscription that was changed meanwhile is not changed again", async () => {
  const stage = await subscribed();
  const [was] = await stage.engine.subscriptions();
  await stage.engine.putSubscriptions([{ ...was!, floor: "warning" }], "ada", [], was);
  await expect(stage.engine.putSubscriptions([{ ...was!, floor: "critical" }], "eve", [], was)).rejects.toThrow(
    saying("sub1"),
  );
  expect((await stage.engine.subscriptions()).map(({ floor }) => floor)).toEqual(["warning"]);
});

it("the engine says what is pending under the configured thresholds, and when a watcher last observed", async () => {
  const stage = await subscribed();
  const parameters = { "node.down": { rounds: 9 } };
  await stage.engine.putSubscriptions([aSubscription({ id: "own", kinds: ["node.down"], parameters })], "ada");
  await stage.rounds(1, [stalled("bad"), down("bad")]);
  expect((await stage.engine.pending("mainnet")).map(({ rule }) => rule)).toEqual(["network.stalled", "node.down"]);
  expect(await stage.engine.pending("testnet")).toEqual([]);
  expect(await stage.engine.lastObservedAt("mainnet", "w")).toBe(stage.now() - 5000);
  expect(await stage.engine.lastObservedAt("mainnet", "nobody")).toBeUndefined();
  expect(await stage.engine.suspensions()).toEqual([]);
});

it("what waited for the end of quiet hours is given up with its channel", async () => {
  const stage = await subscribed({}, { quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
  await stage.rounds(8, [stalled("bad")]);
  await stage.rounds(6, [stalled("good")]);
  expect(await stage.engine.openEpisodes()).toEqual([]);
  await stage.engine.putSubscriptions([aSubscription({ state: "retired" })], "ada");
  await stage.pass(3_600_000);
  const whats = (await stage.engine.decisions({ limit: 9 })).map(({ what }) => what);
  expect(whats).toContain("digest given up");
  expect(stage.sender.take()).toEqual([]);
});
