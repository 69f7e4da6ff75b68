import { expect, onTestFinished, test } from "vitest";

import { silentLog } from "../../src/log.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { startSchedule, type Schedule } from "../../src/watchers/schedule.ts";
import { aSubscription } from "../alerts/samples.ts";
import { Stage } from "../alerts/stage.ts";
import { clientOf } from "../api/client-under-test.ts";
import { requestsUnderWay } from "./under-way.ts";

test("from a simulated network to a channel: a stall over a restart, and what came while the bot was away", async () => {
  const stage = await Stage.open({ simulated: ["testnet"] });
  onTestFinished(() => stage.close());
  const { clock, config } = stage;
  const simulator = await startSimulator({ now: () => clock.wallClock(), rateLimit: false });
  onTestFinished(() => simulator.close());
  const api = clientOf(
    simulator.networks.testnet.map(({ url }) => url),
    { clock, network: "testnet" },
  );
  const settle = requestsUnderWay();
  await stage.engine.putSubscription(
    aSubscription({ network: "testnet", kinds: ["network.stalled", "watch.blind", "node.down", "checkpoint.new"] }),
    "ada",
  );
  const start = (): Schedule =>
    startSchedule({
      networks: [{ api, watchers: createWatchers({ network: "testnet", nodes: 3, config, clock }) }],
      load: async (network, watcher) => (await stage.engine.snapshot(network, watcher))?.data,
      subjects: () => [],
      sink: async (seen) => void (await stage.engine.record(seen)),
      log: silentLog(),
      clock,
      random: () => 0.5,
    });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1000);
      await settle();
    }
    await stage.pass(0);
  };
  /** What was posted since, without the checkpoints that come every minute. */
  const alerts = (): string[] =>
    stage.sender.posts
      .splice(0)
      .map(({ title }) => title)
      .filter((title) => !/checkpoint/iu.test(title));

  let schedule = start();
  await pass(20);
  expect(alerts()).toEqual([]);

  simulator.faults.set({ kind: "stall", network: "testnet" });
  await pass(20);
  expect(alerts()).toEqual([]);
  // Pending; the process ends, and another begins.
  await schedule.stop();
  await stage.restart(10_000);
  schedule = start();
  await pass(60);
  expect(alerts()).toMatchObject([expect.stringMatching(/WARNING/u)]);

  simulator.faults.clear();
  await pass(40);
  expect(alerts()).toMatchObject([expect.stringMatching(/RESOLVED/u)]);
  expect(await stage.engine.openEpisodes()).toEqual([]);

  // Away for an hour: sixty checkpoints and more, told in one digest.
  await schedule.stop();
  await stage.restart(3_600_000);
  schedule = start();
  await pass(20);
  const [digest, ...others] = stage.sender.posts.splice(0);
  expect(others).toEqual([]);
  expect(digest?.title).toMatch(/6\d (?:new )?checkpoints/iu);
  await schedule.stop();
});
