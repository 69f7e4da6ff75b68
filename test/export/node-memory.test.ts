import { describe, expect, test } from "vitest";

import { NodeMemory } from "../../src/export/node-memory.ts";

const DAY = 86_400_000_000_000n;
const NOW = 1000n * DAY;
const NODE = { network: "mainnet", node: "a" };
const none = { outgoingOnly: false, firstTime: undefined };
const from = (daysAgo: bigint | undefined) => ({
  from: daysAgo === undefined ? undefined : NOW - daysAgo * DAY,
  now: NOW,
});

describe("a node's history", () => {
  test.each([
    [undefined, true],
    [500n, true],
    [181n, true],
    [180n, false],
    [1n, false],
  ])("of %s days ago is partial by what is presumed: %s", (daysAgo, isPartial) => {
    const partial = { from: String(NOW - 180n * DAY), how: "presumed" };
    expect(new NodeMemory().learn(NODE, none, from(daysAgo))).toEqual(isPartial ? partial : undefined);
  });

  test("a row older than presumed proves a longer one, of that node alone", () => {
    const memory = new NodeMemory();
    const seen = { outgoingOnly: false, firstTime: NOW - 400n * DAY };
    expect(memory.learn(NODE, seen, from(500n))).toEqual({ from: String(NOW - 400n * DAY), how: "seen" });
    expect(memory.learn(NODE, none, from(399n))).toBeUndefined();
    expect(memory.learn(NODE, none, from(401n))).toEqual({ from: String(NOW - 400n * DAY), how: "seen" });
    expect(memory.learn({ ...NODE, node: "b" }, none, from(399n))).toMatchObject({ how: "presumed" });
    expect(memory.learn({ ...NODE, network: "testnet" }, none, from(399n))).toMatchObject({ how: "presumed" });
  });

  test("a row just as old as presumed proves nothing", () => {
    const seen = { outgoingOnly: false, firstTime: NOW - 180n * DAY };
    expect(new NodeMemory().learn(NODE, seen, from(undefined))).toEqual({
      from: String(NOW - 180n * DAY),
      how: "presumed",
    });
  });

  test.each([
    [30, 31n, { from: String(NOW - 30n * DAY), how: "set" }],
    [30, 30n, undefined],
    [400, 399n, undefined],
    [400, undefined, { from: String(NOW - 400n * DAY), how: "set" }],
    [Infinity, undefined, undefined],
  ])("is what the operators say: of %s days, %s asked for", (ledgerDays, daysAgo, partial) => {
    expect(new NodeMemory().learn({ ...NODE, ledgerDays }, none, from(daysAgo))).toEqual(partial);
  });

  test("is longer than the operators say where a row proves it", () => {
    const seen = { outgoingOnly: false, firstTime: NOW - 40n * DAY };
    const partial = new NodeMemory().learn({ ...NODE, ledgerDays: 30 }, seen, from(50n));
    expect(partial).toEqual({ from: String(NOW - 40n * DAY), how: "seen" });
  });

  test("what was kept for 400 days is presumed to be kept for 400 days, not for ever", () => {
    const memory = new NodeMemory();
    memory.learn(NODE, { outgoingOnly: false, firstTime: NOW - 400n * DAY }, from(400n));
    const later = NOW + 100n * DAY;
    const partial = memory.learn(NODE, none, { from: NOW - 400n * DAY, now: later });
    expect(partial).toEqual({ from: String(later - 400n * DAY), how: "seen" });
  });
});

describe("the nodes that tell only what a party sent", () => {
  test("are remembered by network, until they tell more", () => {
    const memory = new NodeMemory();
    memory.learn(NODE, { ...none, outgoingOnly: true }, from(1n));
    memory.learn({ ...NODE, node: "b" }, none, from(1n));
    expect([...memory.outgoingOnlyNodes("mainnet")]).toEqual(["a"]);
    expect([...memory.outgoingOnlyNodes("testnet")]).toEqual([]);
    memory.learn(NODE, none, from(1n));
    expect([...memory.outgoingOnlyNodes("mainnet")]).toEqual([]);
  });

  test("are forgotten beyond a thousand, the longest unasked first", () => {
    const memory = new NodeMemory();
    for (let node = 0; node < 1001; node += 1) {
      memory.learn({ network: "mainnet", node: String(node) }, { ...none, outgoingOnly: true }, from(1n));
    }
    const known = memory.outgoingOnlyNodes("mainnet");
    expect([known.size, known.has("0"), known.has("1"), known.has("1000")]).toEqual([1000, false, true, true]);
  });
});
