import { expect, test } from "vitest";

import { storeButtonPayloads } from "../../src/adapters/button-payloads.ts";
import { silentLog } from "../../src/log.ts";

test("keeps each button by itself: one that the store does not take costs no other its meaning", async () => {
  const payloads = {
    put: async (value: unknown) => (value === "stuck" ? new Promise<never>(() => {}) : `key of ${String(value)}`),
    get: async () => undefined,
  };
  const meanings = new Map([
    ["first", "page"],
    ["second", "stuck"],
    ["third", "share"],
  ]);
  const keys = await storeButtonPayloads("discord", meanings, { payloads, log: silentLog(), keepMillis: 1 });
  expect(Object.fromEntries(keys)).toEqual({ first: "key of page", third: "key of share" });
});
