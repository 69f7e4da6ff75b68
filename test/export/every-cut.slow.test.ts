import { expect, test } from "vitest";

import { exportFolder } from "./an-export.ts";
import { chunkCutsOf, CUT_STREAMS, cutsOf, cutWorld, stallsOf } from "./cut-corpus.ts";

// The whole of every-cut.test.ts: every stream, every kind of cut, every offset, every end of a chunk.

const folder = exportFolder();

test.each(CUT_STREAMS)("$name: no cut at any offset is called whole", { timeout: 600_000 }, async (stream) => {
  await using world = await cutWorld(folder.exports());
  const wrong: string[] = [];
  for (const cut of cutsOf(stream)) {
    if ((await world.judge(cut)) === "accepted") wrong.push(`${cut.kind} at ${cut.offset}, raw ${cut.raw}`);
  }
  expect(wrong).toEqual([]);
});

test.each(CUT_STREAMS)(
  "$name: exact, wherever a chunk ends, and refused with an error behind it",
  {
    timeout: 600_000,
  },
  async (stream) => {
    await using world = await cutWorld(folder.exports());
    const whole = stream.ending === "connection" ? "labelled" : "accepted";
    const wrong: string[] = [];
    for (const cut of chunkCutsOf(stream)) {
      const outcome = await world.judge(cut);
      if (outcome !== (cut.kind === "late error" ? "refused" : whole)) {
        wrong.push(`${cut.kind} at ${cut.offset}, raw ${cut.raw}: ${outcome}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test.each(CUT_STREAMS)("$name: refused, wherever nothing more comes", { timeout: 600_000 }, async (stream) => {
  await using world = await cutWorld(folder.exports(), { idleMillis: 20 });
  for (const cut of stallsOf(stream)) expect(await world.judge(cut), `stall at ${cut.offset}`).toBe("refused");
});
