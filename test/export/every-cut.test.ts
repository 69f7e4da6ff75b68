import { randomInt } from "node:crypto";

import { describe, expect, test } from "vitest";

import { SeededRandom } from "../campaign/seeded-random.ts";
import { exportFolder } from "./an-export.ts";
import { chunkCutsOf, type Cut, CUT_STREAMS, type CutKind, cutsOf, cutWorld, stallsOf } from "./cut-corpus.ts";

// Cut anywhere, an export is refused, or labelled where the node cannot show its end; it is never called whole. Here a
// sample by a printed seed; every-cut.slow.test.ts tries every offset.

const folder = exportFolder();
const SAMPLES = 2;
const CHUNK_SAMPLES = 1;

describe("an export that is cut", () => {
  test("there are at least 20 streams", () => expect(CUT_STREAMS.length).toBeGreaterThanOrEqual(20));

  test.each(CUT_STREAMS)("$name: whole as it is, never when it is cut", async (stream) => {
    await using world = await cutWorld(folder.exports());
    const whole = { stream, kind: "drop" as CutKind, offset: stream.wire(stream.body).length, raw: true };
    expect(await world.judge(whole)).toBe(stream.ending === "connection" ? "labelled" : "accepted");
    expect(await world.judge({ ...whole, raw: false })).toBe(stream.ending === "connection" ? "labelled" : "accepted");
    const seed = randomInt(2 ** 31);
    const random = new SeededRandom(seed);
    const sample = (cuts: readonly Cut[], count: number): Cut[] =>
      Array.from({ length: count }, () => cuts[Math.floor(random.next() * cuts.length)]!);
    for (const cut of sample(cutsOf(stream), SAMPLES)) {
      expect(await world.judge(cut), `seed ${seed}: ${cut.kind} at ${cut.offset}, raw ${cut.raw}`).not.toBe("accepted");
    }
    for (const cut of sample(chunkCutsOf(stream), CHUNK_SAMPLES)) {
      const expected = cut.kind === "late error" ? "refused" : stream.ending === "connection" ? "labelled" : "accepted";
      expect(await world.judge(cut), `seed ${seed}: ${cut.kind} at ${cut.offset}, raw ${cut.raw}`).toBe(expected);
    }
    expect(await folder.leftOver()).toEqual([]);
  });

  test("one after which nothing more comes is refused, and leaves nothing", async () => {
    await using world = await cutWorld(folder.exports(), { idleMillis: 30 });
    const stalls = CUT_STREAMS.slice(0, 3).flatMap((stream) =>
      stallsOf(stream).filter((_, place) => place % 120 === 55),
    );
    for (const cut of stalls) expect(await world.judge(cut), `stall at ${cut.offset}`).toBe("refused");
    expect(await folder.leftOver()).toEqual([]);
  });
});
