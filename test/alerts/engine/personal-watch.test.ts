import { expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

it("a watch of stake goes on after each change, since none of them is the last", async () => {
  const stage = await openStage();
  const watch = aSubscription({ kinds: ["stake.changed"], subjects: ["p1"], personal: true });
  await stage.engine.putSubscriptions([watch], "ada");
  await stage.round([]);
  const linked = (key: string): AlertEvent => ({
    kind: "stake.changed",
    network: "mainnet",
    subject: "p1",
    key,
    at: "1700000000000000000",
    change: "linked",
    amount: "5",
  });
  for (const key of ["p1/1", "p1/2"]) {
    await stage.round([], [linked(key)]);
    expect(stage.sender.take()).toHaveLength(1);
  }
  expect((await stage.engine.subscriptions()).map(({ state }) => state)).toEqual(["active"]);
});
