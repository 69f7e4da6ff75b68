import { describe, expect, test } from "vitest";

import type { Answer } from "../../../src/api/api-client.ts";
import { collectRows, type FetchPage, iterateRows, rowsNewerThan } from "../../../src/api/client/iterate-rows.ts";
import type { Page, PageRequest } from "../../../src/api/model/page.ts";
import { nanoseconds } from "../../../src/units/nanoseconds.ts";

/** A node's list of numbers, oldest 1; cursors are `c<number>`. */
function list(size: number, more: Partial<Page<number>> = {}): { asked: PageRequest[]; fetch: FetchPage<number> } {
  const asked: PageRequest[] = [];
  return {
    asked,
    fetch: async (request): Promise<Answer<Page<number>>> => {
      asked.push(request);
      const all = Array.from({ length: size }, (_, index) => index + 1);
      if (request.newestFirst !== false) all.reverse();
      const start = request.after === undefined ? 0 : all.indexOf(Number(request.after.slice(1))) + 1;
      const rows = all.slice(start, start + (request.first ?? 0)).map((node) => ({ cursor: `c${node}`, node }));
      return {
        value: {
          rows,
          startCursor: rows[0]?.cursor,
          endCursor: rows.at(-1)?.cursor,
          hasNextPage: start + rows.length < size,
          hasPreviousPage: start > 0,
          ...more,
        },
        asOf: { network: "mainnet", node: "n", receivedAt: nanoseconds(0n), simulated: false },
      };
    },
  };
}

describe("rows over pages", () => {
  test.each([
    ["all of them", 7, { maxRows: 100, pageRows: 3 }, [7, 6, 5, 4, 3, 2, 1], { complete: true, cursor: "c1" }, 3],
    ["up to the bound", 7, { maxRows: 5, pageRows: 3 }, [7, 6, 5, 4, 3], { complete: false, cursor: "c3" }, 2],
    [
      "just as many as the bound",
      6,
      { maxRows: 6, pageRows: 3 },
      [6, 5, 4, 3, 2, 1],
      { complete: true, cursor: "c1" },
      2,
    ],
    ["behind a cursor", 7, { maxRows: 9, after: "c4" }, [3, 2, 1], { complete: true, cursor: "c1" }, 1],
    ["oldest first", 4, { maxRows: 9, newestFirst: false }, [1, 2, 3, 4], { complete: true, cursor: "c4" }, 1],
    ["none", 0, { maxRows: 9, after: "c4" }, [], { complete: true, cursor: "c4" }, 1],
    ["none wanted", 7, { maxRows: 0 }, [], { complete: false, cursor: undefined }, 0],
  ])("%s", async (_name, size, options, rows, end, pages) => {
    const { asked, fetch } = list(size);
    const collected = await collectRows(iterateRows(fetch, options));
    expect(collected.rows.map((row) => row.node)).toEqual(rows);
    expect(collected.end).toEqual(end);
    expect(asked).toHaveLength(pages);
  });

  test("everything newer than a row comes oldest first; where there is nothing the cursor is kept", async () => {
    const { asked, fetch } = list(5);
    expect((await collectRows(rowsNewerThan(fetch, "c3", { maxRows: 10 }))).rows.map((row) => row.node)).toEqual([
      4, 5,
    ]);
    expect(asked[0]).toEqual({ first: 10, newestFirst: false, after: "c3" });
    expect(await collectRows(rowsNewerThan(fetch, "c5", { maxRows: 10 }))).toEqual({
      rows: [],
      end: { complete: true, cursor: "c5" },
    });
  });

  test("a node that promises more without a way to it is asked once", async () => {
    const { asked, fetch } = list(0, { hasNextPage: true });
    expect((await collectRows(iterateRows(fetch, { maxRows: 10 }))).end.complete).toBe(false);
    expect(asked).toHaveLength(1);
  });

  test("a caller who leaves stops it", async () => {
    const { asked, fetch } = list(100);
    const leaver = new AbortController();
    const seen: number[] = [];
    await expect(async () => {
      for await (const row of iterateRows(fetch, { maxRows: 100, pageRows: 2, signal: leaver.signal })) {
        seen.push(row.node);
        if (seen.length === 3) leaver.abort(new Error("left"));
      }
    }).rejects.toThrow("left");
    expect([seen.length, asked.length]).toEqual([4, 2]);
  });
});
