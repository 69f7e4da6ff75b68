import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";

import type { Reply } from "../../src/reply/reply.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { decimal, formatDecimal } from "../../src/units/decimal.ts";
import { formatUtc, nanoseconds } from "../../src/units/time.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";
import { ASSET, COLUMNS_12, COLUMNS_13, csv, PARTY, row, type Row } from "../export/ledger-csv.ts";
import { rawNode } from "../support/raw-node.ts";
import { saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

test("a ledger comes as a file, with the exact range, rows, span and SHA-256", async () => {
  const conversation = await talkToSimulator();
  const { partyId, assetSymbol } = conversation.samples;
  const screen = await conversation.ask(`ledger export ${partyId} ${assetSymbol} from:2026-01-01 to:2026-01-14`);
  expect(screen.replaceAll(/\s+/gu, " ")).toMatch(
    saying("✓", "from 2026-01-01 00:00:00 UTC until just before 2026-01-15 00:00:00 UTC"),
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
  const net = rows.reduce((sum, each) => sum + BigInt(each["effect"]!), 0n);
  const span = [times[0]!, times.at(-1)!].map((time) => time.slice(0, 19));
  expect(screen).toMatch(saying(...span, `${formatDecimal(decimal(net, 6))} USDT`));
  expect(times.every((time) => time >= "2026-01-01" && time < "2026-01-15")).toBe(true);
  expect(file!.name).toMatch(/^ledger-[0-9a-f]{8}-USDT-2026-01-01-through-2026-01-14\.csv$/u);
  expect(conversation.progress.length).toBeGreaterThan(0);
  expect(conversation.progress[0]).toMatch(saying("•", "USDT", "2026-01-01 00:00:00 UTC", "2026-01-15 00:00:00"));
});

test("a file whose end nothing proves says so in its name, its title and its tone", async () => {
  const ledger = csv(COLUMNS_13, [row(), row()]);
  await using node = await rawNode((head, socket) => {
    const isExport = head.startsWith("GET /api/v2/ledgerentry/export");
    socket.end(isExport ? `HTTP/1.0 200 OK\r\n\r\n${ledger}` : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  });
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  for (const raw of ["yes", "no"]) {
    const screen = await conversation.ask(`ledger export ${PARTY} ${ASSET} from:2023-01-01 to:now raw:${raw}`);
    const { tone, attachments } = conversation.lastReply;
    expect(screen.split("\n")[0]).toMatch(saying(2, "END NOT CONFIRMED", "PARTIAL HISTORY"));
    expect([tone, attachments[0]!.name]).toEqual([
      "warning",
      expect.stringMatching(/^END-NOT-CONFIRMED-PARTIAL-HISTORY-ledger-.*csv$/u),
    ]);
    const columns = raw === "yes" ? COLUMNS_13 : [...COLUMNS_13, "amount"];
    expect((await buffer(attachments[0]!.open())).toString()).toBe(csv(columns, [row(), row()]));
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
  const ledger = csv(COLUMNS_13, [row({ vega_time: "2026-01-14 00:00:00+00" })]);
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export") ? { headers: { "Content-Type": "text/csv" }, body: ledger } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = (await conversation.ask(`ledger export ${PARTY} ${ASSET} from:7d`)).replaceAll(/\s+/gu, " ");
  const { query } = node.requests.find(({ path }) => path.endsWith("/ledgerentry/export"))!;
  const end = formatUtc(nanoseconds(BigInt(query["dateRange.endTimestamp"]!)));
  expect(screen).toMatch(saying("✓", end.slice(0, 19)));
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

test("an asset alone is said to stand in the party's place", async () => {
  const conversation = await talkToSimulator();
  expect(await conversation.ask("ledger export USDT")).toMatch(saying("“USDT”", "party", "ledger export <party> USDT"));
});

test("the party is asked for first, with parties to choose from, and each choice is kept", async () => {
  const conversation = await talkToSimulator();
  const { ask, askFor, samples } = conversation;
  const chosen = ({ actions }: Reply, option: string): unknown[] =>
    actions.flatMap((action) =>
      "choices" in action ? action.choices.map(({ invocation }) => invocation.options[option]) : [],
    );
  const first = await askFor("ledger export");
  expect(chosen(first, "party")).toContain(samples.partyId);
  // As a form sends it, where only the asset is required.
  const second = await askFor("ledger export asset:VEGA");
  expect(chosen(second, "asset")).toEqual(chosen(second, "party").map(() => "VEGA"));
  const third = await askFor(`ledger export party:${samples.partyId}`);
  expect(chosen(third, "asset")).toContain("VEGA");
  expect(new Set(chosen(third, "party"))).toEqual(new Set([samples.partyId]));
  // With a saved one only the asset is missing.
  await ask(`my party ${samples.partyId} treasury`);
  expect(new Set(chosen(await askFor("ledger export"), "party"))).toEqual(new Set([undefined]));
});

test("an asset in the party's place is distinguished from an unknown party", async () => {
  const conversation = await talkToSimulator();
  const { ask, samples } = conversation;
  const lastSuggestion = (): string =>
    conversation.lastReply.blocks.flatMap((block) => (block.kind === "code" ? [block.text] : [])).join("\n");
  await ask(`my party ${samples.partyId} treasury`);
  expect(await ask("ledger export usdt 3d")).toMatch(saying("!", "USDT"));
  expect(lastSuggestion()).toBe("ledger export asset:USDT from:3d");
  const exported = await ask(lastSuggestion());
  expect(exported).toContain(samples.partyId);
  expect(exported).toMatch(/^. treasury (?:gained|lost|neither) /u);
  await ask("ledger export usdt USDC");
  expect(lastSuggestion()).toBe("ledger export asset:USDT from:7d");
  expect(await ask("ledger export nobody 3d")).toMatch(saying("!", "mainnet"));
});

test.each(["", "from:2024-01-01 to:now", "from:181d"])(
  "%s begins before what nodes keep: PARTIAL HISTORY",
  async (range) => {
    const { ask, samples, lastFiles } = await start();
    // Noon of 2026-01-15, less 180 days.
    const screen = await ask(`ledger export ${samples.partyId} USDT ${range}`);
    expect(screen.replaceAll(/\s+/gu, " ")).toMatch(
      saying("!", "PARTIAL HISTORY", "PARTIAL HISTORY", "2025-07-19 12:00:00"),
    );
    expect(lastFiles()[0]!.name).toMatch(/^PARTIAL-HISTORY-ledger-/u);
  },
);

test("a range within what nodes keep is whole", async () => {
  const { ask, samples, lastFiles } = await start();
  expect(await ask(`ledger export ${samples.partyId} USDT from:179d`)).not.toContain("PARTIAL");
  expect(lastFiles()[0]!.name).toMatch(/^ledger-/u);
});

test("what the party gained or lost, and how to ask for just that again", async () => {
  const conversation = await talkToSimulator();
  const { partyId } = conversation.samples;
  const { attachments, title } = await conversation.askFor(`ledger export ${partyId} USDT from:7d`);
  const rows = parse<Record<string, string>>(await buffer(attachments[0]!.open()), { columns: true });
  const net = rows.reduce((sum, each) => sum + BigInt(each["effect"]!), 0n);
  const exact = formatDecimal(decimal(net < 0n ? -net : net, 6));
  expect(plainText(title)).toMatch(saying(net < 0n ? "lost" : "gained", exact, rows.length));
  const amounts = rows.reduce((sum, each) => sum + BigInt(each["amount"]!.replace(".", "")), 0n);
  expect(amounts).toBe(net);
  const againOf = async (line: string): Promise<string> =>
    /ledger export [0-9a-f]{64} .*/u.exec(await conversation.ask(line))![0];
  const same = await conversation.askFor(await againOf(`ledger export ${partyId} USDT from:7d`));
  expect(same.attachments[0]!.sha256).toBe(attachments[0]!.sha256);
  // As long as an option of a chat may be.
  expect((await againOf(`ledger export ${partyId} USDT last month`)).length).toBeLessThanOrEqual(100);
});

test("an export that one node breaks off comes from the other, and names both", async () => {
  const ledger = csv(COLUMNS_13, [row({ vega_time: "2026-01-14 00:00:00+00" })]);
  const serve = (body: string) =>
    loopbackNode(({ path }) =>
      path.endsWith("/ledgerentry/export") ? { headers: { "Content-Type": "text/csv" }, body } : undefined,
    );
  await using first = await serve(`${ledger}{"error":{"code":13,"message":"no","details":[{"message":"too slow"}]}}`);
  await using second = await serve(ledger);
  await using conversation = await talk({ networks: { mainnet: [first.url, second.url] } });
  const screen = (await conversation.ask(`ledger export ${PARTY} ${ASSET} from:7d`)).replaceAll(/\s+/gu, " ");
  const [failed = "", gave = ""] = [first, second].map(({ url }) => new URL(url).host);
  expect(screen).toMatch(saying("✓", failed, "too slow", gave, "whole file"));
  expect(screen.split(gave)).toHaveLength(3);
});

describe("a node that tells only what the party sent", () => {
  const at = { vega_time: "2026-01-14 00:00:00+00" };
  const sent = row({ ...at, quantity: "1500" });
  const received = row({ ...at, quantity: "2000", account_from_party_id: "network", account_to_party_id: PARTY });
  const serve = (columns: readonly string[], rows: readonly Row[]) =>
    loopbackNode(({ path }) =>
      path.endsWith("/ledgerentry/export")
        ? { headers: { "Content-Type": "text/csv" }, body: csv(columns, rows) }
        : undefined,
    );
  const asked = (node: { requests: readonly { path: string }[] }): number =>
    node.requests.filter(({ path }) => path.endsWith("/ledgerentry/export")).length;
  const line = `ledger export ${PARTY} ${ASSET} from:7d`;

  test("alone: OUTGOING ONLY, without what came in, the net or a balance", async () => {
    await using node = await serve(COLUMNS_12, [sent]);
    await using conversation = await talk({ networks: { mainnet: [node.url] } });
    const screen = await conversation.ask(line);
    expect(screen).toMatch(saying("!", "sent", 1500, "OUTGOING ONLY", "OUTGOING ONLY"));
    expect(screen).not.toMatch(/^(?:In|Balance) /mu);
    expect(conversation.lastReply.attachments[0]!.name).toMatch(/^OUTGOING-ONLY-ledger-/u);
  });

  test("beside one that tells more: that one's file, and from then on it is asked first", async () => {
    await using older = await serve(COLUMNS_12, [sent]);
    await using later = await serve(COLUMNS_13, [sent, received]);
    await using conversation = await talk({ networks: { mainnet: [older.url, later.url] } });
    expect(await conversation.ask(line)).toMatch(saying("✓", "gained", 500));
    expect([asked(older), asked(later)]).toEqual([1, 1]);
    expect(await conversation.ask(line)).toMatch(saying("✓", "gained", 500));
    expect([asked(older), asked(later)]).toEqual([1, 2]);
  });

  test("beside one that tells no more either, or fails: each is asked once, and the file is labelled", async () => {
    await using first = await serve(COLUMNS_12, [sent]);
    await using second = await serve(COLUMNS_12, [sent]);
    await using third = await loopbackNode(({ path }) =>
      path.endsWith("/ledgerentry/export") ? { status: 500, body: '{"code":13,"message":"no"}' } : undefined,
    );
    await using conversation = await talk({ networks: { mainnet: [first.url, second.url, third.url] } });
    expect(await conversation.ask(line)).toMatch(saying("!", "sent", 1500, "OUTGOING ONLY"));
    expect([asked(first), asked(second), asked(third)]).toEqual([1, 1, 1]);
  });
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
  expect(screen).toMatch(saying("no", "2026-01-11 00:00:00"));
  expect(conversation.lastReply.attachments).toEqual([]);
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
