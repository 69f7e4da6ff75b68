import { expect, test } from "vitest";

import { payloadsOf } from "../../../../src/adapters/slack/install/workspace-payloads.ts";

test("one installation's button payloads are its own, and say whose they are", async () => {
  const kept = new Map<string, unknown>();
  const shared = {
    put: async (value: unknown) => {
      const key = JSON.stringify(value);
      kept.set(key, JSON.parse(key));
      return key;
    },
    get: async (key: string) => kept.get(key),
  };
  const [acme, zenith] = ["T1", "T2"].map((id) => payloadsOf(shared, id));
  const keys = [await acme!.put({ asks: "help" }, 1000), await zenith!.put({ asks: "help" }, 1000)];
  expect(keys[0]).not.toBe(keys[1]);
  // The beginning by which the store finds them.
  expect(keys[0]).toMatch(/^\{"of":"slack\/T1",/u);
  expect(await Promise.all(keys.map((key) => acme!.get(key)))).toEqual([{ asks: "help" }, undefined]);
  // What was kept while the bot served one workspace.
  expect(await acme!.get(await shared.put({ asks: "help" }))).toBeUndefined();
  expect(await acme!.get("unknown")).toBeUndefined();
});
