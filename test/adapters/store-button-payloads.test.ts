import { expect, test } from "vitest";

import { storeButtonPayloads } from "../../src/adapters/store-button-payloads.ts";
import { silentLog } from "../../src/log.ts";

test("each payload is stored by itself: one that the store does not take costs no other", async () => {
  const payloads = {
    put: async (value: unknown) => (value === "stuck" ? new Promise<never>(() => {}) : `key of ${String(value)}`),
    get: async () => undefined,
  };
  const presses = new Map([
    ["first", "page"],
    ["second", "stuck"],
    ["third", "share"],
  ]);
  const keys = await storeButtonPayloads("discord", presses, { payloads, log: silentLog(), ttlMillis: 1 });
  expect(Object.fromEntries(keys)).toEqual({ first: "key of page", third: "key of share" });
});
