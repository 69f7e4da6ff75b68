import { expect, it } from "vitest";

import { openStage } from "../stage.ts";

const DAY = 86_400_000;
const operators = { platform: "fake", channel: "operators" };

it("tells the operators once a day which silences hold, also after a restart", async () => {
  const stage = await openStage({ operators });
  const begin = stage.now();
  const silence = { by: "ann", created: begin };
  await stage.engine.putSilence(
    { ...silence, id: "long1", scope: { destination: "fake//c1/" }, from: begin, until: begin + 3 * DAY + 60_000 },
    "ann",
  );
  const noon = { every: "day", zone: "UTC", until: begin + 3 * DAY } as const;
  await stage.engine.putSilence(
    { ...silence, id: "noon1", scope: { kind: "node.down" }, from: begin, until: begin + 3_600_000, recurrence: noon },
    "ann",
  );
  await stage.pass(DAY - 1000);
  expect(stage.sender.take()).toEqual([]);
  await stage.pass(2000);
  await stage.pass(2000);
  expect(stage.sender.take()).toEqual(["operators: silences: 2"]);
  await stage.restart();
  // Outside of the window that comes again, one of them holds.
  await stage.pass(DAY + 7_200_000);
  expect(stage.sender.take()).toEqual(["operators: silences: 1"]);
  await stage.pass(2 * DAY);
  expect(stage.sender.take()).toEqual([]);
});
