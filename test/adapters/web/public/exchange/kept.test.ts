import { expect, test } from "vitest";

import { createKept } from "../../../../../src/adapters/web/public/exchange/kept.js";
import { replyToJson } from "../../../../../src/reply/json.ts";
import { reply } from "../../../../../src/reply/reply.ts";

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    length: 0,
    key: () => null,
    clear: () => kept.clear(),
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

const exchange = (line: string, title = "Fine") => ({
  line,
  question: { text: line },
  at: 1,
  answer: replyToJson(reply({ title })),
});

test("the conversation comes back in order, each question with its last answer", () => {
  const storage = memory();
  const kept = createKept(storage);
  kept.put(1, exchange("time", "before"));
  kept.put(2, exchange("market list"));
  kept.put(1, exchange("time", "after"));
  expect(createKept(storage).load()).toEqual([exchange("time", "after"), exchange("market list")]);
});

test("the last 40 are kept, and of an answer too long for it the question alone", () => {
  const storage = memory();
  const kept = createKept(storage);
  for (let n = 1; n <= 45; n += 1) kept.put(n, exchange(`order ${n}`));
  kept.put(46, exchange("long", "x".repeat(500_000)));
  const lines = createKept(storage).load();
  expect(lines).toHaveLength(40);
  expect(lines[0]?.line).toBe("order 7");
  expect(lines.at(-1)).toEqual({ line: "long", question: { text: "long" }, at: 1 });
});

test("what is kept stays below two million characters", () => {
  const storage = memory();
  const kept = createKept(storage);
  for (let n = 1; n <= 10; n += 1) kept.put(n, exchange(`order ${n}`, "x".repeat(180_000)));
  const lines = createKept(storage).load();
  expect(lines.at(-1)?.line).toBe("order 10");
  expect(lines.length).toBeGreaterThan(3);
  expect(JSON.stringify(lines).length).toBeLessThan(2_100_000);
});

test("nothing is left after it was cleared, and a storage that is full or holds something else does no harm", () => {
  const storage = memory();
  const kept = createKept(storage);
  kept.put(1, exchange("time"));
  kept.clear();
  expect(kept.load()).toEqual([]);
  const bad = {
    getItem: () => '[1,null,{"line":2},{"line":"time"}]',
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
    removeItem: () => {
      throw new DOMException("no", "SecurityError");
    },
  };
  const full = createKept(bad);
  expect(full.load()).toEqual([]);
  full.put(1, exchange("time"));
  full.clear();
});
