import { expect, test } from "vitest";

import type { AlertJson } from "../../../../../src/adapters/web/alerts/alert-json.ts";
import { titleOf } from "../../../../../src/adapters/web/public/alerts/alert-title.js";

test.each([
  ["TODAY · 3 checkpoints on mainnet", "3 checkpoints on mainnet"],
  ["CRITICAL · Discord refuses the bot's token", "Discord refuses the bot's token"],
  ["DRILL · RESOLVED · Discord takes the bot's token", "DRILL · Discord takes the bot's token"],
  ["FLAPPING · a-node lags behind", "FLAPPING · a-node lags behind"],
])("a card does not repeat the word of its badge: %s", (title, shown) => {
  const alert = { reply: { title: [{ kind: "text", text: title }] } } as unknown as AlertJson;
  expect(titleOf(alert, 0)).toBe(shown);
});
