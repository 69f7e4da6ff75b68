import { describe, expect, test } from "vitest";

import { pageQuery, type PageRequest } from "../../../src/api/model/page.ts";
import { UserError } from "../../../src/errors.ts";

describe("a page's parameters", () => {
  test.each<[PageRequest, string]>([
    [{}, "pagination.first=50"],
    [{ newestFirst: true }, "pagination.first=50&pagination.newestFirst=true"],
    [{ first: 3, after: "+/=" }, "pagination.first=3&pagination.after=%2B%2F%3D"],
    [{ after: "abc" }, "pagination.first=50&pagination.after=abc"],
    [
      { last: 2, before: "a b", newestFirst: false },
      "pagination.last=2&pagination.before=a+b&pagination.newestFirst=false",
    ],
    [{ before: "abc" }, "pagination.last=50&pagination.before=abc"],
    [{ first: 1, after: "" }, "pagination.first=1"],
  ])("%j is sent as %s", (request, query) => {
    expect(pageQuery(request).toString()).toBe(query);
  });

  test.each<[PageRequest, string]>([
    [{ first: 0 }, "first"],
    [{ first: -1 }, "first"],
    [{ first: 1.5 }, "first"],
    [{ first: 2 ** 31 }, "first"],
    [{ last: 0 }, "last"],
    [{ first: 1, last: 1 }, "last"],
    [{ after: "a", before: "b" }, "before"],
    [{ last: 1, after: "a" }, "after"],
    [{ first: 1, before: "a" }, "before"],
  ])("%j is refused at %s", (request, option) => {
    expect(() => pageQuery(request)).toThrow(UserError);
    expect(() => pageQuery(request)).toThrow(expect.objectContaining({ option }));
  });
});
