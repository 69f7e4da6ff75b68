import { expect, it } from "vitest";

import { ALERT_KINDS, isPersonalKind, needsThreshold } from "../../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../../src/alerts/route/subscription.ts";
import { subscribeConsole } from "../../../src/main/alerting/console-alerts.ts";
import { openStage } from "../../alerts/stage.ts";

it("subscribes the console to everything once in the life of a database, even where nothing is left of that", async () => {
  const stage = await openStage();
  const put: Subscription[] = [];
  const service = {
    // What was removed is forgotten after a month.
    subscriptions: () => Promise.resolve([]),
    putSubscriptions: (given: readonly Subscription[]) => Promise.resolve(void put.push(...given)),
  };
  for (const network of ["mainnet", "testnet", "mainnet"]) {
    await subscribeConsole(service, stage.store, network, stage.now());
  }
  expect(put.map(({ network }) => network)).toEqual(["mainnet", "testnet"]);
  // A price or a value has no threshold of its own, and what concerns one person is asked for by that person.
  const expected = ALERT_KINDS.filter((kind) => !needsThreshold(kind) && !isPersonalKind(kind));
  expect(put[0]?.kinds.toSorted()).toEqual(expected.toSorted());
});
