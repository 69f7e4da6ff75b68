import { expect, test } from "vitest";

import { watchedTestnet } from "./watched-testnet.ts";

/** Without the checkpoints that come every minute. */
const alerts = (gists: readonly string[]): string[] => gists.filter((gist) => !gist.includes("checkpoint"));

test("from a simulated network to a channel: a stall over a restart, and what came while the bot was away", async () => {
  const kinds = ["network.stalled", "watch.blind", "node.down", "checkpoint.new"] as const;
  const { stage, simulator, watch, pass } = await watchedTestnet(kinds, { marked: true });
  let schedule = watch();
  expect(alerts(await pass(20))).toEqual([]);

  simulator.faults.set({ kind: "stall", network: "testnet" });
  const stoodStill = stage.clock.wallClock();
  expect(alerts(await pass(20))).toEqual([]);
  // Pending; the process ends, and another begins.
  await schedule.stop();
  await stage.restart(10_000);
  schedule = watch();
  expect(alerts(await pass(60))).toMatchObject(["simulated warning: network.stalled on testnet"]);
  // It began when the last block was seen, which was by the process before.
  const [{ began, beganBefore } = {}] = await stage.engine.openEpisodes();
  expect(beganBefore).toBeUndefined();
  expect(Number(BigInt(began ?? 0) - stoodStill) / 1e9).toBeLessThanOrEqual(5);
  expect(Number(BigInt(began ?? 0) - stoodStill) / 1e9).toBeGreaterThanOrEqual(-5);

  simulator.faults.clear();
  expect(alerts(await pass(40))).toMatchObject(["simulated resolved: network.stalled on testnet"]);
  expect(await stage.engine.openEpisodes()).toEqual([]);

  // Away for an hour: sixty checkpoints and more, announced in one digest.
  await schedule.stop();
  await stage.restart(3_600_000);
  schedule = watch();
  expect(await pass(20)).toEqual([expect.stringMatching(/^simulated digest: 6\d checkpoint\.new/u)]);
  await schedule.stop();
});
