import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { joinTime, readVegaTime, splitTime } from "../../src/export/vega-time.ts";
import { nanoseconds, type Nanoseconds } from "../../src/units/time.ts";

function read(text: string): Nanoseconds | undefined {
  const bytes = Buffer.from(`before${text}behind`);
  const into = { seconds: 0, nanos: 0 };
  return readVegaTime(bytes, 6, bytes.length - 6, into) ? joinTime(into) : undefined;
}

const PLAIN = BigInt(Date.UTC(2023, 0, 18, 1, 9, 59)) * 1_000_000n;

describe("readVegaTime", () => {
  test.each([
    ["2023-01-18 01:09:59.297309+00", PLAIN + 297_309_000n],
    ["2023-01-18 01:09:59.2973+00", PLAIN + 297_300_000n],
    ["2023-01-18 01:09:59+00", PLAIN],
    ["2023-01-18 01:09:59.000001+00", PLAIN + 1000n],
    ["2023-01-18 01:09:59.123456789+00", PLAIN + 123_456_789n],
    ["2023-01-18 06:39:59+05:30", PLAIN],
    ["2023-01-18 06:09:59+05:00", PLAIN],
    ["2023-01-17 21:39:59-03:30", PLAIN],
    ["2023-01-17 21:39:59-0330", PLAIN],
    ["2023-01-18T01:09:59Z", PLAIN],
    ["2023-01-18 01:09:59", PLAIN],
    ['"2023-01-18 01:09:59+00"', PLAIN],
    ["1970-01-01 00:00:00+00", 0n],
    ["1969-12-31 23:59:59.9+00", -100_000_000n],
    ["2024-02-29 00:00:00+00", BigInt(Date.UTC(2024, 1, 29)) * 1_000_000n],
  ])("%s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    "",
    "now",
    "infinity",
    "2023-01-18",
    "2023-01-18 01:09",
    "2023-13-18 01:09:59+00",
    "2023-02-29 01:09:59+00",
    "2024-02-31 01:09:59+00",
    "2023-04-31 01:09:59+00",
    "2023-12-32 01:09:59+00",
    "1900-02-29 01:09:59+00",
    "2023-01-18 24:09:59+00",
    "2023/01/18 01:09:59+00",
    "2023-01-18 01:09:59.+00",
    "2023-01-18 01:09:59+0",
    "2023-01-18 01:09:59 05",
    "2023-01-18 01:09:59+05:x0",
    "2023-01-18 01:09:59+05:30:15",
    "2023-01-18 01:09:59+00 BC",
    "2023-01-18 01:09:59.1234567890+00",
    "x023-01-18 01:09:59+00",
  ])("%s is no time", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test("reads back every moment of five thousand years, to the microsecond", () => {
    const micros = fc.bigInt({ min: -62_135_596_800_000_000n, max: 95_617_584_000_000_000n });
    fc.assert(
      fc.property(micros, (value) => {
        const below = ((value % 1_000_000n) + 1_000_000n) % 1_000_000n;
        const whole = new Date(Number((value - below) / 1000n)).toISOString();
        const fraction = below === 0n ? "" : `.${below.toString().padStart(6, "0").replace(/0+$/u, "")}`;
        expect(read(`${whole.slice(0, 10)} ${whole.slice(11, 19)}${fraction}+00`)).toBe(value * 1000n);
      }),
    );
  });

  test("splits and joins without losing a nanosecond", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const split = splitTime(nanoseconds(value));
        expect(split.nanos).toBeGreaterThanOrEqual(0);
        expect(joinTime(split)).toBe(value);
      }),
    );
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void read(text)));
  });
});
