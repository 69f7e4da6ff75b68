import { expect, test } from "vitest";

import { findSeen, noteSeen } from "../../../src/answers/ids/ids.ts";
import type { SeenIds } from "../../../src/store/store.ts";

const inTrouble: SeenIds = {
  note: () => {
    throw new Error("disk full");
  },
  find: () => Promise.reject(new Error("disk full")),
};

test("a store in trouble costs nobody the answer", async () => {
  const context = { network: "mainnet", seen: inTrouble };
  expect(() => noteSeen(context, "party", [{ id: "ab" }])).not.toThrow();
  expect(await findSeen(context, "party", "ab", 5)).toEqual([]);
});

test("ids are noted once each, and what has none is not", async () => {
  const noted: unknown[] = [];
  const seen: SeenIds = { note: async (...given) => void noted.push(given), find: async () => [] };
  noteSeen({ network: "mainnet", seen }, "market", [{ id: "ab", label: "X" }, { id: undefined }, { id: "" }]);
  noteSeen({ network: "mainnet", seen }, "market", []);
  expect(noted).toEqual([["mainnet", "market", [{ id: "ab", label: "X" }]]]);
});
