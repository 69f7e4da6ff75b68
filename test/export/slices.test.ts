import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { createApiClient } from "../../src/api/client/client.ts";
import type { LedgerAccount } from "../../src/export/ledger-account.ts";
import { slicesOf } from "../../src/export/slices.ts";
import { silentLog } from "../../src/log.ts";
import { formatUtc, fromMillis, nanoseconds } from "../../src/units/time.ts";
import { exportFolder, failureOf, request } from "./an-export.ts";
import { ASSET, COLUMNS_12, COLUMNS_13, csv, PARTY, row, type Row } from "./ledger-csv.ts";
import { ledgerNode } from "./ledger-node.ts";

const folder = exportFolder();

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const at = (days: number, more = ""): string => `${formatUtc(fromMillis(START + days * DAY)).slice(0, 19)}${more}+00`;
const query = {
  partyId: PARTY,
  assetId: ASSET,
  // Not a whole second.
  from: nanoseconds(fromMillis(START) + 1n),
  to: fromMillis(START + 10 * DAY),
};
/** Entries at both ends, at each boundary of slices of 3 days, around it, and between. */
const ROWS: readonly Row[] = [0, 1, 3, 3, 4.5, 6, 8, 9, 10].flatMap((days, index) => [
  entry(days, "", index, "1"),
  entry(days, ".000001", index, "2"),
  entry(days - 0.00001, ".9", index, "3"),
]);

function entry(days: number, more: string, index: number, digit: string): Row {
  const sides = index % 3 === 0 ? { account_from_party_id: "network", account_to_party_id: PARTY } : {};
  const transfer_type = `TRANSFER_TYPE_${index % 2 === 0 ? "WIN" : "LOSS"}`;
  return row({ vega_time: at(days, more), quantity: `${index + 1}${digit}`, transfer_type, ...sides });
}

const unixOf = (time: string): number => Date.parse(`${time.slice(0, 19).replace(" ", "T")}Z`) / 1000;

/** A node that cuts a range to whole seconds, and sends the rows of it. */
function serve(end: "inclusive" | "exclusive", columns = COLUMNS_13, asked: string[] = []): RequestListener {
  return ({ url = "" }, into) => {
    const { searchParams } = new URL(url, "http://node");
    const [from, to] = ["start", "end"].map((name) =>
      Math.floor(Number(searchParams.get(`dateRange.${name}Timestamp`) ?? 0) / 1e9),
    ) as [number, number];
    asked.push(`${from}-${to}`);
    const isIn = ({ vega_time: time = "" }: Row): boolean =>
      unixOf(time) >= from && (unixOf(time) < to || (end === "inclusive" && unixOf(time) === to));
    into.end(
      csv(
        columns,
        ROWS.filter(isIn).map((each) => ({ ...each, later: "x" })),
      ),
    );
  };
}

