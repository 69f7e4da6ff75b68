import { expect, test } from "vitest";

import { MARKET, type NamedId, ORDER, typedName } from "../../../src/answers/ids/ids.ts";
import { type ResolveContext, resolveId } from "../../../src/answers/ids/typed-ids.ts";
import { shortenId } from "../../../src/reply/text.ts";

const seen = ["a1b2c3d4".padEnd(60, "0").concat("92fa"), "a1b2c3d4".padEnd(60, "1").concat("92fb")] as const;
const context = {
  network: "mainnet",
  api: {},
  seen: {
    note: async () => {},
    find: async (_network: string, _kind: string, typed: string) =>
      seen.filter((id) => id.startsWith(typed)).map((id) => ({ id, label: undefined })),
  },
  signal: new AbortController().signal,
} as unknown as ResolveContext;

test.each(seen)("the two ends of %s, as the bot shows them, stand for it", async (id) => {
  expect(await resolveId(ORDER, shortenId(id), context, "id")).toBe(id);
});

test("the two ends of no id seen stand for none", async () => {
  await expect(resolveId(ORDER, "a1b2c3d4…92fc", context, "id")).rejects.toThrow("No order");
});

const [own, other] = seen;
const ended = true;
test.each<[string, NamedId, NamedId, string, string | undefined]>([
  [
    "its name beside one that has ended",
    { id: own, label: "ETH/BTC" },
    { id: other, label: "ETH/BTC", ended },
    "ETH/BTC",
    own,
  ],
  ["its id where another one lives", { id: own, label: "ETH/BTC" }, { id: other, label: "ETH/BTC" }, own, undefined],
  ["its id once it has ended", { id: own, label: "ETH/BTC", ended }, { id: other, label: "ETH/BTC" }, own, other],
])("a line calls a market by %s, and its name is read back so", async (_words, one, beside, line, named) => {
  const kind = { ...MARKET, names: async () => [one, beside] };
  expect(typedName(one, [one, beside])).toBe(line);
  expect(await resolveId(kind, "eth/btc", context, "market").catch(() => undefined)).toBe(named);
});
