import { afterEach, describe, expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import { createDowntimeReport, type DowntimeReport } from "../../../src/alerts/service/downtime-report.ts";
import { settled } from "../../api/virtual-clock.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { aSubscription } from "../samples.ts";
import { NOON, Stage } from "../stage.ts";

const MINUTE = 60_000;
const OPERATORS = { platform: "fake", channel: "operators" };

let stage: Stage;
afterEach(() => stage.close());

function report(more: { networks?: readonly string[]; simulated?: boolean } = {}): DowntimeReport {
  return createDowntimeReport({
    store: stage.store,
    clock: stage.clock,
    config: stage.config,
    networks: more.networks ?? ["mainnet", "testnet"],
    watcher: "w",
    always: [OPERATORS],
    simulated: more.simulated ?? false,
    onOwed: () => stage.dispatcher.wake(),
  });
}

/** Ends the process, which takes 10 s to stop, and starts another so long after its last observation. */
const downFor = (millis: number): Promise<void> => stage.restart(Math.max(0, millis - 10_000));

/** The gist of each message about a downtime since the last time. */
async function posted(): Promise<string[]> {
  await settled();
  await stage.clock.advance(0);
  return stage.sender.take().filter((gist) => gist.includes("away "));
}

const events = (from: number, count: number): AlertEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: "checkpoint.new",
    network: "mainnet",
    subject: "",
    key: `${from + index}/hash`,
    at: String(NOON),
    atBlock: String(from + index),
    hash: "hash",
  }));

const subscriptionTo = (kinds: Subscription["kinds"], channel: string): Subscription =>
  aSubscription({ id: channel, destination: { platform: "fake", channel }, kinds });

describe("after a restart", () => {
  it("notifies the operators and the channels with late events, and nobody else", async () => {
    stage = await Stage.open({ startedAt: NOON });
    await stage.engine.putSubscriptions([subscriptionTo(["checkpoint.new"], "ops")], "ann");
    await stage.engine.putSubscriptions([subscriptionTo(["snapshot.new"], "others")], "bob");
    // In another workspace the operators' channel is somebody else's.
    const elsewhere = subscriptionTo(["checkpoint.new"], "operators");
    const destination = { ...elsewhere.destination, workspace: "T2" };
    await stage.engine.putSubscriptions([{ ...elsewhere, id: "elsewhere", destination }], "eve");
    // Who waits for something of their own is told that, and no more.
    await stage.engine.putSubscriptions([{ ...subscriptionTo(["checkpoint.new"], "dm"), personal: true }], "carol");
    await stage.round([], []);
    // What came before is none of it.
    await stage.clock.advance(5000);
    await stage.round([], events(90, 3));
    stage.sender.take();
    await downFor(32 * MINUTE);
    const downtime = report();
    expect(await downtime.begin()).toBe(true);
    await stage.round([], events(100, 2));
    await downtime.finish();
    const gist = "away 1920 s: 2 checkpoint.new late";
    expect((await posted()).toSorted()).toEqual([gist, `operators: ${gist}`, `operators: ${gist}`]);
  });

  it("names the networks that could not be observed, each channel its own", async () => {
    stage = await Stage.open();
    await stage.engine.putSubscriptions([subscriptionTo(["checkpoint.new"], "ops")], "ann");
    await stage.round([], []);
    await downFor(10 * MINUTE);
    const downtime = report();
    await downtime.begin();
    await stage.round([], events(100, 2));
    await downtime.finish(["testnet"]);
    expect(await posted()).toEqual([
      "operators: away 600 s: 2 checkpoint.new late, testnet unseen",
      "away 600 s: 2 checkpoint.new late",
    ]);
  });

  it("reports it once, though the process dies before it, in the midst of it and after it", async () => {
    stage = await Stage.open();
    await stage.round([], []);
    await downFor(10 * MINUTE);
    expect(await report().begin()).toBe(true);
    await stage.round([], events(100, 1));
    // Died before it was told; what was found then counts all the same.
    await downFor(5000);
    const second = report();
    expect(await second.begin()).toBe(true);
    await stage.round([], events(101, 2));
    await second.finish();
    await downFor(5000);
    const third = report();
    expect(await third.begin()).toBe(false);
    await third.finish();
    expect(await posted()).toEqual(["operators: away 600 s: 3 checkpoint.new late"]);
  });

  it("includes a second downtime where the first was not reported yet", async () => {
    stage = await Stage.open();
    await stage.round([], []);
    await downFor(10 * MINUTE);
    await report().begin();
    await stage.round([], []);
    await downFor(20 * MINUTE);
    const downtime = report();
    await downtime.begin();
    await downtime.finish();
    expect(await posted()).toEqual(["operators: away 1800 s: "]);
  });

  it.each<[string, number, string]>([
    ["a restart", 5000, "{}"],
    ["a few polls", 29_000, "{}"],
    ["a few slow polls", 200_000, '{"poll": {"time": "60s"}}'],
  ])("says nothing of %s", async (_name, millis, config) => {
    stage = await Stage.open({ config });
    await stage.round([], []);
    await downFor(millis);
    const downtime = report();
    expect(await downtime.begin()).toBe(false);
    await downtime.finish();
    expect(await posted()).toEqual([]);
  });

  it("reports nothing after the very first start", async () => {
    stage = await Stage.open();
    const downtime = report();
    expect(await downtime.begin()).toBe(false);
    await downtime.finish();
    expect(await posted()).toEqual([]);
  });

  it("was up as long as it observed any network", async () => {
    stage = await Stage.open();
    await stage.round([], [], "testnet");
    await stage.clock.advance(10 * MINUTE);
    await stage.round([], [], "mainnet");
    await downFor(5000);
    expect(await report().begin()).toBe(false);
  });

  it("says that it is simulated, and notifies channels only of networks that they are subscribed to", async () => {
    const senders = (now: () => number) => [new FakeSender({ now })];
    stage = await Stage.open({ senders, simulated: ["mainnet", "testnet"] });
    await stage.engine.putSubscriptions([subscriptionTo(["checkpoint.new"], "ops")], "ann");
    await stage.round([], [], "testnet");
    await downFor(10 * MINUTE);
    const downtime = report({ simulated: true });
    await downtime.begin();
    await stage.round([], events(5, 1), "testnet");
    await downtime.finish();
    expect(await posted()).toEqual(["operators: simulated away 600 s: 1 checkpoint.new late"]);
  });
});
