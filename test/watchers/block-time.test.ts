import { expect, test } from "vitest";

import { nanoseconds } from "../../src/units/nanoseconds.ts";
import { type BlockPoint, blockPointOf, estimateBlockTime } from "../../src/watchers/block-time.ts";

const SECOND = 1_000_000_000n;
const point = (height: bigint, seconds: bigint): BlockPoint => ({ height, time: nanoseconds(seconds * SECOND) });

test.each<[string, bigint, BlockPoint | undefined, BlockPoint | undefined, bigint | undefined]>([
  ["between two blocks by the pace between them", 150n, point(100n, 0n), point(200n, 500n), 250n * SECOND],
  ["at either of them at its time", 100n, point(100n, 3n), point(200n, 500n), 3n * SECOND],
  ["before both by the usual pace", 90n, point(100n, 500n), point(200n, 570n), 493n * SECOND],
  ["behind both by the usual pace", 210n, point(100n, 0n), point(200n, 70n), 77n * SECOND],
  ["where only one is known by the usual pace", 90n, undefined, point(100n, 70n), 63n * SECOND],
  ["where the height went back by the usual pace", 40n, point(100n, 0n), point(50n, 70n), 63n * SECOND],
  ["where no time is known nowhere", 90n, point(100n, 0n), undefined, undefined],
])("a block is placed %s", (_name, block, from, to, time) => {
  expect(estimateBlockTime(block, from, to)).toBe(time);
});

test("an answer is as of a block with a plausible time, never of one that is far ahead", () => {
  const asked = { network: "mainnet", node: "a:1", simulated: false, receivedAt: nanoseconds(1000n * SECOND) };
  const asOf = (seconds: bigint) => ({ ...asked, blockHeight: 7n, blockTime: nanoseconds(seconds * SECOND) });
  expect(blockPointOf(asOf(1010n))).toEqual(point(7n, 1010n));
  expect(blockPointOf(asOf(1011n))).toBeUndefined();
  expect(blockPointOf({ ...asked, blockHeight: 7n })).toBeUndefined();
});