async function clientFor(listeners: readonly RequestListener[]) {
  const nodes = await Promise.all(listeners.map((listener) => ledgerNode(listener)));
  const api = createApiClient({
    network: "testnet",
    nodes: nodes.map(({ name }) => ({ url: `http://${name}`, ledgerDays: Infinity })),
    simulated: false,
    log: silentLog(),
    limits: { exportPauseMillis: 0, burst: 1000 },
  });
  return {
    api,
    names: nodes.map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await api.close();
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}

describe("the slices of a range", () => {
  test("follow each other without a gap, from whole second to whole second", () => {
    const slices = slicesOf(query, 3 * DAY, fromMillis(START));
    expect(slices.map(({ from }) => from)).toEqual([
      query.from,
      ...[3, 6, 9].map((day) => fromMillis(START + day * DAY)),
    ]);
    expect(slices.map(({ to }) => to)).toEqual([...slices.slice(1).map(({ from }) => from), query.to]);
  });

  test.each([
    ["no longer than a slice", { ...query, from: fromMillis(START) }, 10 * DAY, 1],
    ["a little longer", { ...query, from: fromMillis(START - 1000) }, 10 * DAY, 2],
    ["without a start: as long as a node usually keeps", { ...query, from: undefined }, 31 * DAY, 6],
    ["of any length, where there is no slice", { ...query, from: undefined }, Infinity, 1],
  ])("%s", (_name, { from, ...rest }, slice, count) => {
    const slices = slicesOf({ ...rest, ...(from === undefined ? {} : { from }) }, slice, fromMillis(START));
    expect(slices).toHaveLength(count);
    expect([slices[0]?.from, slices.at(-1)?.to]).toEqual([from, query.to]);
  });
});

describe("an export in slices", () => {
  test.each([
    ["inclusive", undefined],
    ["exclusive", undefined],
    ["inclusive", ["amount", "vega_time", "effect"]],
  ] as const)(
    "of a node whose end is %s has the rows, sums and balances of the whole (columns %s)",
    async (end, columns) => {
      await using node = await clientFor([serve(end)]);
      const asked = request({
        query,
        unit: { symbol: "USDT", decimals: 2 },
        ...(columns === undefined ? {} : { columns }),
      });
      const exported = async (
        sliceMillis?: number,
      ): Promise<{ text: string; account: LedgerAccount; name: string }> => {
        const config = sliceMillis === undefined ? {} : { sliceMillis };
        const { attachment, account } = await folder.exports(config).export(node.api, asked);
        const text = (await buffer(attachment.open())).toString();
        await attachment.dispose();
        return { text, account, name: attachment.name };
      };
      const whole = await exported();
      const sliced = await exported(3 * DAY);
      // The start is a nanosecond later than the first row, and the end is no part of the range.
      expect(whole.account.rows).toBe(ROWS.length - 4);
      expect(sliced.text).toBe(whole.text);
      expect(sliced.name).toBe(whole.name);
      // Only the rows that a node sent unasked are more where it counts the end.
      expect({ ...sliced.account, dropped: 0 }).toEqual({ ...whole.account, dropped: 0 });
      expect(await folder.leftOver()).toEqual([]);
    },
  );

  test("goes to another node where one fails, names both, and prefers the one that did not from then on", async () => {
    let asked = 0;
    const good = serve("exclusive");
    await using nodes = await clientFor([
      (given, into) => {
        asked += 1;
        if (asked === 1) good(given, into);
        else into.writeHead(500).end();
      },
      good,
    ]);
    const turns: number[] = [];
    const { attachment, account } = await folder
      .exports({ sliceMillis: 3 * DAY })
      .export(nodes.api, request({ query, nextTurn: async () => void turns.push(asked) }));
    await attachment.dispose();
    expect(account).toMatchObject({ rows: ROWS.length - 4, nodes: nodes.names });
    expect(account.failed).toEqual([{ node: nodes.names[0], why: expect.stringContaining("500") as string }]);
    expect([asked, turns.length]).toEqual([2, 3]);
    expect(await folder.leftOver()).toEqual([]);
  });

  test("of nodes of two releases has the columns of both, and is labelled where one tells outgoing entries alone", async () => {
    const asked: string[] = [];
    const newer = serve("exclusive", [...COLUMNS_13, "later"], asked);
    const older = serve("exclusive", COLUMNS_12, asked);
    await using node = await clientFor([
      (given, into) => (asked.length % 2 === 0 ? newer(given, into) : older(given, into)),
    ]);
    const file = await folder.exports({ sliceMillis: 3 * DAY }).export(node.api, request({ query }));
    expect(file.columns).toEqual([...COLUMNS_13, "amount"]);
    expect(file.account).toMatchObject({ rows: ROWS.length - 4, outgoingOnly: true });
    expect(file.account.flows?.total.in).toBeUndefined();
    expect(file.attachment.name).toContain("OUTGOING-ONLY");
    await file.attachment.dispose();
    expect(await folder.leftOver()).toEqual([]);
  });

  test("raw is one export", async () => {
    const asked: string[] = [];
    await using node = await clientFor([serve("exclusive", COLUMNS_13, asked)]);
    const file = await folder.exports({ sliceMillis: 3 * DAY }).export(node.api, request({ query, raw: true }));
    await file.attachment.dispose();
    expect(asked).toHaveLength(1);
  });

  test("leaves nothing where one of them fails, is stopped in between, or has no such column", async () => {
    let asked = 0;
    const good = serve("exclusive");
    await using node = await clientFor([
      (given, into) => ((asked += 1) === 3 ? void into.writeHead(500).end() : good(given, into)),
    ]);
    const exports = folder.exports({ sliceMillis: 3 * DAY });
    expect(await failureOf(exports.export(node.api, request({ query })))).toMatchObject({ kind: "server" });
    const leaving = new Error("stopped");
    const stopped = exports.export(node.api, request({ query, nextTurn: () => Promise.reject(leaving) }));
    expect(await failureOf(stopped)).toBe(leaving);
    asked = 10;
    const unknown = await failureOf(exports.export(node.api, request({ query, columns: ["colour"] })));
    expect(unknown).toMatchObject({ name: "UserError", option: "columns" });
    expect(asked).toBe(11);
    expect(await folder.leftOver()).toEqual([]);
  });
});
