import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { WireFailure } from "../../../src/simulator/gateway/gateway.ts";
import { CursorCodec, type Page, type PagedList, pageOf } from "../../../src/simulator/gateway/pages.ts";
import { SeededRandom } from "../../../src/simulator/seeded-random.ts";
import { pageIn, type PageOf, simulated } from "../simulated.ts";

interface Row {
  readonly block: number;
  readonly name: string;
}

const cursors = new CursorCodec(new SeededRandom("pages"), "sim-1");

function listOf(blocks: readonly number[]): PagedList<Row> {
  return {
    rows: blocks.toSorted((a, b) => a - b).map((block, index) => ({ block, name: `${block}#${index}` })),
    keyOf: (row) => String(row.block),
    compareKeys: (a, b) => Number(a) - Number(b),
    render: (row) => ({ ...row }),
  };
}

const names = (page: Page): unknown[] => page.edges.map((edge) => edge.node["name"]);

function ask(list: PagedList<Row>, query: Record<string, string | number | boolean>): Page {
  const params = Object.entries(query).map(([name, value]): [string, string] => [`pagination.${name}`, String(value)]);
  return pageOf(list, new URLSearchParams(params), cursors);
}

/** Every row of every page, as a reader meets them who follows the cursors. */
function walk(
  list: PagedList<Row>,
  direction: "forwards" | "backwards",
  size: number,
  newestFirst: boolean,
): unknown[] {
  const met: unknown[] = [];
  let page = ask(list, { [direction === "forwards" ? "first" : "last"]: size, newestFirst });
  for (let turns = 0; turns < 1000; turns++) {
    if (direction === "forwards") met.push(...names(page));
    else met.unshift(...names(page));
    const { hasNextPage, hasPreviousPage, endCursor, startCursor } = page.pageInfo;
    if (direction === "forwards" ? !hasNextPage : !hasPreviousPage) return met;
    page =
      direction === "forwards"
        ? ask(list, { first: size, after: endCursor, newestFirst })
        : ask(list, { last: size, before: startCursor, newestFirst });
  }
  throw new Error("the walk does not end");
}

/** The refusal of what is called, with the words a reader would be shown. */
function failureOf(call: () => unknown): unknown {
  try {
    return { answered: call() };
  } catch (failure) {
    if (!(failure instanceof WireFailure)) throw failure;
    const { httpStatus, body } = failure;
    return { httpStatus, body, words: body.details[0]?.["message"] ?? body.message };
  }
}

const sizes = fc.integer({ min: 1, max: 12 });

describe("walking the pages", () => {
  test("meets every row exactly once, in order, either way", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(10_000), { maxLength: 40 }),
        sizes,
        fc.boolean(),
        fc.constantFrom("forwards" as const, "backwards" as const),
        (blocks, size, newestFirst, direction) => {
          const list = listOf(blocks);
          const wanted = list.rows.map((row) => row.name);
          expect(walk(list, direction, size, newestFirst)).toEqual(newestFirst ? wanted.toReversed() : wanted);
        },
      ),
    );
  });

  test("meets rows that share a cursor at least once, as long as a page holds more rows than share it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { maxLength: 30 }), fc.boolean(), (blocks, newestFirst) => {
        const pairs = [...new Set(blocks)].flatMap((block) => [block, block]).slice(0, -1);
        const list = listOf(pairs);
        const met = walk(list, "forwards", 3, newestFirst);
        expect(new Set(met)).toEqual(new Set(list.rows.map((row) => row.name)));
      }),
    );
  });

  test("a row that has gone takes nothing with it: the page goes on behind its place", () => {
    const before = listOf([1, 2, 3, 4, 5]);
    const { endCursor } = ask(before, { first: 2, newestFirst: false }).pageInfo;
    const pruned = listOf([3, 4, 5]);
    expect(names(ask(pruned, { first: 2, after: endCursor, newestFirst: false }))).toEqual(["3#0", "4#1"]);
  });
});

