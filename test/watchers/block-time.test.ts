import { describe, expect, test } from "vitest";

import { nanoseconds } from "../../src/units/time.ts";
import {
  type BlockClock,
  blockPace,
  type BlockPoint,
  blockPointOf,
  lookAtBlock,
  timeBeforeLooks,
  timeBetweenLooks,
} from "../../src/watchers/block-time.ts";

const SECOND = 1_000_000_000n;
const point = (height: bigint, seconds: bigint): BlockPoint => ({ height, time: nanoseconds(seconds * SECOND) });
const looks = (...all: readonly (BlockPoint | undefined)[]): BlockClock => all.reduce(lookAtBlock, {} as BlockClock);

test.each<[string, readonly (BlockPoint | undefined)[], BlockPoint, bigint, bigint | undefined]>([
  ["between two looks by the pace between them", [point(100n, 0n)], point(200n, 500n), 150n, 250n],
  ["at the look before at its time", [point(100n, 3n)], point(200n, 500n), 100n, 3n],
  ["before the last look from the first on", [point(0n, 0n), point(100n, 50n)], point(200n, 500n), 80n, 200n],
  ["behind the block of the answer at its time", [point(100n, 0n)], point(200n, 70n), 210n, 70n],
  ["before the first look nowhere", [point(100n, 500n)], point(200n, 570n), 90n, undefined],
  ["where only one look gave a block nowhere", [undefined], point(100n, 70n), 90n, undefined],
])("a block is placed %s", (_name, earlier, now, block, seconds) => {
  const before = looks(...earlier);
  const time = seconds === undefined ? undefined : seconds * SECOND;
  expect(timeBetweenLooks(block, before, lookAtBlock(before, now))).toBe(time);
});

describe("the pace of the blocks", () => {
  const every = (seconds: bigint, count: number, from = point(1000n, 0n)): BlockPoint[] =>
    Array.from({ length: count }, (_, index) =>
      point(from.height + BigInt(index), from.time / SECOND + BigInt(index) * seconds),
    );

  test.each<[string, readonly (BlockPoint | undefined)[], bigint | undefined]>([
    ["is not known from one look", every(5n, 1), undefined],
    ["nor from three", every(5n, 3), undefined],
    ["is from four", every(5n, 4), 5n],
    [
      "looks without a block, and earlier ones, teach nothing",
      [undefined, ...every(5n, 3), undefined, point(1n, 1n)],
      undefined,
    ],
    [
      "one halt does not change it, nor make it unknown for long",
      [...every(5n, 4), ...every(5n, 4, point(1004n, 7200n))],
      5n,
    ],
    ["is unknown once the chain has another", [...every(5n, 4), point(1100n, 20n)], undefined],
    ["until that is learned", [...every(5n, 4), ...every(50n, 5, point(1004n, 60n))], 50n],
    ["and where the height went back nothing is learned", [point(1000n, 0n), point(50n, 70n)], undefined],
  ])("%s", (_name, points, seconds) => {
    expect(blockPace(looks(...points))).toBe(seconds === undefined ? undefined : seconds * SECOND);
  });

  test("tells when blocks before the first look were made", () => {
    expect(timeBeforeLooks(900n, looks(...every(5n, 3, point(1000n, 2000n))))).toBeUndefined();
    expect(timeBeforeLooks(900n, looks(...every(5n, 9, point(1000n, 2000n))))).toBe(1500n * SECOND);
  });
});

test("an answer is as of a block with a plausible time, never of one that is far ahead", () => {
  const asked = { network: "mainnet", node: "a:1", simulated: false, receivedAt: nanoseconds(1000n * SECOND) };
  const asOf = (seconds: bigint) => ({ ...asked, blockHeight: 7n, blockTime: nanoseconds(seconds * SECOND) });
  expect(blockPointOf(asOf(1010n))).toEqual(point(7n, 1010n));
  expect(blockPointOf(asOf(1011n))).toBeUndefined();
  expect(blockPointOf({ ...asked, blockHeight: 7n })).toBeUndefined();
});
