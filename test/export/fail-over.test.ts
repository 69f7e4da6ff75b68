import type { RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import type { ApiError } from "../../src/api/api-error.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import type { ClientLimits } from "../../src/api/limits.ts";
import { withExportProgress } from "../../src/export/jobs/failure.ts";
import { silentLog } from "../../src/log.ts";
import { exportFolder, failureOf, request } from "./an-export.ts";
import { COLUMNS_13, csv, PARTY, row } from "./ledger-csv.ts";
import { ledgerNode } from "./ledger-node.ts";

// Whatever one of two nodes does, the export is whole, and has nothing of what that node sent.

const folder = exportFolder();

const LEDGER = csv(COLUMNS_13, [row(), row({ quantity: "7" })]);
const ERROR = '{"error":{"code":13,"message":"Internal error","details":[{"message":"too slow"}]}}';
const OTHER = csv(COLUMNS_13, [row({ quantity: "1" })]);

const part = (into: ServerResponse): void => void into.writeHead(200, { "Content-Type": "text/csv" }).write(OTHER);

/** What the first node does, and words of the reason that is told. */
const FAILURES: readonly (readonly [string, (into: ServerResponse) => void, RegExp])[] = [
  [
    "answers 500",
    (into) => void into.writeHead(500).end(JSON.stringify({ code: 13, message: "Internal" })),
    /HTTP 500/u,
  ],
  ["answers 503 without a word", (into) => void into.writeHead(503).end(), /HTTP 503/u],
  ["sends the envelope of an error", (into) => void into.end(ERROR), /too slow/u],
  ["appends an error to its rows", (into) => (part(into), void into.end(ERROR)), /broke the export off/u],
  [
    "drops the connection in the middle",
    (into) => (part(into), void setTimeout(() => into.destroy(), 20)),
    /broke off/u,
  ],
  ["drops the connection at once", (into) => void into.destroy(), /./u],
  ["hangs before its headers", () => undefined, /sent nothing/u],
  ["hangs in the middle", part, /sent nothing/u],
  ["ends within a row", (into) => void into.end(OTHER.slice(0, -3)), /middle of a row/u],
  ["sends rows that cannot be read", (into) => void into.end(`${OTHER}1,2\n`), /cannot be read: row 2/u],
  ["sends a bare quote", (into) => void into.end(`${OTHER.trimEnd()}"\n`), /row 1 has a bare quote in column 13/u],
  ["sends a page to sign in", (into) => void into.end("<html><title>Sign in</title></html>\n"), /web page/u],
];

async function twoNodes(first: RequestListener, second: RequestListener, limits: Partial<ClientLimits> = {}) {
  const [a, b] = [await ledgerNode(first), await ledgerNode(second)];
  const api = createApiClient({
    network: "testnet",
    nodes: [a, b].map(({ name }, index) => ({ url: `http://${name}`, ledgerDays: [30, 400][index]! })),
    simulated: false,
    log: silentLog(),
    limits: { exportPauseMillis: 0, idleMillis: 700, ...limits },
  });
  return {
    api,
    names: [a.name, b.name],
    async [Symbol.asyncDispose]() {
      await api.close();
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
    },
  };
}

describe("an export of which the first of two nodes", () => {
  test.each(FAILURES.flatMap((one) => [[...one, true] as const, [...one, false] as const]))(
    "$0 is whole, and tells of both (raw $3)",
    async (_name, fail, why, raw) => {
      const asked = [0, 0];
      await using nodes = await twoNodes(
        (_request, into) => ((asked[0]! += 1), fail(into)),
        (_request, into) => ((asked[1]! += 1), void into.end(LEDGER)),
      );
      const exports = folder.exports({ reasonMillis: 0 });
      const { attachment, account, asOf } = await exports.export(nodes.api, request({ raw }));
      const bytes = (await buffer(attachment.open())).toString();
      await attachment.dispose();
      expect(raw ? bytes : bytes.split("\n").length).toEqual(raw ? LEDGER : 4);
      expect(asOf.node).toBe(nodes.names[1]);
      expect(account.rows).toBe(2);
      expect(account.failed).toEqual([{ node: nodes.names[0], why: expect.stringMatching(why) as string }]);
      // Of the node that gave it.
      expect(Number(account.partial?.from)).toBeLessThan((Date.now() - 300 * 86_400_000) * 1e6);
      expect(nodes.api.nodes[0]?.health).toMatchObject({ circuitOpen: true });
      expect(asked).toEqual([1, 1]);
      expect(await folder.leftOver()).toEqual([]);
    },
  );

  test.each([
    ["a page to sign in", Buffer.from(" <!DOCTYPE html>\n<html><title>Sign in</title></html>"), "web page"],
    ["a ledger in UTF-16", Buffer.from(`\uFEFF${LEDGER}`, "utf16le"), "UTF-16"],
    ["a ledger in UTF-16 without a mark", Buffer.from(LEDGER, "utf16le").swap16(), "UTF-16"],
    ["compressed bytes", gzipSync(LEDGER), "gzip"],
    ["null", Buffer.from("null"), "the word null"],
    ["null in a line", Buffer.from("null\n"), "the word null"],
    ["an empty list", Buffer.from("[]"), "[]"],
  ])(
    "sends %s, as the other does: its cause has a sentence of its own, and nobody is to ask again",
    async (_name, body, why) => {
      for (const data of [body, JSON.stringify({ result: { data: body.toString("base64") } })]) {
        for (const raw of [true, false]) {
          await using nodes = await twoNodes(
            (_request, into) => void into.end(data),
            (_request, into) => void into.write(data.slice(0, 1), () => into.end(data.slice(1))),
          );
          const thrown = await failureOf(folder.exports({ reasonMillis: 0 }).export(nodes.api, request({ raw })));
          const told = withExportProgress(thrown, { bytes: 0, rows: 0 }) as ApiError;
          expect(told.tried.map((one) => one.why)).toEqual(
            nodes.names.map(() => expect.stringContaining(why) as string),
          );
          expect(told.message).toContain(why);
          expect(told.message).not.toMatch(/again/iu);
        }
      }
    },
  );

  test("fails may be left while the other one is asked", async () => {
    const leaving = new AbortController();
    await using nodes = await twoNodes(
      (_request, into) => (part(into), void into.end(ERROR)),
      () => leaving.abort(new Error("changed my mind")),
    );
    const thrown = await failureOf(folder.exports().export(nodes.api, request({ signal: leaving.signal })));
    expect(thrown).toMatchObject({ message: "changed my mind" });
    expect(await folder.leftOver()).toEqual([]);
  });

  test("fails, and then the other: each is asked once, and both are named", async () => {
    const asked = [0, 0];
    await using nodes = await twoNodes(
      (_request, into) => ((asked[0]! += 1), part(into), void into.end(ERROR)),
      (_request, into) => ((asked[1]! += 1), void into.writeHead(500).end()),
    );
    const thrown = await failureOf(folder.exports().export(nodes.api, request()));
    expect(thrown).toMatchObject({ kind: "cut", tried: nodes.names.map((node) => expect.objectContaining({ node })) });
    expect(asked).toEqual([1, 1]);
    expect(await folder.leftOver()).toEqual([]);
  });

  test("sent only what the party sent: a node that failed is not asked again for more", async () => {
    let asked = 0;
    await using nodes = await twoNodes(
      (_request, into) => ((asked += 1), void into.writeHead(500).end()),
      (_request, into) =>
        void into.end(
          csv(
            COLUMNS_13.filter((name) => name !== "effect"),
            [row({ account_from_party_id: PARTY })],
          ),
        ),
    );
    const { attachment } = await folder.exports().export(nodes.api, request());
    await attachment.dispose();
    expect(asked).toBe(1);
  });
});
