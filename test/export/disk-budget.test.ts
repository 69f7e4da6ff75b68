import { expect, test } from "vitest";

import { StorageError } from "../../src/errors.ts";
import { diskBudget } from "../../src/export/disk-budget.ts";

test("all together take no more than they may, and give back what they took", () => {
  const reserve = diskBudget(100);
  const [one, two, other] = [reserve(), reserve(), reserve()];
  one.hold(60);
  two.hold(40);
  expect(() => two.hold(41)).toThrow(StorageError);
  expect(() => other.hold(1)).toThrow(StorageError);
  one.hold(10);
  two.hold(90);
  expect(() => other.hold(1)).toThrow(StorageError);
  two.release();
  two.release();
  one.release();
  other.hold(100);
  expect(() => one.hold(1)).toThrow(StorageError);
});

test("what is given back is taken back, whatever the others hold", () => {
  const reserve = diskBudget(10);
  const [one, other] = [reserve(), reserve()];
  one.hold(10);
  one.hold(9);
  expect(() => other.hold(2)).toThrow(StorageError);
  other.hold(1);
});
