import { expect, test } from "vitest";

import { isLoopback } from "../../src/units/loopback.ts";

test.each([
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["[::1]", true],
  ["localhost", true],
  ["LOCALHOST", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.4", false],
  ["localhost.evil.example", false],
  ["127.evil.example", false],
  ["::ffff:127.0.0.1", true],
  ["::ffff:10.0.0.1", false],
  ["", false],
])("whether only this machine reaches %s: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
