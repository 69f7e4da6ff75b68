import { expect, test } from "vitest";

import { BodyBudget, BodyMemory, type HeldBody } from "../../../src/api/http/body-memory.ts";

function bodies(count: number): (HeldBody & { resumed: number })[] {
  return Array.from({ length: count }, () => {
    const body = { resumed: 0, resume: () => void (body.resumed += 1) };
    return body;
  });
}

test("bodies share a budget: while it is full, only the oldest grows; each goes on when there is room", () => {
  const budget = new BodyBudget(100);
  const [a, b, c] = bodies(3) as [
    HeldBody & { resumed: number },
    HeldBody & { resumed: number },
    HeldBody & { resumed: number },
  ];
  expect(budget.grow(a, 60)).toBe(true);
  expect(budget.grow(b, 30)).toBe(true);
  expect(budget.grow(c, 20)).toBe(false);
  expect(budget.grow(a, 60)).toBe(true);
  expect(budget.grow(b, 1)).toBe(false);
  budget.release(a);
  expect([a.resumed, b.resumed, c.resumed]).toEqual([0, 1, 1]);
  expect(budget.grow(b, 100)).toBe(true);
  expect(budget.grow(c, 1)).toBe(false);
  budget.release(b);
  budget.release(b);
  expect(c.resumed).toBe(2);
  budget.release(c);
  expect(budget.grow(a, 100)).toBe(true);
});

test.each([1, 1000, 300_000, 1_000_000])("a body of %s bytes comes out as it went in, however it was cut", (size) => {
  const text = "ü“a".repeat(Math.ceil(size / 6)).slice(0, size);
  const bytes = Buffer.from(text);
  const memory = new BodyMemory(bytes.length);
  for (let at = 0; at < bytes.length; at += 65_537) memory.add(bytes.subarray(at, at + 65_537));
  expect(memory.length).toBe(bytes.length);
  expect(memory.takeText()).toBe(text);
});

test("a byte order mark is no part of a body", () => {
  const memory = new BodyMemory(100);
  memory.add(Buffer.from("\uFEFF{}"));
  expect(memory.takeText()).toBe("{}");
});
