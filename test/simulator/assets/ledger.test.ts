import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";

import type { NodeProfile } from "../../../src/simulator/node/node-profile.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { type Answered, NOON, simulated, type Simulated } from "../simulated.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

interface Asked {
  readonly node?: number;
  readonly start?: bigint;
  readonly end?: bigint;
  readonly party?: string;
  readonly asset?: string;
}

function exported({ ask, simulator }: Simulated, asked: Asked = {}): Promise<Answered> {
  const { partyId, assetId } = simulator.samples.mainnet;
  const query = new URLSearchParams({ partyId: asked.party ?? partyId, assetId: asked.asset ?? assetId });
  if (asked.start !== undefined) query.set("dateRange.startTimestamp", String(asked.start));
  if (asked.end !== undefined) query.set("dateRange.endTimestamp", String(asked.end));
  return ask(`/api/v2/ledgerentry/export?${query.toString()}`, { node: asked.node ?? 1 });
}

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true });

/** The file freed from its messages, whatever stands between them. */
function unframed(text: string): { csv: string; messages: { result: Record<string, unknown> }[] } {
  const messages = `[${text.trim().replaceAll(/\}\s*\{/gu, "},{")}]`;
  const parsed = JSON.parse(messages) as { result: Record<string, unknown> }[];
  const bytes = parsed.map((message) => Buffer.from(String(message.result["data"]), "base64"));
  return { csv: Buffer.concat(bytes).toString("utf8"), messages: parsed };
}

