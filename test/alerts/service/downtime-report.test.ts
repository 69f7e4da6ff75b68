import { afterEach, describe, expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/kinds/event.ts";
import type { Subscription } from "../../../src/alerts/routing/subscription.ts";
import { createDowntimeReport, type DowntimeReport } from "../../../src/alerts/service/downtime-report.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
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

/** What was posted since the last time: channel, title and first paragraph. */
async function posted(): Promise<string[]> {
  await settled();
  await stage.clock.advance(0);
  const fresh = stage.sender.posts.filter(({ title }) => title.includes("away"));
  stage.sender.take();
  const said = fresh.map(({ channel, title, reply }) => {
    const [block] = reply.blocks;
    return `${channel}: ${title}. ${block?.kind === "paragraph" ? plainText(block.text) : ""}`;
  });
  stage.sender.posts.length = 0;
  return said;
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
    await stage.engine.putSubscription(subscriptionTo(["checkpoint.new"], "ops"), "ann");
    await stage.engine.putSubscription(subscriptionTo(["snapshot.new"], "others"), "bob");
    // Who waits for something of their own is told that, and no more.
    await stage.engine.putSubscription({ ...subscriptionTo(["checkpoint.new"], "dm"), personal: true }, "carol");
    await stage.round([], []);
    // What came before is none of it.
    await stage.clock.advance(5000);
    await stage.round([], events(90, 3));
    stage.sender.posts.length = 0;
    await downFor(32 * MINUTE);
    const downtime = report();
    expect(await downtime.begin()).toBe(true);
    await stage.round([], events(100, 2));
    await downtime.finish();
    const line = "INFO · The bot was away for 32 min. From 2024-06-03 12:00:05 UTC to 2024-06-03 12:32:05 UTC";
    expect(await posted()).toEqual([
      expect.stringMatching(`^operators: ${line}. Told late: 2 checkpoints; nothing was lost`),
      expect.stringMatching(`^ops: ${line}. Told late: 2 checkpoints; nothing was lost`),
    ]);
  });

  it("names the networks that could not be observed, each channel its own", async () => {
    stage = await Stage.open();
    await stage.engine.putSubscription(subscriptionTo(["checkpoint.new"], "ops"), "ann");
    await stage.round([], []);
    await downFor(10 * MINUTE);
    const downtime = report();
    await downtime.begin();
    await stage.round([], events(100, 2));
    await downtime.finish(["testnet"]);
    expect(await posted()).toEqual([
      expect.stringMatching(/^operators: .*Told late so far: 2 checkpoints; not all of testnet could be looked at/u),
      expect.stringMatching(/^ops: .*Told late: 2 checkpoints; nothing was lost/u),
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
    const lines = await posted();
    expect(lines).toEqual([expect.stringMatching(/^operators: .*away for 10 min.*Told late: 3 checkpoints/u)]);
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
    expect(await posted()).toEqual([
      expect.stringMatching(/^operators: .*away for 30 min.*Nothing happened meanwhile/u),
    ]);
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
    await stage.engine.putSubscription(subscriptionTo(["checkpoint.new"], "ops"), "ann");
    await stage.round([], [], "testnet");
    await downFor(10 * MINUTE);
    const downtime = report({ simulated: true });
    await downtime.begin();
    await stage.round([], events(5, 1), "testnet");
    await downtime.finish();
    expect(await posted()).toEqual([
      expect.stringMatching(/^operators: SIMULATED · INFO .* Told late: 1 checkpoint;/u),
    ]);
  });
});