describe("a page", () => {
  test("an empty one has no cursors", () => {
    expect(ask(listOf([]), { first: 5 })).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: "", endCursor: "" },
    });
  });

  test("behind the last row is empty, and says that something comes before", () => {
    const list = listOf([1, 2]);
    const { endCursor } = ask(list, { first: 5 }).pageInfo;
    expect(ask(list, { first: 5, after: endCursor }).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: "",
      endCursor: "",
    });
  });

  const many = listOf(Array.from({ length: 1500 }, (_, index) => index));
  test.each([
    [{}, 1000, 1499],
    [{ newestFirst: true }, 1500, 1499],
    [{ newestFirst: false }, 1500, 0],
    [{ first: 7, last: 3 }, 7, 1499],
    [{ last: 3 }, 3, 2],
    [{ last: 3, newestFirst: false }, 3, 1497],
    [{ first: 2_147_483_647 }, 1500, 1499],
  ])("%j has %i rows, beginning with %i", (query, count, first) => {
    const page = ask(many, query);
    expect([page.edges.length, page.edges[0]?.node["block"]]).toEqual([count, first]);
  });

  test.each([
    [{ first: 0 }, "first must be a positive integer"],
    [{ first: -1 }, "first must be a positive integer"],
    [{ last: 0 }, "last must be a positive integer"],
    [{ after: "YQ==", before: "Yg==" }, "cannot set both a before and after cursor"],
    [{ first: 1, after: "" }, "invalid cursor"],
    [{ first: 1, after: "YQ" }, "invalid cursor"],
    [{ first: 1, after: "YQ==" }, "invalid cursor"],
    [
      { first: "x" },
      'type mismatch, parameter: pagination.first, error: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      { first: "2147483648" },
      'type mismatch, parameter: pagination.first, error: strconv.ParseInt: parsing "2147483648": value out of range',
    ],
    [
      { newestFirst: "maybe" },
      'type mismatch, parameter: pagination.newestFirst, error: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
  ])("%j is refused: %s", (query, words) => {
    const refused = { httpStatus: 400, body: { code: 3 } };
    expect(failureOf(() => ask(many, query))).toMatchObject({ ...refused, words });
  });
});

describe("a cursor", () => {
  test("comes back as it went, and is nothing to another node", () => {
    const other = new CursorCodec(new SeededRandom("pages"), "sim-2");
    fc.assert(
      fc.property(fc.stringMatching(/^[\da-f:]{1,80}$/u), (key) => {
        const cursor = cursors.encode(key);
        expect(cursors.decode(cursor)).toBe(key);
        expect(cursor).toMatch(/^[\d+/A-Za-z]+=+$/u);
        expect(() => other.decode(cursor)).toThrow(WireFailure);
      }),
    );
    const all = Array.from({ length: 300 }, (_, index) => cursors.encode(String(9_000_000 + index * 7919))).join("");
    expect(all).toContain("+");
    expect(all).toContain("/");
  });
});

describe("on the wire", () => {
  const walkOver = async (path: string, node: number): Promise<{ rows: Record<string, string>[]; all: number }> => {
    const { ask: get } = await simulated();
    const rows: Record<string, string>[] = [];
    let after = "";
    for (;;) {
      const query = `pagination.first=150&pagination.newestFirst=false${after}`;
      const page: PageOf<Record<string, string>> = pageIn(await get(`${path}?${query}`, { node }));
      rows.push(...page.edges.map((edge) => edge.node));
      if (!page.pageInfo.hasNextPage) break;
      after = `&pagination.after=${encodeURIComponent(page.pageInfo.endCursor)}`;
    }
    const all = pageIn(await get(`${path}?pagination.newestFirst=true`, { node })).edges.length;
    return { rows, all };
  };

  const shares = (row: Record<string, string>, rows: Record<string, string>[]): boolean =>
    row["atBlock"] !== undefined &&
    new Set(rows.filter((one) => one["atBlock"] === row["atBlock"]).map((one) => one["hash"])).size > 1;

  test.each([
    ["/api/v2/snapshots", "blockHeight", 1],
    ["/api/v2/network/keys/ethereum/rotations", "blockHeight", 2],
    ["/api/v2/checkpoints", "hash", 3],
  ])("%s: all rows, each once", async (path, key, node) => {
    const { rows, all } = await walkOver(path, node);
    const listed = rows.map((row) => row[key]);
    expect(new Set(listed).size).toBe(all);
    // Two checkpoints of one block may be listed twice where a page ended between them; nothing else may.
    const twice = rows.filter((row, index) => rows.findIndex((one) => one[key] === row[key]) !== index);
    expect(twice.filter((row) => !shares(row, rows))).toEqual([]);
  });
});
