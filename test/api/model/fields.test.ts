import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { pathOf } from "../../../src/api/http/parse-response.ts";
import {
  bigintField,
  decimalField,
  flagField,
  listField,
  recordField,
  secondsField,
  textField,
  timeField,
} from "../../../src/api/model/fields.ts";
import { MarketsData } from "../../../src/api/model/market.ts";

const Thing = z.looseObject({
  number: bigintField,
  fraction: decimalField,
  at: timeField,
  seconds: secondsField,
  text: textField,
  flag: flagField,
  list: listField(z.looseObject({ number: bigintField })),
  record: recordField(z.looseObject({ text: textField })),
});
type Thing = z.infer<typeof Thing>;

const refused = Symbol("refused");
function read(body: unknown): Thing | typeof refused {
  const result = Thing.safeParse(body);
  return result.success ? result.data : refused;
}

describe("a field", () => {
  test.each<[keyof Thing, unknown, unknown]>([
    ["number", "9223372036854775807", 9223372036854775807n],
    ["number", "18446744073709551615", 18446744073709551615n],
    ["number", "-6795364578871345152", -6795364578871345152n],
    ["number", "1".repeat(78), BigInt("1".repeat(78))],
    ["number", "0007", 7n],
    ["number", "+7", 7n],
    ["number", 9007199254740991, 9007199254740991n],
    ["number", 9007199254740992, refused],
    ["number", 1e300, refused],
    ["number", 1.5, refused],
    ["number", "1.5", refused],
    ["number", "0x10", refused],
    ["number", " 1", refused],
    ["number", "1e3", refused],
    ["number", "-", refused],
    ["number", "9".repeat(2000), refused],
    ["number", true, refused],
    ["number", {}, refused],
    ["number", "", undefined],
    ["number", null, undefined],
    ["fraction", "0.99999999999999999999", { units: 99999999999999999999n, scale: 20 }],
    ["fraction", "1e-3", refused],
    ["fraction", "", undefined],
    ["at", "1682942400123456789", 1682942400123456789n],
    ["at", "0", undefined],
    ["at", "-6795364578871345152", undefined],
    ["at", "", undefined],
    ["at", "soon", refused],
    ["seconds", "1682942400", 1682942400000000000n],
    ["seconds", "0", undefined],
    ["text", "STATE_OF_THE_FUTURE", "STATE_OF_THE_FUTURE"],
    ["text", "", undefined],
    ["text", 7, refused],
    ["flag", false, false],
    ["flag", null, undefined],
    ["flag", "true", refused],
    ["list", null, []],
    ["list", {}, refused],
    ["record", null, undefined],
    ["record", { text: "x", later: [1] }, { text: "x", later: [1] }],
    ["record", [], refused],
  ])("%s takes %j", (name, given, wanted) => {
    const seen = read({ [name]: given });
    expect(seen === refused ? refused : seen[name]).toEqual(wanted);
  });

  test("that is absent is unset, and an unknown one passes through", () => {
    const thing = read({ later: { deep: ["1"] } });
    expect(thing).toMatchObject({ list: [], later: { deep: ["1"] } });
    expect((thing as Thing).number).toBeUndefined();
  });
});

test("any JSON in any field is a value or an issue with a path, and every integer is exact", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.bigInt().map(String),
    fc.constantFrom("", null, "0", 2 ** 53, "NaN", "__proto__"),
  );
  fc.assert(
    fc.property(
      fc.record(
        {
          number: anything,
          fraction: anything,
          at: anything,
          text: anything,
          flag: anything,
          list: anything,
          record: anything,
        },
        { requiredKeys: [] },
      ),
      (body) => {
        const result = Thing.safeParse(body);
        const given = (body as { number?: unknown }).number;
        const isText = typeof given === "string" && given !== "";
        expect(
          result.success
            ? isText
              ? result.data.number === BigInt(given)
              : true
            : result.error.issues[0]!.path.length > 0,
        ).toBe(true);
      },
    ),
  );
});

test.each([
  [{ marketsData: [{}, {}, {}, { markPrice: [] }] }, "marketsData[3].markPrice"],
  [
    { marketsData: [{ priceMonitoringBounds: [{ trigger: { horizon: "x" } }] }] },
    "marketsData[0].priceMonitoringBounds[0].trigger.horizon",
  ],
  [{ marketsData: "none" }, "marketsData"],
  [[], "the top"],
])("the path of what is wrong in %j is %s", (body, path) => {
  expect(pathOf(MarketsData.safeParse(body).error?.issues[0]?.path ?? [])).toBe(path);
});
