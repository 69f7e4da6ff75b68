import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Balances } from "../../src/export/normalise/balances.ts";

type Entry = readonly [second: number, change: bigint, after: bigint | undefined];

const GENERAL = { account: "GENERAL", market: "" };

function balancesOf(entries: readonly Entry[]) {
  const balances = new Balances();
  for (const [seconds, change, after] of entries) balances.add(GENERAL, { seconds, nanos: 0 }, change, after);
  const { known, unknown } = balances.result();
  return known.length === 1 ? [known[0]!.opening, known[0]!.closing] : `${unknown} unknown`;
}

describe("the balance of an account", () => {
  test.each<[string, readonly Entry[], readonly bigint[] | string]>([
    ["one entry", [[1, 5n, 15n]], [10n, 15n]],
    [
      "one after the other",
      [
        [1, 5n, 15n],
        [2, -3n, 12n],
      ],
      [10n, 12n],
    ],
    [
      "whatever order they come in",
      [
        [2, -3n, 12n],
        [1, 5n, 15n],
        [3, 1n, 13n],
      ],
      [10n, 13n],
    ],
    [
      "several in the first moment",
      [
        [1, -2n, 13n],
        [1, 5n, 15n],
        [2, 1n, 14n],
      ],
      [10n, 14n],
    ],
    [
      "several in the first moment, the other way round",
      [
        [1, 5n, 15n],
        [1, -2n, 13n],
        [2, 1n, 14n],
      ],
      [10n, 14n],
    ],
    [
      "several in the last moment",
      [
        [1, 5n, 15n],
        [2, 3n, 13n],
        [2, -5n, 10n],
      ],
      [10n, 13n],
    ],
    [
      "a moment that ends as it began, in either order",
      [
        [1, 5n, 15n],
        [1, -5n, 10n],
      ],
      "1 unknown",
    ],
    [
      "a balance that does not follow",
      [
        [1, 5n, 15n],
        [1, 5n, 25n],
      ],
      "1 unknown",
    ],
    [
      "an entry missing between",
      [
        [1, 5n, 15n],
        [2, 1n, 99n],
      ],
      "1 unknown",
    ],
    [
      "a balance that is not told",
      [
        [1, 5n, 15n],
        [2, 1n, undefined],
        [3, 1n, 17n],
      ],
      "1 unknown",
    ],
    [
      "a balance that is not told at first",
      [
        [1, 5n, undefined],
        [2, 1n, 16n],
      ],
      "1 unknown",
    ],
  ])("%s", (_name, entries, expected) => {
    expect(balancesOf(entries)).toEqual(expected);
  });

  test("is told apart by account and market, and sorted", () => {
    const balances = new Balances();
    const time = { seconds: 1, nanos: 0 };
    balances.add({ account: "MARGIN", market: "b" }, time, 1n, 1n);
    balances.add({ account: "MARGIN", market: "a" }, time, -1n, 1n);
    balances.add({ account: "GENERAL", market: "" }, time, 2n, 5n);
    balances.add({ account: "BOND", market: "" }, time, 2n, undefined);
    expect(balances.result()).toEqual({
      known: [
        { account: "GENERAL", market: "", opening: 3n, closing: 5n },
        { account: "MARGIN", market: "a", opening: 2n, closing: 1n },
        { account: "MARGIN", market: "b", opening: 0n, closing: 1n },
      ],
      unknown: 1,
    });
  });

  test("more accounts than are followed: what is not is said", () => {
    const balances = new Balances();
    for (let market = 0; market < 5001; market += 1) {
      balances.add({ account: "MARGIN", market: String(market) }, { seconds: 1, nanos: 0 }, 1n, 1n);
    }
    const { known, unknown } = balances.result();
    expect([known.length, unknown]).toEqual([5000, 1]);
  });

  test("where it is given, it is that of the real order, however the entries come", () => {
    const change = fc.bigInt({ min: -20n, max: 20n });
    const entries = fc.array(fc.tuple(fc.nat({ max: 3 }), change), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (steps, shuffle) => {
        let balance = 100n;
        let second = 0;
        const real = steps.map(([later, by]): Entry => [(second += later), by, (balance += by)]);
        const shuffled = real.map((entry) => [shuffle.next().value, entry] as const).toSorted(([x], [y]) => x - y);
        expect([[100n, balance], "1 unknown"]).toContainEqual(balancesOf(shuffled.map(([, entry]) => entry)));
      }),
    );
  });
});
