import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, expect, test } from "vitest";

import { createSandbox, type Sandbox } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { startOnBoth } from "../../support/on-both-platforms.ts";
import { ASSET, COLUMNS_13, csv, PARTY, row } from "../../export/ledger-csv.ts";

const GIB = 1024 ** 3;
const MINUTES = 60_000;
const HEADER = csv(COLUMNS_13, []);
/** A few megabytes of rows, sent over and over, each time of another second: equal rows would be sorted side by side. */
const ROWS = Buffer.from(
  csv(
    COLUMNS_13,
    Array.from({ length: 8000 }, (_, index) =>
      // Too random for an archive that a chat would take.
      row({ quantity: BigInt(`0x${createHash("sha256").update(String(index)).digest("hex")}`).toString() }),
    ),
  ).slice(HEADER.length),
);

let sandbox: Sandbox;
let discord: FakeDiscord;
let slack: FakeSlack;
let node: { url: string; close(): void };
beforeEach(async () => {
  sandbox = createSandbox();
  discord = await FakeDiscord.start();
  slack = await FakeSlack.start();
  node = await startNode();
});
afterEach(async () => {
  await sandbox.cleanUp();
  node.close();
  await discord.stop();
  await slack.stop();
});

function* ledger(): Generator<Buffer> {
  yield Buffer.from(HEADER);
  for (let sent = 0, second = 0; sent < GIB; sent += ROWS.length, second += 1) {
    const time = new Date(Date.UTC(2023, 0, 18, 1) + second * 1000).toISOString().slice(0, 19).replace("T", " ");
    const rows = Buffer.from(ROWS);
    for (let at = 0; at < rows.length; at = rows.indexOf(0x0a, at) + 1) rows.write(time, at);
    yield rows;
  }
}

/** A data node with a ledger of 1 GiB, whose blocks go on meanwhile. */
async function startNode(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://node");
    if (pathname.endsWith("/network/time")) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ timestamp: String(BigInt(Date.now()) * 1_000_000n) }));
      return;
    }
    if (!pathname.endsWith("/ledgerentry/export")) {
      response.writeHead(404, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ code: 5, message: "Not Found" }));
      return;
    }
    response.setHeader("Content-Type", "text/csv");
    pipeline(Readable.from(ledger()), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const LINE = { party: PARTY, asset: ASSET, from: "2023-01-01", to: "2023-01-31" };

const start = (more: Partial<Parameters<typeof startOnBoth>[1]> = {}) =>
  startOnBoth(sandbox, { discord, slack, nodeUrl: node.url, ...more });

/** The resident memory of a process, in MB: now, and at its highest. */
function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`, "u").exec(status)?.[1]) / 1000;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

test(
  "a ledger of 1 GiB: on Discord by a link, on Slack as one archive; others are answered meanwhile",
  { timeout: 15 * MINUTES },
  async () => {
    const running = await start({ isPublic: true });
    await sleep(5000);
    const pid = running.child.pid!;
    const idle = memoryOf(pid).now;
    const ada = discord.person("ada");
    const channel = discord.channel();
    const dialog = await ada.run(channel, "ledger export", LINE);
    const waits: number[] = [];
    const link = /https?:\/\/127\.0\.0\.1:\d+\/download\/[\w-]+\/[\w.-]+/u;
    const shown = (): string => JSON.stringify(dialog.messages);
    for (const end = Date.now() + 5 * MINUTES; !link.test(shown()) && Date.now() < end;) {
      const began = performance.now();
      await fetch(new URL("/api/invocations", running.url), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text: "time" }),
      }).then((response) => response.text());
      waits.push(performance.now() - began);
      await sleep(100);
    }
    const [url = ""] = link.exec(shown()) ?? [];
    const hash = createHash("sha256");
    let bytes = 0;
    const download = await fetch(url);
    for await (const chunk of download.body!) {
      hash.update(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
    }
    const expected = Math.ceil(GIB / ROWS.length) * 8000;
    expect(textOf(dialog.last)).toContain(expected.toLocaleString("en-US"));
    expect(download.headers.get("etag")).toBe(`"${hash.digest("hex")}"`);
    expect(bytes).toBeGreaterThan(GIB);
    const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
    const peak = memoryOf(pid).peak - idle;
    // oxlint-disable-next-line no-console -- the figures of this machine
    console.log(
      `1 GiB: peak ${Math.round(peak)} MB above idle; others' p99 ${Math.round(p99)} ms over ${waits.length} questions`,
    );
    expect(peak).toBeLessThan(160);

    const ann = slack.person("ann");
    ann.type(slack.channel(), `ledger export ${PARTY} ${ASSET} from:2023-01-01 to:2023-01-31`);
    const files = () => ann.directMessages().flatMap((message) => message.files);
    await expect.poll(() => files().length, { timeout: 8 * MINUTES, interval: 500 }).toBe(1);
    expect(files()[0]!.name).toMatch(/\.csv\.zip$/u);
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(discord.complaints()).toEqual([]);
  },
);

test(
  "without a public address a ledger of 1 GiB is refused on Discord with ranges, and leaves nothing on the disk",
  { timeout: 10 * MINUTES },
  async () => {
    const running = await start();
    const dialog = await discord.person("ada").run(discord.channel(), "ledger export", LINE);
    await expect
      .poll(() => JSON.stringify(dialog.messages), { timeout: 5 * MINUTES, interval: 500 })
      .toContain("too large");
    const names = await readdir(path.join(sandbox.folder), { recursive: true });
    expect(names.filter((name) => name.endsWith(".part"))).toEqual([]);
    await running.kill("SIGKILL");
  },
);

test(
  "killed in the middle of an export it leaves nothing on the disk; its person is told, and runs it again by a press",
  { timeout: 10 * MINUTES },
  async () => {
    const folder = path.join(sandbox.folder, "exports");
    const ada = discord.person("ada");
    const first = await start({ settings: { EXPORT_DIR: folder } });
    const dialog = await ada.run(discord.channel(), "ledger export", LINE);
    await expect
      .poll(() => JSON.stringify(dialog.messages), { timeout: MINUTES, interval: 100 })
      .toMatch(/[1-9][\d,]* rows/u);
    await first.kill("SIGKILL");
    expect(await readdir(folder, { recursive: true })).toEqual([]);

    const second = await start({ settings: { EXPORT_DIR: folder } });
    const direct = () => [...discord.state.messages.values()].filter((one) => textOf(one).includes("restarted"));
    await expect.poll(() => direct().length, { timeout: MINUTES, interval: 200 }).toBe(1);
    const again = await ada.press(direct()[0]!, "Run it again");
    await expect
      .poll(() => JSON.stringify(again.messages), { timeout: 5 * MINUTES, interval: 500 })
      .toContain("too large");
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(await readdir(folder, { recursive: true })).toHaveLength(1);
  },
);
