import { randomInt } from "node:crypto";

import { describe, expect, test } from "vitest";

import { SeededRandom } from "../campaign/seeded-random.ts";
import { exportFolder } from "./an-export.ts";
import { CUT_STREAMS, type CutKind, cutsOf, cutWorld } from "./cut-corpus.ts";

// Cut anywhere, an export is refused, or labelled where the node cannot show its end; it is never called whole. Here a
// sample by a printed seed; every-cut.slow.test.ts tries every offset.

const folder = exportFolder();
const SAMPLES = 5;

describe("an export that is cut", () => {
  test("there are at least 20 streams", () => expect(CUT_STREAMS.length).toBeGreaterThanOrEqual(20));

  test.each(CUT_STREAMS)("$name: whole as it is, never when it is cut", async (stream) => {
    await using world = await cutWorld(folder.exports());
    const whole = { stream, kind: "drop" as CutKind, offset: stream.wire(stream.body).length, raw: true };
    expect(await world.judge(whole)).toBe(stream.ending === "connection" ? "labelled" : "accepted");
    expect(await world.judge({ ...whole, raw: false })).toBe(stream.ending === "connection" ? "labelled" : "accepted");
    const seed = randomInt(2 ** 31);
    const random = new SeededRandom(seed);
    const cuts = cutsOf(stream);
    for (let count = 0; count < SAMPLES; count += 1) {
      const cut = cuts[Math.floor(random.next() * cuts.length)]!;
      expect(await world.judge(cut), `seed ${seed}: ${cut.kind} at ${cut.offset}, raw ${cut.raw}`).not.toBe("accepted");
    }
    expect(await folder.leftOver()).toEqual([]);
  });
});
