import { parse } from "csv-parse/sync";
import { expect, onTestFinished, test } from "vitest";

import { collectRows, iterateRows } from "../../src/api/iterate-rows.ts";
import { silentLog } from "../../src/log.ts";
import { startSimulator, type Simulator } from "../../src/simulator/simulator.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { startSchedule, type Schedule } from "../../src/watchers/schedule.ts";
import { aSubscription } from "../alerts/samples.ts";
import { Stage } from "../alerts/stage.ts";
import { clientOf } from "../api/client-under-test.ts";
import { requestsUnderWay } from "./under-way.ts";

interface Setting {
  readonly stage: Stage;
  readonly simulator: Simulator;
  /** The newest checkpoints on the chain, in its order: block and hash. */
  readonly chain: (count: number) => Promise<string[]>;
  readonly watch: () => Schedule;
  readonly pass: (seconds: number) => Promise<void>;
}

/** The whole way from a simulated network to a channel that is told of each checkpoint. */
async function setting(): Promise<Setting> {
  const stage = await Stage.open();
  onTestFinished(() => stage.close());
  const { clock, config } = stage;
  const simulator = await startSimulator({ now: () => clock.wallClock(), rateLimit: false });
  onTestFinished(() => simulator.close());
  const nodes = simulator.networks.testnet.map(({ url }) => url);
  const api = clientOf(nodes, { clock, network: "testnet" });
  const settle = requestsUnderWay();
  const subscription = aSubscription({ network: "testnet", kinds: ["checkpoint.new", "history.reset"] });
  await stage.engine.putSubscription(subscription, "ada");
  return {
    stage,
    simulator,
    async chain(count) {
      const { rows } = await collectRows(
        iterateRows((request) => api.getCheckpoints(request, { fresh: true }), { maxRows: count }),
      );
      return rows.map(({ node }) => `${node.atBlock}/${node.hash}`).toReversed();
    },
    watch: () =>
      startSchedule({
        networks: [{ api, watchers: createWatchers({ network: "testnet", nodes: nodes.length, config, clock }) }],
        load: async (network, watcher) => (await stage.engine.snapshot(network, watcher))?.data,
        subjects: () => [],
        sink: async (seen) => void (await stage.engine.record(seen)),
        log: silentLog(),
        clock,
        random: () => 0.5,
      }),
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        await settle();
      }
      await stage.pass(0);
    },
  };
}

test("500 checkpoints and more while away: one digest with all of them in a file, in order, each once", async () => {
  const { stage, chain, watch, pass } = await setting();
  const first = watch();
  await pass(20);
  await first.stop();
  const [last] = (await chain(1)).slice(-1);
  stage.sender.posts.length = 0;

  // One a minute, and now and then a second one in the same block.
  await stage.restart(500 * 60_000);
  const again = watch();
  await pass(3);
  await again.stop();

  const all = await chain(700);
  const missed = all.slice(all.indexOf(last ?? "") + 1);
  expect(missed.length).toBeGreaterThanOrEqual(500);
  const blocks = missed.map((row) => row.split("/")[0]);
  expect(new Set(blocks).size).toBeLessThan(blocks.length);

  const [digest, ...others] = stage.sender.posts;
  expect(others).toEqual([]);
  expect(digest?.title).toContain(`DIGEST · ${missed.length} checkpoints`);
  const [file] = digest!.reply.attachments;
  const rows = parse<{ Block: string; Subject: string }>(Buffer.concat(await file!.open().toArray()), {
    columns: true,
  });
  expect(rows.map((row) => `${row.Block}/${row.Subject}`)).toEqual(missed);
});

test("a history that begins anew is told in one plain sentence, and what comes then as ever", async () => {
  const { stage, simulator, watch, pass } = await setting();
  const schedule = watch();
  await pass(20);
  stage.sender.posts.length = 0;
  simulator.faults.set({ kind: "history-reset", network: "testnet" });
  await pass(150);
  await schedule.stop();
  const titles = stage.sender.posts.map(({ title }) => title);
  const resets = titles.filter((title) => title.includes("begin anew"));
  expect(resets).toEqual([
    expect.stringMatching(
      /^WARNING · The checkpoints of testnet begin anew: block \d+, the last one seen, is no longer in the node's history$/u,
    ),
  ]);
  expect(titles.filter((title) => !resets.includes(title)).length).toBeGreaterThan(0);
  expect(titles.filter((title) => !/begin anew|New checkpoint on testnet at block \d{1,3}$/u.test(title))).toEqual([]);
});
