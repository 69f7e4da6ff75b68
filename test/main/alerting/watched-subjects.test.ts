import { expect, test } from "vitest";

import { createWatchedSubjects } from "../../../src/main/alerting/watched-networks.ts";
import { aSubscription } from "../../alerts/samples.ts";

test("what active subscriptions name is asked for, each once, by network and kind", () => {
  const subjects = createWatchedSubjects();
  expect(subjects.of("mainnet", "order.final")).toEqual([]);
  const order = aSubscription({ kinds: ["order.final"], subjects: ["o1", "o2"] });
  subjects.update([
    order,
    { ...order, id: "s2", subjects: ["o2", "o3"] },
    { ...order, id: "s3", subjects: ["o4"], state: "paused" },
    { ...order, id: "s4", subjects: ["o5"], network: "testnet" },
    { ...order, id: "s5", kinds: ["stake.changed", "bundle.signed"], subjects: ["p1"] },
  ]);
  expect(subjects.of("mainnet", "order.final")).toEqual(["o1", "o2", "o3"]);
  expect(subjects.of("testnet", "order.final")).toEqual(["o5"]);
  expect(subjects.of("mainnet", "bundle.signed")).toEqual(["p1"]);
  const value = { ...order, kinds: ["market.value" as const], subjects: ["m1"] };
  const changes = {
    "market.value": { if: "spread above 5 or mark changes 5% within 10m or last changes 1% within 1h up" },
  };
  subjects.update([
    { ...value, parameters: changes },
    { ...value, id: "s2", subjects: ["m2"] },
  ]);
  expect(subjects.of("mainnet", "market.value")).toEqual(["m1", "m2"]);
  expect([...subjects.changes("mainnet")]).toEqual([
    [
      "m1",
      [
        { fact: "mark", within: 600_000 },
        { fact: "last", within: 3_600_000 },
      ],
    ],
  ]);
  subjects.update([{ ...order, state: "ended" }]);
  expect(subjects.of("mainnet", "order.final")).toEqual([]);
});
