import { createHash } from "node:crypto";
import { buffer, text } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import { describe, expect, onTestFinished, test } from "vitest";

import type { Target } from "../../src/bot/invocation.ts";
import type { Stored } from "../../src/export/split-file.ts";
import { ASSET, COLUMNS_13, csv, PARTY, row } from "../export/ledger-csv.ts";
import { unzip } from "../support/unzip.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { type Talk, talk } from "../support/talk.ts";

const KB = 1000;
/** A row in every second, whose numbers hardly compress. */
const ROWS = Array.from({ length: 2000 }, (_, index) => {
  const at = new Date(Date.UTC(2026, 0, 5, 0, 0, index)).toISOString();
  return row({
    vega_time: `${at.slice(0, 10)} ${at.slice(11, 19)}+00`,
    quantity: String((7919n ** 30n * BigInt(index + 1)) % 10n ** 70n),
  });
});
const LEDGER = csv(COLUMNS_13, ROWS);
const PUBLIC_URL = "https://bell.example.org/";

/** Asks in a place that takes files of so many bytes, two a message. */
async function large(maxBytes: number, publicUrl?: string): Promise<Talk> {
  const node = await loopbackNode(({ path }) =>
    path.endsWith("/ledgerentry/export") ? { headers: { "Content-Type": "text/csv" }, body: LEDGER } : undefined,
  );
  onTestFinished(() => node[Symbol.asyncDispose]());
  const networks = { mainnet: [node.url] };
  const conversation = await talk({ networks, ...(publicUrl === undefined ? {} : { publicUrl }) });
  const files = { maxBytes, maxCount: 10, maxTotalBytes: 2 * maxBytes };
  const here: Target = { platform: "discord", channel: "5", files };
  conversation.become({ here, caller: { id: "1", name: "ann", mayManageChannel: true } });
  return conversation;
}

const ASK = `ledger export ${PARTY} ${ASSET} from:2026-01-01 to:2026-01-10`;

describe("an export that is too large for its place", () => {
  test("comes in compressed parts over messages, each a press away, also later", async () => {
    await using conversation = await large(30 * KB);
    const rows: unknown[] = [];
    let reply = await conversation.askFor(ASK);
    const names: string[] = [];
    const hashes: string[] = [];
    for (let message = 1; ; message += 1) {
      expect(reply.failure).toBeUndefined();
      for (const file of reply.attachments) {
        expect(file.sizeBytes).toBeLessThanOrEqual(30 * KB);
        expect(JSON.stringify(reply.blocks)).toContain(file.sha256);
        names.push(file.name);
        const part = unzip(await buffer(file.open()));
        rows.push(...parse<object>(part, { columns: true }));
        hashes.push(file.sha256, createHash("sha256").update(part).digest("hex"));
      }
      const next = reply.actions.flatMap((action) => ("invocation" in action ? [action.invocation] : []));
      const following = next.find(({ command }) => command === "ledger fetch");
      if (following === undefined) break;
      expect(following.options).toEqual({ code: "00000001", message: message + 1 });
      reply = await conversation.askFor(`ledger fetch 00000001 ${message + 1}`);
    }
    expect(names.length).toBeGreaterThan(2);
    expect(new Set(names).size).toBe(names.length);
    expect(rows).toHaveLength(ROWS.length);
    // The same once more: neither the bytes nor what is known of them change.
    const again = await conversation.askFor("ledger fetch 00000001");
    expect(again.attachments[0]).toMatchObject({ name: names[0], sha256: hashes[0] });
    // Elsewhere it comes in other parts.
    conversation.become({ here: { platform: "discord", channel: "6", files: { maxBytes: 100 * KB, maxCount: 1 } } });
    const other = await conversation.askFor("ledger fetch 00000001");
    for (const hash of [...hashes, other.attachments[0]!.sha256]) {
      expect(await conversation.ask(`ledger verify sha256:${hash}`)).toMatch(saying("•", "00000001"));
    }
  });

  test("has a link for a day where this bot has an address, and whoever has the link can read it", async () => {
    await using conversation = await large(8 * KB, PUBLIC_URL);
    const reply = await conversation.askFor(ASK);
    const [download] = reply.actions.flatMap((action) => ("url" in action ? [action] : []));
    expect([reply.failure, reply.attachments]).toEqual([undefined, []]);
    const [, secret = ""] = /^https:\/\/bell\.example\.org\/download\/([\w-]{22})\/ledger-[\w.-]+\.csv$/u.exec(
      download!.url,
    )!;
    const file = (await conversation.linked(secret)) as Stored;
    expect((await text(file.open())).split("\n")).toHaveLength(ROWS.length + 2);
    expect(await text(file.open(0, 9))).toBe("vega_time");
    expect(await conversation.linked("A".repeat(22))).toBeUndefined();
    conversation.advance(24 * 3_600_000);
    expect(await conversation.linked(secret)).toBeUndefined();
  });

  test("is told of with ranges that fit where there is no address", async () => {
    await using conversation = await large(8 * KB);
    const screen = await conversation.ask(ASK);
    expect(screen).toMatch(saying("too large", "8.0 kB"));
    const lines = screen.match(
      /ledger export \S+ \S+ from:"?2026-01-05 00:\d\d:\d\d"? to:"?2026-01-05 00:\d\d:\d\d"?/gu,
    );
    expect(lines!.length).toBeGreaterThan(2);
    conversation.become({ here: { platform: "discord", channel: "5", files: { maxBytes: 1e9, maxCount: 10 } } });
    // Where a range fits it comes as it is.
    const { attachments } = await conversation.askFor(lines![0]);
    expect(attachments.map(({ name }) => name)).toEqual([expect.stringMatching(/^ledger-.*\.csv$/u)]);
  });
});
