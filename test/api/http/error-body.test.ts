import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isRouteMissing, readErrorBody, toShortLine } from "../../../src/api/http/error-body.ts";
import { anyCharacter } from "../../support/any-character.ts";

const detail = {
  "@type": "type.googleapis.com/vega.ErrorDetail",
  code: 1,
  message: "outer words",
  inner: "inner words",
};

describe("an error's body", () => {
  test.each([
    [
      "bare",
      JSON.stringify({ code: 13, message: "Internal error", details: [detail] }),
      13,
      "Internal error",
      "outer words: inner words",
    ],
    [
      "wrapped",
      JSON.stringify({ error: { code: 3, message: "Bad Request", details: [detail] } }),
      3,
      "Bad Request",
      "outer words: inner words",
    ],
    ["without details", '{"code":5,"message":"Not Found"}', 5, "Not Found", undefined],
    [
      "said twice",
      JSON.stringify({ code: 2, message: "m", details: [detail, detail, "x", null] }),
      2,
      "m",
      "outer words: inner words",
    ],
    ["an error that is text", '{"error":"too bad"}', undefined, "too bad", undefined],
    ["a proxy's page", "<html><head><title> 502\n Bad Gateway </title>", undefined, "502 Bad Gateway", undefined],
    ["a page without a title", "<html>", undefined, "a web page", undefined],
    ["plain text", "Too Many Requests\n", undefined, "Too Many Requests", undefined],
    ["JSON of another kind", '{"ok":false}', undefined, '{"ok":false}', undefined],
    ["cut JSON", '{"code":', undefined, '{"code":', undefined],
    ["nothing", "", undefined, undefined, undefined],
  ])("%s", (_name, body, code, message, innerWords) => {
    expect(readErrorBody(body)).toMatchObject({ code, message, innerWords });
  });

  test("of any kind is read without fail, into short lines without control characters", () => {
    const anyBody = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 2000 }),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.jsonValue().map((value) => JSON.stringify({ error: value })),
      fc.jsonValue().map((value) => JSON.stringify({ code: 1, message: "\u0000\n", details: value })),
    );
    fc.assert(
      fc.property(anyBody, (body) => {
        const { message = "", innerWords = "" } = readErrorBody(body);
        for (const words of [message, innerWords]) {
          expect(words.length).toBeLessThanOrEqual(300);
          expect(words).not.toMatch(/[\p{Cc}]/u);
        }
      }),
    );
  });
});

test.each([
  [404, { code: 5, message: "Not Found", details: [] }, true],
  [404, { code: 5, message: "Not Found" }, true],
  [404, { error: { code: 5, message: "Not Found", details: null } }, true],
  [404, { code: 5, message: "Not Found", details: [detail] }, false],
  [404, { code: 5, message: "order not found" }, false],
  [404, { code: 7, message: "Not Found" }, false],
  [500, { code: 5, message: "Not Found" }, false],
])("HTTP %i with %j is a missing route: %s", (status, body, missing) => {
  expect(isRouteMissing(status, readErrorBody(JSON.stringify(body)))).toBe(missing);
});

test("words are cut where they are long, never inside a character", () => {
  expect(toShortLine(`${"x".repeat(298)}😀😀`)).toBe(`${"x".repeat(298)}…`);
  expect(toShortLine(" a\u0000\u2028b\t\n")).toBe("a b");
});
