import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  Chain,
  DAY,
  HOUR,
  MINUTE,
  momentAt,
  SECOND,
  stallsUntil,
  withoutStalls,
  withStalls,
} from "../../../src/simulator/chain/chain.ts";
import { SeededRandom } from "../../../src/simulator/seeded-random.ts";
import { pageIn, simulated } from "../simulated.ts";

const PACE = {
  checkpointEvery: MINUTE,
  withdrawalEvery: 10 * MINUTE,
  upgradeEvery: 12 * HOUR,
  rotationEvery: 8 * HOUR,
};
const YEARS = 4 * 365 * DAY;
const instants = fc.integer({ min: 5 * SECOND, max: YEARS });

describe("blocks", () => {
  test("come about every 0.7 s, never two at once, and each is the last one at its own time", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 180_000_000 }), (seed, height) => {
        const chain = new Chain(new SeededRandom(seed), PACE);
        const at = chain.activeAtBlock(height);
        const gap = chain.activeAtBlock(height + 1) - at;
        expect(gap).toBeGreaterThan(0);
        expect(gap).toBeLessThan(1_400_000);
        expect(chain.heightAt(at)).toBe(height);
        expect(chain.heightAt(at - 1)).toBe(height - 1);
        expect(chain.firstBlockFrom(at)).toBe(height);
        expect(chain.firstBlockFrom(at + 1)).toBe(height + 1);
      }),
    );
  });

  test("stop for minutes in an upgrade, and at no other time", () => {
    fc.assert(
      fc.property(fc.string(), instants, (seed, network) => {
        const chain = new Chain(new SeededRandom(seed), PACE);
        const active = chain.toActive(network);
        const back = chain.toNetwork(active);
        // In an upgrade active time stands at its beginning; else there and back again is the same.
        expect(back).toBeLessThanOrEqual(network);
        expect(network - back).toBeLessThanOrEqual(5 * MINUTE);
        expect(chain.toActive(back)).toBe(active);
        expect(chain.toActive(network + SECOND) - active).toBeLessThanOrEqual(SECOND);
      }),
    );
  });

  test("snapshots come every 300 to 1000 blocks", () => {
    const chain = new Chain(new SeededRandom("snapshots"), PACE);
    for (let index = 1; index < 2000; index++) {
      const gap = chain.snapshotHeight(index + 1) - chain.snapshotHeight(index);
      expect(gap).toBeGreaterThanOrEqual(300);
      expect(gap).toBeLessThanOrEqual(1000);
      expect(chain.snapshotsUpTo(chain.snapshotHeight(index))).toBe(index);
      expect(chain.snapshotsUpTo(chain.snapshotHeight(index) - 1)).toBe(index - 1);
    }
  });
});

describe("stalls", () => {
  const stalls = fc.array(
    fc.tuple(fc.integer({ min: 10 * SECOND, max: YEARS }), fc.integer({ min: 1, max: DAY })).map(([from, span]) => ({
      from,
      to: from + span,
    })),
    { maxLength: 8 },
  );

  test("move all that follows, and change nothing that was", () => {
    fc.assert(
      fc.property(stalls, instants, (list, wall) => {
        const known = stallsUntil(list, wall);
        const network = withoutStalls(known, wall);
        const stalled = list.some(({ from, to }) => from < wall && wall <= to);
        expect(network).toBeLessThanOrEqual(wall);
        expect(stalled || withStalls(known, network) === wall).toBe(true);
        expect(withoutStalls(stallsUntil(list, wall + SECOND), wall + SECOND)).toBeGreaterThanOrEqual(network);
      }),
    );
  });

  test("a block keeps its time whatever comes later", () => {
    const random = new SeededRandom("times");
    const chain = new Chain(random, PACE);
    fc.assert(
      fc.property(stalls, instants, fc.integer({ min: 0, max: 30 * DAY }), (list, wall, later) => {
        const before = momentAt(chain, random, list, wall);
        const after = momentAt(chain, random, list, wall + later);
        expect(after.height).toBeGreaterThanOrEqual(before.height);
        expect(after.timeOf(before.height)).toBe(before.timeOf(before.height));
      }),
    );
  });
});

describe("as a node tells it", () => {
  test("checkpoints come every 5 min on mainnet and every minute on testnet, and one for each withdrawal", async () => {
    const { ask } = await simulated();
    for (const [network, spacing] of [
      ["mainnet", 300 / 0.7],
      ["testnet", 60 / 0.7],
    ] as const) {
      const { edges } = pageIn(await ask("/api/v2/checkpoints", { network }));
      const heights = edges.map((edge) => Number(edge.node["atBlock"]));
      const gaps = heights.slice(1).map((height, index) => (heights[index] ?? 0) - height);
      expect(Math.max(...gaps)).toBeLessThan(spacing + 4);
      const shared = gaps.filter((gap) => gap === 0).length;
      const extra = gaps.filter((gap) => gap > 0 && gap < spacing - 4).length;
      expect(shared).toBeGreaterThan(2);
      expect(extra).toBeGreaterThan(shared);
      expect(new Set(edges.map((edge) => edge.node["hash"])).size).toBe(edges.length);
    }
  });

  test("the core's version changes twice a day on testnet", async () => {
    const { ask } = await simulated();
    const { edges } = pageIn(await ask("/api/v2/snapshots?pagination.newestFirst=true", { network: "testnet" }));
    const versions = edges.map((edge) => edge.node["coreVersion"] ?? "");
    const changes = versions.filter((version, index) => index > 0 && version !== versions[index - 1]);
    expect(changes.length).toBeGreaterThanOrEqual(13);
    expect(changes.length).toBeLessThanOrEqual(15);
    expect(versions.every((version) => /^v0\.71\.6\+\d+$/u.test(version))).toBe(true);
  });

  test("what is older than seven days is gone", async () => {
    const { ask, advance } = await simulated();
    const oldest = "/api/v2/checkpoints?pagination.first=1&pagination.newestFirst=false";
    const before = Number(pageIn(await ask(oldest)).edges[0]?.node["atBlock"]);
    advance(3600);
    const after = Number(pageIn(await ask(oldest)).edges[0]?.node["atBlock"]);
    expect(after - before).toBeGreaterThan(4000);
    expect(after - before).toBeLessThan(6500);
  });
});
