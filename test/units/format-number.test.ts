import { expect, test } from "vitest";

import { formatBytes } from "../../src/units/format-number.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [1949, "1.9 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [1_288_490_188, "1.3 GB"],
  [5e15, "5000.0 TB"],
])("%d is %s", (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});
