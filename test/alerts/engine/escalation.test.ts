import { expect, it } from "vitest";

import { stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

const MINUTE = 60_000;

it("an escalation under a silence is sent once, when the silence ends", async () => {
  const stage = await openStage();
  await stage.engine.putSubscriptions([aSubscription()], "ada");
  await stage.rounds(1, [stalled("good")]);
  await stage.rounds(8, [stalled("bad")]);
  expect(stage.sender.take()).toEqual(["warning: network.stalled on mainnet"]);
  const from = stage.now();
  const silence = { id: "s1", scope: {}, from, until: from + 5 * MINUTE, by: "ada", created: from };
  await stage.engine.putSilence(silence, "ada");
  await stage.rounds(50, [stalled("bad")]);
  expect((await stage.engine.openEpisodes())[0]).toMatchObject({ severity: "critical" });
  expect(stage.sender.take()).toEqual([]);
  await stage.rounds(30, [stalled("bad")]);
  expect(stage.sender.take()).toEqual(["now critical: network.stalled on mainnet"]);
  // Its end passes a silence.
  await stage.engine.putSilence({ ...silence, id: "s2", until: stage.now() + 60 * MINUTE }, "ada");
  await stage.rounds(8, [stalled("good")]);
  expect(stage.sender.take()).toEqual(["resolved: network.stalled on mainnet"]);
});
