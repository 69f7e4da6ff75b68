import { randomInt } from "node:crypto";

import { expect, test } from "vitest";

import { SeededRandom } from "../campaign/seeded-random.ts";
import { exportFolder } from "./an-export.ts";
import { chunkCutsOf, type Cut, CUT_STREAMS, cutsOf, cutWorld, stallsOf } from "./cut-corpus.ts";

// What every-cut.test.ts tries a few of. Of both column sets in each framing: every fault at every offset of a body in
// chunks, and one fault behind a chunk that ends anywhere, however the body ends. A share of all others, by a printed seed.

const folder = exportFolder();
const SHARE = 0.1;
const LANES = 8;
const seed = randomInt(2 ** 31);
const random = new SeededRandom(seed);

function isAlwaysTried({ stream, kind }: Cut): boolean {
  const isUsual = stream.columns === "12 columns" || stream.columns === "13 columns";
  return isUsual && (kind === "late error" || (kind !== "pause" && stream.ending === "chunks"));
}

const chosen = (cuts: readonly Cut[]): Cut[] => cuts.filter((cut) => isAlwaysTried(cut) || random.next() < SHARE);
const named = ({ kind, offset, raw }: Cut): string => `seed ${seed}: ${kind} at ${offset}, raw ${raw}`;

test.each(CUT_STREAMS)("$name: no cut is called whole", { timeout: 600_000 }, async (stream) => {
  await using world = await cutWorld(folder.exports());
  const wrong: string[] = [];
  for (const cut of chosen(cutsOf(stream))) if ((await world.judge(cut)) === "accepted") wrong.push(named(cut));
  expect(wrong).toEqual([]);
});

test.each(CUT_STREAMS)(
  "$name: exact, wherever a chunk ends, and refused with an error behind it",
  { timeout: 600_000 },
  async (stream) => {
    await using world = await cutWorld(folder.exports());
    const whole = stream.ending === "connection" ? "labelled" : "accepted";
    const wrong: string[] = [];
    for (const cut of chosen(chunkCutsOf(stream))) {
      const outcome = await world.judge(cut);
      if (outcome !== (cut.kind === "late error" ? "refused" : whole)) wrong.push(`${named(cut)}: ${outcome}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each(CUT_STREAMS)("$name: refused, wherever nothing more comes", { timeout: 600_000 }, async (stream) => {
  const wrong: string[] = [];
  const stalls = chosen(stallsOf(stream));
  // Nearly all of it is waiting.
  const lane = async (): Promise<void> => {
    await using world = await cutWorld(folder.exports(), { idleMillis: 20 });
    for (let cut = stalls.pop(); cut !== undefined; cut = stalls.pop()) {
      if ((await world.judge(cut)) !== "refused") wrong.push(named(cut));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(wrong).toEqual([]);
});