/** Postgres text to nanoseconds. */
function timeOf(row: Record<string, string>): bigint {
  const [, second = "", fraction = ""] = /^([\d-]+ [\d:]+)(?:\.(\d+))?\+00$/u.exec(row["vega_time"] ?? "") ?? [];
  return BigInt(Date.parse(`${second.replace(" ", "T")}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0") || "0");
}

describe("columns", () => {
  test("13 of them: plain hex, names, an effect with its sign", async () => {
    const world = await simulated();
    const { partyId, assetId } = world.simulator.samples.mainnet;
    const rows = rowsOf((await exported(world)).text);
    expect(rows.length).toBeGreaterThan(4000);
    for (const row of rows) {
      expect(Object.keys(row)).toHaveLength(13);
      const sent = row["account_from_party_id"] === partyId;
      expect(row["asset_id"]).toBe(assetId);
      expect(sent ? row["account_to_party_id"] : row["account_from_party_id"]).toMatch(/^(network|[\da-f]{64})$/u);
      expect(row["effect"]).toBe(sent ? `-${row["quantity"]}` : row["quantity"]);
      expect(row["transfer_type"]).toMatch(/^TRANSFER_TYPE_/u);
      expect(row["account_from_account_type"]).toMatch(/^ACCOUNT_TYPE_/u);
    }
    expect(rows.some((row) => row["account_to_party_id"] === partyId)).toBe(true);
    expect(rows.some((row) => BigInt(row["quantity"] ?? 0) > 2n ** 63n)).toBe(true);
    expect(rows.map(timeOf)).toEqual(rows.map(timeOf).toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test("12 of them: \\x before hex, numbers for kinds, only what was sent, in no order", async () => {
    const world = await simulated();
    const { partyId, assetId } = world.simulator.samples.mainnet;
    const rows = rowsOf((await exported(world, { node: 3 })).text);
    expect(rows.length).toBeGreaterThan(4000);
    for (const row of rows) {
      expect(Object.keys(row)).toHaveLength(12);
      expect(row["asset_id"]).toBe(`\\x${assetId}`);
      expect(row["account_from_party_id"]).toBe(`\\x${partyId}`);
      expect(row["account_to_party_id"]).toBe("\\x03");
      expect(row["account_from_market_id"]).toMatch(/^\\x([\da-f]{64})?$/u);
      expect(row["account_from_account_type"]).toMatch(/^\d+$/u);
    }
    expect(rows.map(timeOf)).not.toEqual(rows.map(timeOf).toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test("a column that no release has, with text beyond ASCII that chunks may cut", async () => {
    const world = await simulated({ nodes: [{ extraColumn: true }] });
    const rows = rowsOf((await exported(world)).text);
    expect(rows.every((row) => /^Zürich "\d+" 💱$/u.test(row["later_column"] ?? ""))).toBe(true);
  });
});

describe("framing", () => {
  test("raw: named as a file, sent in chunks", async () => {
    const world = await simulated();
    const { partyId, assetId } = world.simulator.samples.mainnet;
    const { headers } = await exported(world);
    expect(headers.get("content-type")).toBe("text/csv");
    expect(headers.get("content-disposition")).toBe(`attachment;filename=${partyId}-${assetId}.csv`);
    expect(headers.get("transfer-encoding")).toBe("chunked");
    expect(headers.get("content-length")).toBeNull();
  });

  test.each([
    ["messages", "\n"],
    ["messages-concatenated", ""],
  ] as const)("%s: the same file in JSON messages", async (framing, between) => {
    const world = await simulated({ nodes: [{ extraColumn: true }, { framing, extraColumn: true }] });
    const [raw, framed] = [await exported(world), await exported(world, { node: 2 })];
    const { csv, messages } = unframed(framed.text);
    expect(csv).toBe(raw.text);
    expect(framed.headers.get("content-type")).toBe("application/json");
    expect(framed.text.split("}{").length === 1).toBe(between === "\n");
    expect(messages.map((message) => message.result["contentType"])).toEqual(messages.map(() => "text/csv"));
    expect(messages.map((message) => (message.result["extensions"] as unknown[]).length > 0)).toEqual(
      messages.map((_, index) => index === 0),
    );
    const ends = messages.map((message) => Buffer.from(String(message.result["data"]), "base64").toString("latin1"));
    expect(ends.some((end) => !end.endsWith("\n"))).toBe(true);
  });
});

describe("the range", () => {
  test("has its start and not its end, cut to whole seconds", async () => {
    const world = await simulated();
    const all = rowsOf((await exported(world)).text).map(timeOf);
    const [first = 0n, last = 0n] = [all[100], all[200]];
    const between = async (start: bigint, end: bigint): Promise<bigint[]> =>
      rowsOf((await exported(world, { start, end })).text).map(timeOf);
    const second = (at: bigint): bigint => at - (at % SECOND);
    expect(await between(first + 999n, second(last) + SECOND)).toEqual(all.slice(100, 201));
    // The end's own second is not in it, however late in that second it is.
    expect(await between(second(first), second(last) + SECOND - 1n)).toEqual(all.slice(100, 200));
    expect(await between(second(first) + SECOND, second(last))).toEqual(all.slice(101, 200));
    expect(await between(last, first)).toEqual([]);
  });

  test("begins at the retention of 180 days, and ends now", async () => {
    const world = await simulated();
    const times = rowsOf((await exported(world, { start: 0n, end: NOON + 900n * DAY })).text).map(timeOf);
    expect(times[0] ?? 0n).toBeGreaterThan(NOON - 180n * DAY - SECOND);
    expect(times[0] ?? 0n).toBeLessThan(NOON - 179n * DAY);
    expect(times.at(-1) ?? 0n).toBeLessThan(NOON);
    expect(times.at(-1) ?? 0n).toBeGreaterThan(NOON - DAY / 6n);
  });

  test.each([["party"], ["asset"]])("an unknown %s: the header alone", async (what) => {
    const world = await simulated();
    const { text } = await exported(world, { [what]: "ab".repeat(32) });
    expect(text.split("\n")).toHaveLength(2);
    expect(rowsOf(text)).toEqual([]);
  });

  test("incoming rows may ignore asset and range where a node does so", async () => {
    const world = await simulated({ nodes: [{ strayRows: true }] });
    const { assetId, partyId } = world.simulator.samples.mainnet;
    const start = NOON - 20n * DAY;
    const rows = rowsOf((await exported(world, { start })).text);
    const strays = rows.filter((row) => row["asset_id"] !== assetId || timeOf(row) < start);
    expect(strays.some((row) => row["asset_id"] !== assetId)).toBe(true);
    expect(strays.some((row) => timeOf(row) < start)).toBe(true);
    expect(strays.every((row) => row["account_to_party_id"] === partyId)).toBe(true);
    expect(strays.length).toBeLessThan(rows.length / 5);
  });
});

describe("size", () => {
  test.each([
    [1_000_000, "raw"],
    [3_000_000, "messages"],
  ] as const)("%i bytes as asked, %s", async (ledgerBytes, framing) => {
    const nodes: Partial<NodeProfile>[] = [{ ledgerBytes, framing }];
    const world = await simulated({ nodes });
    const start = nanoseconds(NOON - DAY);
    const { text } = await exported(world, { start });
    const csv = framing === "raw" ? text : unframed(text).csv;
    expect(csv.length).toBeGreaterThanOrEqual(ledgerBytes);
    expect(csv.length).toBeLessThan(ledgerBytes + 1000);
    const times = rowsOf(csv).map(timeOf);
    expect(times.every((time) => time >= start && time < NOON)).toBe(true);
  });

  test("a reader who leaves ends the stream of a gigabyte", async () => {
    const { simulator } = await simulated();
    const { heavyPartyId, assetId } = simulator.samples.mainnet;
    const stop = new AbortController();
    const path = `/api/v2/ledgerentry/export?partyId=${heavyPartyId}&assetId=${assetId}`;
    const response = await fetch(`${simulator.url}/mainnet/1${path}`, { signal: stop.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(value?.length).toBeGreaterThan(0);
    stop.abort();
    // Were it still streaming, closing would wait for it.
    await simulator.close();
  });
});

describe("an export that breaks off", () => {
  const broken = async (
    node: number,
    how: "drop" | "error",
    bytes?: number,
  ): Promise<{ text: string; ended: boolean }> => {
    const { simulator } = await simulated();
    const { partyId, assetId } = simulator.samples.mainnet;
    simulator.faults.set({ kind: "cut-export", how, ...(bytes === undefined ? {} : { bytes }) });
    const path = `/api/v2/ledgerentry/export?partyId=${partyId}&assetId=${assetId}`;
    const response = await fetch(`${simulator.url}/mainnet/${node}${path}`);
    expect(response.status).toBe(200);
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    } catch {
      return { text, ended: false };
    }
    return { text, ended: true };
  };

  test.each([1, 2, 3])("node %i: the connection drops", async (node) => {
    const { text, ended } = await broken(node, "drop", 3000);
    expect(ended).toBe(false);
    expect(text.length).toBeGreaterThan(2000);
    expect(text.length).toBeLessThan(6000);
  });

  test.each([1, 3])("node %i, raw: the error on the last line", async (node) => {
    const { text, ended } = await broken(node, "error", 3000);
    const last = text.split("\n").at(-1) ?? "";
    expect(ended).toBe(true);
    expect(JSON.parse(last)).toMatchObject({ error: { code: 13, message: "Internal error", details: [{}] } });
    expect(text.length - last.length).toBeLessThanOrEqual(3001);
  });

  test("node 2, messages: the error as the last message", async () => {
    const { text } = await broken(2, "error");
    const messages = text.trim().split("\n");
    expect(JSON.parse(messages.at(-1) ?? "")).toMatchObject({ error: { code: 13 } });
    expect(messages.length).toBeGreaterThan(2);
  });

  test("a short export breaks off at its end", async () => {
    const { text, ended } = await broken(1, "error", 1_000_000_000);
    expect(ended).toBe(true);
    expect(text.endsWith("]}}")).toBe(true);
  });
});
