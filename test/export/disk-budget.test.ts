import { expect, test } from "vitest";

import { StorageError } from "../../src/errors.ts";
import { DiskBudget } from "../../src/export/disk-budget.ts";

test("all together take no more than they may, and give back what they took", () => {
  const budget = new DiskBudget(100);
  const [one, two] = [budget.open(), budget.open()];
  one.hold(60);
  two.hold(40);
  expect(() => two.hold(41)).toThrow(StorageError);
  expect(budget.usedBytes).toBe(100);
  one.hold(10);
  two.hold(90);
  expect(budget.usedBytes).toBe(100);
  two.release();
  two.release();
  one.release();
  expect(budget.usedBytes).toBe(0);
});

test("what is given back is taken back, whatever the others hold", () => {
  const budget = new DiskBudget(10);
  const one = budget.open();
  one.hold(10);
  one.hold(9);
  expect(budget.usedBytes).toBe(9);
});
