import { describe, expect, test } from "vitest";

import type { Target } from "../../src/bot/invocation.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { rawNode } from "../support/raw-node.ts";
import { saying } from "../support/said.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

const files = { maxBytes: 1e9, maxCount: 10 };
const IN_SERVER: Target = { platform: "discord", workspace: "99", channel: "5", files };
const PARTY = "ab".repeat(32);
const ASSET = "cd".repeat(32);
const HEADER = "vega_time,quantity,effect,transfer_type,asset_id,account_from_party_id,account_to_party_id\n";

test("an export without entries says so and sends no file", async () => {
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export") ? { headers: { "Content-Type": "text/csv" }, body: HEADER } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  expect(await conversation.ask(`ledger export ${PARTY} ${ASSET} from:7d`)).toMatch(saying("•", "no", "no file"));
  expect(conversation.lastReply.attachments).toEqual([]);
});

test("an export under way has a button that stops it at once, and its node is free again", async () => {
  let open = 0;
  await using node = await rawNode((head, socket) => {
    if (!head.startsWith("GET /api/v2/ledgerentry/export")) {
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    open += 1;
    // The first one never answers.
    if (open > 1) socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${HEADER.length}\r\n\r\n${HEADER}`);
  });
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const first = conversation.askFor(`ledger export ${PARTY} ${ASSET} from:7d`);
  await expect.poll(() => open).toBe(1);
  expect(await conversation.ask("ledger list")).toMatch(saying("00000001", "asking the node"));
  const { actions } = conversation.lastReply;
  expect(actions).toMatchObject([{ invocation: { command: "ledger cancel", options: { code: "00000001" } } }]);
  expect(await conversation.press("ledger cancel")).toMatch(saying("Cancelled", PARTY.slice(0, 8)));
  expect(await first).toMatchObject({ attachments: [], tone: "neutral" });
  conversation.advance(1000);
  expect(await conversation.ask(`ledger export ${PARTY} ${ASSET} from:7d`)).toMatch(saying("•", "no file"));
  expect(await conversation.ask("ledger list")).toMatch(saying("2", "00000002", "delivered", "00000001", "cancelled"));
});

test("an export whose file nobody takes along is kept, and can be fetched; the list offers it", async () => {
  await using conversation = await talkToSimulator();
  const { ask, become, samples } = conversation;
  const caller = { id: "terminal", name: "terminal", mayManageChannel: true };
  become({ here: { platform: "terminal", files, leavesFiles: true }, caller });
  expect(await ask(`ledger export ${samples.partyId} USDT from:1d`)).toContain("ledger fetch 00000001");
  const [made] = conversation.lastReply.attachments;
  expect(await ask("ledger list")).toMatch(saying("to be fetched", "00000001"));
  await conversation.press("ledger fetch");
  expect(conversation.lastReply.attachments[0]).toMatchObject({ name: made!.name, sha256: made!.sha256 });
  become({ here: { platform: "terminal", files }, caller });
  expect(await ask(`ledger export ${samples.partyId} USDT from:1d`)).not.toContain("ledger fetch");
  const list = await ask("ledger list");
  expect(list).toMatch(saying("to be fetched", "00000001"));
  expect(list).toMatch(saying("00000002", "delivered"));
  // Somebody else sees that it is kept, and is offered nothing.
  become({ here: { platform: "web", files }, caller: { id: "console", name: "console", mayManageChannel: true } });
  expect(await ask("ledger list")).not.toContain("ledger fetch");
  expect(conversation.lastReply.actions).toEqual([]);
});

test("an export without entries leaves nothing to fetch, wherever it was asked for", async () => {
  const conversation = await talkToSimulator();
  const { ask, become, samples } = conversation;
  const caller = { id: "terminal", name: "terminal", mayManageChannel: true };
  become({ here: { platform: "terminal", files, leavesFiles: true }, caller });
  await ask(`ledger export ${samples.partyId} USDT from:2026-01-15T11:59:59 to:2026-01-15T12:00`);
  expect(await ask("ledger list")).toMatch(saying("00000001", "delivered"));
  expect(conversation.lastReply.actions).toEqual([]);
  expect(await ask("ledger fetch 00000001")).toMatch(saying("no file"));
});

test("the list tells exports apart by their ranges", async () => {
  const { advance, ask, become, samples } = await talkToSimulator();
  become({ here: IN_SERVER });
  await ask(`ledger export ${samples.partyId} USDT from:2025-12`);
  advance(1000);
  await ask(`ledger export ${samples.partyId} USDT from:2026-01-02 to:2026-01-05`);
  expect((await ask("ledger list")).replaceAll(/\s+/gu, " ")).toMatch(
    saying("2026-01-02", "2026-01-05", "00000002", "2025-12", "00000001"),
  );
});

test("a failure says how much had come, and that nothing of it is kept, also in the list; and what to do", async () => {
  const row = `2026-01-15 11:00:00+00,1,1,X,${ASSET},network,${PARTY}\n`;
  let sent = `${HEADER}${row.repeat(1000)}`;
  await using node = await rawNode((head, socket) => {
    const isExport = head.startsWith("GET /api/v2/ledgerentry/export");
    socket.end(
      isExport
        ? `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${sent}`
        : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    );
  });
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const { ask } = conversation;
  const told = saying(/\d+\.\d kB/u, "kept", "Ask again");
  expect((await ask(`ledger export ${PARTY} ${ASSET} from:7d`)).replaceAll(/\s+/gu, " ")).toMatch(told);
  expect((await ask("ledger list")).replaceAll(/\s+/gu, " ")).toMatch(told);
  conversation.advance(10_000);
  sent = "";
  expect(await ask(`ledger export ${PARTY} ${ASSET} from:7d`)).toMatch(saying("kept", "Ask again"));
});

describe("exports are one person's", () => {
  test("nobody else sees or stops them, in whatever place; an operator sees that there is one, and not of what", async () => {
    const { ask, askFor, become, samples } = await talkToSimulator();
    become({ here: IN_SERVER, caller: { id: "1", name: "ann", mayManageChannel: true } });
    await ask(`ledger export ${samples.partyId} USDT from:1d`);
    const mine = await ask("ledger list");
    expect(mine).toMatch(saying(samples.partyId.slice(0, 8), "USDT", "delivered", "00000001"));
    // In direct messages with the bot, too.
    become({ here: { platform: "discord", channel: "7", files } });
    expect(await ask("ledger list")).toBe(mine);
    const others = [
      { here: IN_SERVER, caller: { id: "2", name: "bob", mayManageChannel: true } },
      { here: { ...IN_SERVER, workspace: "100" }, caller: { id: "2", name: "ann", mayManageChannel: true } },
      { here: { platform: "slack", workspace: "T1", files }, caller: { id: "1", name: "ann", mayManageChannel: true } },
    ];
    for (const other of others) {
      become(other);
      expect(await ask("ledger list")).not.toContain("00000001");
      expect(await askFor("ledger cancel 00000001")).toMatchObject({ failure: "caller" });
    }
    become({ here: { platform: "web", files }, caller: { id: "console", name: "console", mayManageChannel: true } });
    const all = await ask("ledger list");
    expect(all).toMatch(saying("discord", "delivered", "00000001"));
    expect(all).not.toContain(samples.partyId.slice(0, 8));
  });

  test("on Slack one person's in each workspace", async () => {
    const { ask, become, samples } = await talkToSimulator();
    const caller = { id: "U1", name: "ann", mayManageChannel: true };
    become({ here: { platform: "slack", workspace: "T1", files }, caller });
    await ask(`ledger export ${samples.partyId} USDT from:1d`);
    expect(await ask("ledger list")).toContain("00000001");
    become({ here: { platform: "slack", workspace: "T2", files }, caller });
    expect(await ask("ledger list")).not.toContain("00000001");
  });

  test("their codes are completed for them alone", async () => {
    const { become, ask, samples, suggest } = await talkToSimulator();
    become({ here: IN_SERVER });
    await ask(`ledger export ${samples.partyId} USDT from:1d`);
    expect(await suggest("ledger fetch", "code", "000")).toMatchObject([{ value: "00000001" }]);
    // What has ended can no longer be cancelled.
    expect(await suggest("ledger cancel", "code", "000")).toEqual([]);
    become({ caller: { id: "2", name: "bob", mayManageChannel: true } });
    expect(await suggest("ledger fetch", "code", "")).toEqual([]);
  });
});

test("the command that repeats an export names the same range, whenever it is given", async () => {
  const { askFor, become, samples, store } = await talkToSimulator();
  become({ here: IN_SERVER });
  const { attachments } = await askFor(`ledger export ${samples.partyId} USDT from:7d columns:quantity`);
  expect(attachments).toHaveLength(1);
  const row = await store.exports.get("00000001");
  expect(JSON.parse(row!.invocation!)).toEqual({
    command: "ledger export",
    options: {
      party: samples.partyId,
      asset: "USDT",
      from: "2026-01-08T12:00Z",
      to: "2026-01-15T12:00Z",
      columns: "quantity",
      network: "mainnet",
    },
  });
});
