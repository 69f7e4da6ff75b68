import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";

import type { ApiClient } from "../../../src/api/api-client.ts";
import { everyRow } from "../../support/every-row.ts";
import { watchedTestnet } from "../watched-testnet.ts";

const KINDS = ["checkpoint.new", "history.reset"] as const;

/** The newest checkpoints on the chain, in its order: block and hash. */
async function newest(api: ApiClient, count: number): Promise<string[]> {
  const rows = await everyRow((request) => api.getCheckpoints(request, { fresh: true }), { maxRows: count });
  return rows.map((row) => `${row.atBlock}/${row.hash}`).toReversed();
}

test("500 checkpoints and more while away: one digest with all of them in a file, in order, each once", async () => {
  const { stage, api, watch, pass } = await watchedTestnet(KINDS);
  const first = watch();
  await pass(20);
  await first.stop();
  const [last] = await newest(api, 1);

  // One a minute, and now and then a second one in the same block.
  await stage.restart(500 * 60_000);
  const again = watch();
  const told = await pass(3);
  await again.stop();

  const all = await newest(api, 700);
  const missed = all.slice(all.indexOf(last ?? "") + 1);
  expect(missed.length).toBeGreaterThanOrEqual(500);
  const blocks = missed.map((row) => row.split("/")[0]);
  expect(new Set(blocks).size).toBeLessThan(blocks.length);

  expect(told).toEqual([
    `digest: ${missed.length} checkpoint.new ${blocks[0]} to ${blocks.at(-1)} on testnet, catch-up`,
  ]);
  const [file] = stage.sender.posts.at(-1)!.reply.attachments;
  const rows = parse<{ Block: string; Subject: string }>(Buffer.concat(await file!.open().toArray()), {
    columns: true,
  });
  expect(rows.map((row) => `${row.Block}/${row.Subject}`)).toEqual(missed);
});

test("a history that is reset is announced in one plain sentence, and later rows as ever", async () => {
  const { simulator, watch, pass } = await watchedTestnet(KINDS);
  const schedule = watch();
  await pass(20);
  simulator.faults.set({ kind: "history-reset", network: "testnet" });
  const told = await pass(150);
  await schedule.stop();
  const [reset, ...later] = told;
  expect(reset).toBe("warning: history.reset checkpoints on testnet");
  expect(later).not.toEqual([]);
  expect(later.filter((gist) => !/^info: checkpoint\.new \d{1,3} on testnet$/u.test(gist))).toEqual([]);
});
