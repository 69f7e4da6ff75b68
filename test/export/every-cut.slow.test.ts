import { expect, test } from "vitest";

import { exportFolder } from "./an-export.ts";
import { CUT_STREAMS, cutsOf, cutWorld } from "./cut-corpus.ts";

// The whole of every-cut.test.ts: every stream, every kind of cut, every offset.

const folder = exportFolder();

test.each(CUT_STREAMS)("$name: no cut at any offset is called whole", { timeout: 600_000 }, async (stream) => {
  await using world = await cutWorld(folder.exports());
  const wrong: string[] = [];
  for (const cut of cutsOf(stream)) {
    if ((await world.judge(cut)) === "accepted") wrong.push(`${cut.kind} at ${cut.offset}, raw ${cut.raw}`);
  }
  expect(wrong).toEqual([]);
});
