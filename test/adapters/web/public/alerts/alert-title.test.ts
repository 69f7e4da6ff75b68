import { expect, test } from "vitest";

import type { AlertJson } from "../../../../../src/adapters/web/alerts/alert-json.ts";
import { titleOf } from "../../../../../src/adapters/web/public/alerts/alert-title.js";

test.each([
  ["WARNING · No new block on mainnet", "No new block on mainnet"],
  ["NOW CRITICAL · No new block on mainnet", "No new block on mainnet"],
  ["DRILL · RESOLVED · a-node answers again on drill", "DRILL · a-node answers again on drill"],
  ["FLAPPING · a-node lags behind", "FLAPPING · a-node lags behind"],
])("a card does not repeat the word of its badge: %s", (title, shown) => {
  const alert = { reply: { title: [{ kind: "text", text: title }] } } as unknown as AlertJson;
  expect(titleOf(alert, 0)).toBe(shown);
});
