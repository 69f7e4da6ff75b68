import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { checkpointsWatcher, snapshotsWatcher } from "../../../src/watchers/history/lists.ts";
import { spaced, watchedChain } from "./watched-chain.ts";

describe("an overdue checkpoint", () => {
  test("is measured by the network's time against the usual spacing", async () => {
    const { observer, pass, nodes, learnPace } = await watchedChain(1, spaced(10, 1000, 430));
    const [unknown] = (await observer.observe()).readings;
    expect(unknown).toMatchObject({ state: "unknown", facts: { lastBlock: "4870" } });
    await learnPace();
    const [first] = (await observer.observe()).readings;
    expect(first).toMatchObject({ facts: { sinceMillis: 28_000, usualMillis: 301_000, lastBlock: "4870" }, nodes: 1 });
    await pass(1172);
    const [later] = (await observer.observe()).readings;
    expect(later).toMatchObject({ kind: "checkpoint.overdue", facts: { sinceMillis: 1_200_000, lastBlock: "4870" } });
    // The network is stalled: this computer's clock makes nothing overdue.
    nodes[0]!.frozen = true;
    await pass(7200);
    const [stalled] = (await observer.observe()).readings;
    expect(stalled).toMatchObject({ facts: { sinceMillis: 1_200_000 } });
  });

  test("is none because a node once sent an implausible time", async () => {
    const { observer, pass, nodes, learnPace } = await watchedChain(1, spaced(10));
    await learnPace();
    await observer.observe();
    nodes[0]!.seconds += 86_400;
    const [ahead] = (await observer.observe()).readings;
    expect(ahead?.kind === "checkpoint.overdue" ? ahead.facts.sinceMillis : undefined).toBeLessThan(60_000);
    nodes[0]!.seconds -= 86_400;
    await pass(60);
    expect((await observer.observe()).readings).toMatchObject([{ state: "good", facts: { sinceMillis: 88_000 } }]);
  });

  test("is not known while the usual spacing is not", async () => {
    const { observer, learnPace } = await watchedChain(1, spaced(3));
    await learnPace();
    expect((await observer.observe()).readings).toMatchObject([{ state: "unknown", facts: { lastBlock: "1860" } }]);
  });

  test("withdrawals between do not make it seem shorter", async () => {
    const blocks = spaced(12).flatMap((block, index) => (index % 5 === 0 ? [block, block + 100] : [block]));
    const { observer, learnPace } = await watchedChain(1, blocks);
    await learnPace();
    expect((await observer.observe()).readings).toMatchObject([{ facts: { usualMillis: 301_000 } }]);
  });

  test("nor do several in one block", async () => {
    const { observer, add, learnPace } = await watchedChain(1, spaced(8));
    for (let extra = 0; extra < 10; extra += 1) add(4010, `withdrawal ${extra}`);
    await learnPace();
    expect((await observer.observe()).readings).toMatchObject([{ facts: { usualMillis: 301_000 } }]);
  });

  test.each([
    ["too few others", [0, 300, 600, 100], undefined],
    ["enough others", [0, 100, 300, 600, 1000, 500], 300_000],
  ])("a checkpoint placed before an earlier one makes no gap, beside %s", (_name, seconds, usualMillis) => {
    const config = DEFAULT_ALERTS_CONFIG;
    const watcher = checkpointsWatcher({ network: "mainnet", nodes: 1, config });
    const recent = seconds.map((second, index) => ({
      key: `${index}/h`,
      block: String(1000 + index),
      at: `${1_700_000_000 + second}000000000`,
    }));
    const history = { recent, node: "n0", receivedAt: "1700001000000000000", behind: false };
    const [reading] = watcher.judge(undefined, { history, fresh: [] }, 1_700_001_000_000_000_000n as never).readings;
    const known = usualMillis === undefined ? { state: "unknown" } : { state: "good", facts: { usualMillis } };
    expect(reading).toMatchObject(known);
  });
});

test.each<[string, blocks: number, sinceMillis: number]>([
  ["blocks were made meanwhile", 4000, 3_600_000],
  ["the network made them more slowly, but made them", 3000, 2_700_000],
  ["the network stood for most of that time", 200, 180_000],
])("a snapshot of an hour ago is as old as its blocks say: %s", (_name, blocks, sinceMillis) => {
  const watcher = snapshotsWatcher({ network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG });
  const recent = [0, 900, 1800, 2700].map((second, index) => ({
    key: `${index}/h`,
    block: String(1000 * (index + 1)),
    at: `${1_700_000_000 + second}000000000`,
  }));
  const now = "1700006300000000000";
  const point = { height: String(4000 + blocks), time: now };
  const history = { recent, point, node: "n0", receivedAt: now, behind: false };
  const [reading] = watcher.judge(undefined, { history, fresh: [] }, BigInt(now) as never).readings;
  const facts = { sinceMillis, usualMillis: 900_000, lastBlock: "4000" };
  expect(reading).toMatchObject({ kind: "snapshot.overdue", subject: "", state: "good", nodes: 1, facts });
});
