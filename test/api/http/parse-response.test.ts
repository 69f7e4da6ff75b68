import { setImmediate } from "node:timers/promises";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseLongList, parseResponse, splitList } from "../../../src/api/http/parse-response.ts";
import { MarketsData } from "../../../src/api/model/market.ts";

const target = { network: "testnet", node: "a:1", what: "the markets" };
const responseOf = (body: string) => ({ status: 200, headers: {}, body: Buffer.from(body) });

/** Some 2 KB each, whose texts hold whatever structure is made of. */
const market = (index: number, more: object = {}) => ({
  market: index.toString(16).padStart(64, "0"),
  markPrice: String(index),
  marketState: `},{"market":[ \\" ${"\u{1f600}é".repeat(200)}`,
  priceMonitoringBounds: [{ minValidPrice: "1", trigger: { horizon: "60" } }, { maxValidPrice: "2" }],
  ...more,
});
const many = (more: object = {}): object[] =>
  Array.from({ length: 900 }, (_, index) => market(index, index === 700 ? more : {}));

describe("the chunks of a list", () => {
  it("are its items, whole and in order, whatever these are", () => {
    const spaced = fc.constantFrom(undefined, 1, "\t");
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 60 }),
        spaced,
        (items, bytes, space) => {
          const body = Buffer.from(JSON.stringify({ list: items }, undefined, space));
          const chunks = [...splitList(body, "list", bytes)];
          expect(chunks.flatMap((chunk) => JSON.parse(`[${chunk}]`) as unknown[])).toEqual(
            JSON.parse(JSON.stringify(items)),
          );
          for (const chunk of chunks.slice(0, -1)) expect(Buffer.byteLength(chunk)).toBeGreaterThanOrEqual(bytes);
        },
      ),
    );
  });

  it.each([
    '{"other":[1]}',
    '{"list":[1],"more":2}',
    '{"list":{"a":[1]}}',
    '{"list":[1]',
    '{"list":[1',
    '{"list":["1]}',
    '{"list":[1]}}',
    "[1]",
    "",
  ])("are not had of %s", (body) => {
    expect(() => [...splitList(Buffer.from(body), "list", 1)]).toThrow(SyntaxError);
  });
});

describe("a long answer", () => {
  it("is parsed as if at once, while the event loop goes on", async () => {
    const response = responseOf(JSON.stringify({ marketsData: many() }));
    let turns = 0;
    const read = new AbortController();
    const others = (async () => {
      for (; !read.signal.aborted; turns += 1) await setImmediate();
    })();
    const inChunks = await parseLongList(response, MarketsData, "marketsData", target);
    read.abort();
    await others;
    expect(turns).toBeGreaterThan(2);
    expect(inChunks).toEqual(parseResponse(response, MarketsData, target));
  });

  it.each([
    ["a field of the wrong kind", JSON.stringify({ marketsData: many({ markPrice: "a lot" }) })],
    ["an error in its place", JSON.stringify({ code: 3, message: "no", details: many() })],
    ["an end too early", JSON.stringify({ marketsData: many() }).slice(0, -200)],
    ["something else beside it", JSON.stringify({ marketsData: many({ markPrice: [1] }), more: 1 })],
  ])("with %s is refused in the same words, with the same path", async (_, body) => {
    const response = responseOf(body);
    let whole: unknown;
    try {
      parseResponse(response, MarketsData, target);
    } catch (thrown) {
      whole = thrown;
    }
    await expect(parseLongList(response, MarketsData, "marketsData", target)).rejects.toEqual(whole);
    expect(whole).toBeInstanceOf(Error);
  });
});
