import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";

import { formatUtc, nanoseconds } from "../../src/units/nanoseconds.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";
import { ASSET, COLUMNS_13, csv, PARTY, row } from "../export/ledger-csv.ts";
import { rawNode } from "../support/raw-node.ts";
import { saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

test("a ledger comes as a file, with the exact range, rows, span and SHA-256", async () => {
  const conversation = await talkToSimulator();
  const { partyId, assetSymbol } = conversation.samples;
  const screen = await conversation.ask(`ledger export ${partyId} ${assetSymbol} from:2026-01-01 to:2026-01-14`);
  expect(screen.replaceAll(/\s+/gu, " ")).toMatch(
    saying("✓", "2026-01-01", "00:00:00", "UTC", "2026-01-15", "00:00:00", "UTC"),
  );
  const [file] = conversation.lastReply.attachments;
  const bytes = await buffer(file!.open());
  // Once, though the file is listed below what is said of it.
  expect(screen.split(createHash("sha256").update(bytes).digest("hex"))).toHaveLength(2);
  expect(screen.split(`${bytes.length.toLocaleString("en-US")} bytes`)).toHaveLength(2);
  const rows = parse<Record<string, string>>(bytes, { columns: true });
  expect(screen).toMatch(saying(rows.length.toLocaleString("en-US")));
  expect(rows.length).toBeGreaterThan(0);
  const times = rows.map((row) => row["vega_time"]!);
  expect(times.every((time) => time >= "2026-01-01" && time < "2026-01-15")).toBe(true);
  expect(file!.name).toMatch(/^ledger-[0-9a-f]{8}-USDT-2026-01-01-through-2026-01-14\.csv$/u);
  expect(conversation.progress.length).toBeGreaterThan(0);
  expect(conversation.progress[0]).toMatch(saying("•", "USDT", "2026-01-01 00:00:00 UTC", "2026-01-15 00:00:00 UTC"));
});

test("a file whose end nothing proves says so in its name, its title and its tone", async () => {
  const ledger = csv(COLUMNS_13, [row(), row()]);
  await using node = await rawNode((head, socket) => {
    const isExport = head.startsWith("GET /api/v2/ledgerentry/export");
    socket.end(isExport ? `HTTP/1.0 200 OK\r\n\r\n${ledger}` : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  });
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  for (const raw of ["yes", "no"]) {
    const screen = await conversation.ask(`ledger export ${PARTY} ${ASSET} from:2023-01-01 raw:${raw}`);
    const { tone, attachments } = conversation.lastReply;
    expect(screen.split("\n")[0]).toContain("2 rows, END NOT CONFIRMED");
    expect([tone, attachments[0]!.name]).toEqual([
      "warning",
      expect.stringMatching(/^END-NOT-CONFIRMED-ledger-.*csv$/u),
    ]);
    expect((await buffer(attachments[0]!.open())).toString()).toBe(ledger);
  }
});

test("columns are chosen by name; an unknown one is refused", async () => {
  const { ask, askFor, samples } = await talkToSimulator();
  const line = `ledger export ${samples.partyId} USDT from:1d`;
  const { attachments } = await askFor(`${line} columns:quantity,vega_time`);
  expect((await buffer(attachments[0]!.open())).toString()).toMatch(/^quantity,vega_time\r?\n/u);
  expect(await ask(`${line} columns:quantity,colour`)).toContain("colour");
  expect(await ask(`${line} columns:quantity,quantity`)).toMatch(saying("!", "columns", "quantity"));
  expect(await ask(`${line} columns:quantity raw:yes`)).toMatch(saying("!", "columns", "raw"));
});

test("without an end the range ends now, and the node is asked for just that", async () => {
  const header = "vega_time,quantity,transfer_type,asset_id,account_from_party_id,account_to_party_id\n";
  const [party, asset] = ["ab".repeat(32), "cd".repeat(32)];
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export")
      ? {
          headers: { "Content-Type": "text/csv" },
          body: `${header}2026-01-14 00:00:00+00,1,T,${asset},${party},${party}\n`,
        }
      : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = (await conversation.ask(`ledger export ${party} ${asset} from:7d`)).replaceAll(/\s+/gu, " ");
  const { query } = node.requests.find(({ path }) => path.endsWith("/ledgerentry/export"))!;
  const end = formatUtc(nanoseconds(BigInt(query["dateRange.endTimestamp"]!)));
  expect(screen).toMatch(saying("✓", end));
  expect(conversation.lastReply.attachments[0]!.name).toContain(
    `-until-${end.slice(0, 19).replace(" ", "T").replaceAll(":", "")}Z`,
  );
});

test("the file's amounts are said to be raw, with what they are worth where that is known", async () => {
  const { ask, samples } = await start();
  const line = `ledger export ${samples.partyId} USDT from:1d`;
  const words = async (typed: string): Promise<string> => (await ask(typed)).replaceAll(/\s+/gu, " ");
  expect(await words(line)).toMatch(saying("✓", "raw", "1,000,000", 1, "USDT"));
  expect(await words(`${line} columns:quantity`)).toContain("1 USDT (quantity)");
  expect(await words(`${line} columns:vega_time`)).not.toContain("Amounts");
});

test("raw returns the node's bytes", async () => {
  const { askFor, ask, samples } = await talkToSimulator();
  const { attachments } = await askFor(`ledger export ${samples.partyId} USDT from:1d raw`);
  expect(attachments[0]!.name).toMatch(/-raw\.csv$/u);
  const bytes = await buffer(attachments[0]!.open());
  const rows = bytes.toString().trimEnd().split("\n").length - 1;
  const sum = createHash("sha256").update(bytes).digest("hex");
  expect(await ask(`ledger export ${samples.partyId} USDT from:1d raw`)).toMatch(saying("✓", "USDT", rows, sum, "raw"));
});

test("an asset in the party's place is distinguished from an unknown party", async () => {
  const conversation = await talkToSimulator();
  const { ask, samples } = conversation;
  const lastSuggestion = (): string =>
    conversation.lastReply.blocks.flatMap((block) => (block.kind === "code" ? [block.text] : [])).join("\n");
  await ask(`my party ${samples.partyId} treasury`);
  expect(await ask("ledger export usdt 3d")).toMatch(saying("!", "USDT"));
  expect(lastSuggestion()).toBe("ledger export asset:USDT from:3d");
  expect(await ask(lastSuggestion())).toContain(samples.partyId);
  await ask("ledger export usdt USDC");
  expect(lastSuggestion()).toBe("ledger export asset:USDT from:7d");
  expect(await ask("ledger export nobody 3d")).toMatch(saying("!", "mainnet"));
});

test("a start before what nodes keep is warned about", async () => {
  const { ask, samples } = await talkToSimulator();
  const all = await ask(`ledger export ${samples.partyId} USDT`);
  expect(all).toMatch(saying("✓", "USDT", "2026-01-15 12:00:00 UTC"));
  const warned = await ask(`ledger export ${samples.partyId} USDT from:2024-01-01`);
  const older = warned.split("\n").filter((line) => /\b[Oo]lder\b/u.test(line));
  expect(older).toHaveLength(1);
  expect(await ask(`ledger export ${samples.partyId} USDT from:7d`)).not.toContain(older[0]);
});

test.each([
  ["from:2026-01-10 to:2026-01-05", saying("from:2026-01-05", "to:2026-01-10")],
  ["from:2027-01-01", saying("2027-01-01")],
  ["to:2027-01-01", saying("to")],
  ["from:7d to:7d", /^!/u],
  ["from:01/05/2026", /^!/u],
  ["from:31-31", saying("from")],
])("%s is met with one clear sentence", async (range, said) => {
  const { ask, samples, lastFailure } = await start();
  expect(await ask(`ledger export ${samples.partyId} USDT ${range}`)).toMatch(said);
  expect(lastFailure()).toBe("caller");
});

test("an export that breaks off is no file, and names the node", async () => {
  const { ask, samples, simulator, lastFailure, lastFiles } = await start();
  for (const how of ["drop", "error"] as const) {
    simulator.faults.set({ kind: "cut-export", network: "mainnet", how, bytes: 2000 });
    expect(await ask(`ledger export ${samples.partyId} USDT from:7d`)).toContain("sim-1");
    expect(lastFailure()).toBe("network");
    expect(lastFiles()).toEqual([]);
  }
});

test("one row has a moment, and no span of 0 ms", async () => {
  const [party, asset] = ["ab".repeat(32), "cd".repeat(32)];
  const header = "vega_time,quantity,transfer_type,asset_id,account_from_party_id,account_to_party_id\n";
  const row = `2026-01-09T10:00:00Z,5,TRANSFER_TYPE_DEPOSIT,${asset},${party},${party}\n`;
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export")
      ? { headers: { "Content-Type": "text/csv" }, body: `${header}${row}` }
      : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`ledger export ${party} ${asset} from:2026-01-01 to:2026-01-10`);
  expect(screen).toMatch(saying("2026-01-09", "10:00:00", "UTC"));
});

test("a span is shown to the second", async () => {
  const [party, asset] = ["ab".repeat(32), "cd".repeat(32)];
  const header = "vega_time,quantity,transfer_type,asset_id,account_from_party_id,account_to_party_id\n";
  const rows = ["2026-01-02T00:00:00Z", "2026-01-08T23:59:55Z"].map((at) => `${at},5,x,${asset},${party},${party}\n`);
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export")
      ? { headers: { "Content-Type": "text/csv" }, body: `${header}${rows.join("")}` }
      : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`ledger export ${party} ${asset} from:2026-01-01 to:2026-01-10`);
  expect(screen).toContain("(6 d 23 h 59 min 55 s)");
});

test("an empty export says so; the node is asked in whole seconds, never with an end alone", async () => {
  const party = "ab".repeat(32);
  const asset = "cd".repeat(32);
  const header = "vega_time,quantity,transfer_type,asset_id,account_from_party_id,account_to_party_id\n";
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export") ? { headers: { "Content-Type": "text/csv" }, body: header } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`ledger export ${party} ${asset} to:2026-01-10`);
  expect(screen).toMatch(saying("•", 0, "2026-01-11 00:00:00 UTC"));
  const asked = node.requests.find(({ path }) => path.endsWith("/ledgerentry/export"))!.query;
  expect(asked).toEqual({
    partyId: party,
    assetId: asset,
    "dateRange.startTimestamp": "0",
    "dateRange.endTimestamp": `${Date.UTC(2026, 0, 11)}000000`,
  });
});

async function start() {
  const conversation = await talkToSimulator();
  return {
    ask: conversation.ask,
    samples: conversation.samples,
    simulator: conversation.simulator,
    lastFailure: () => conversation.lastReply.failure,
    lastFiles: () => conversation.lastReply.attachments,
  };
}
