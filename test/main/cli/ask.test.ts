import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { openLineRunner } from "../../../src/main/cli/ask.ts";
import { serveHolder } from "../../../src/main/holder/holder.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { reply } from "../../../src/reply/reply.ts";
import { writeHolderRecord } from "../../../src/store/file/holder-record.ts";
import { tryProcessLock } from "../../../src/store/file/process-lock.ts";
import { loopbackNode, type LoopbackNode } from "../../support/loopback-node.ts";
import { parseConfig } from "../../support/platforms.ts";

const ID = "ab".repeat(32);

/** A node that is at this block now. */
function nodeAt(height: number): Promise<LoopbackNode> {
  return loopbackNode(({ path: asked }) => {
    const headers = { "X-Block-Height": String(height), "X-Block-Timestamp": `${Date.now()}000000` };
    if (asked.endsWith("/info")) return { body: { version: "v0.71.6" }, headers };
    return asked.endsWith("/markets/data") ? { body: { marketsData: [{ market: ID }] }, headers } : undefined;
  });
}

/** The footer of the answer that a process of one question gives. */
async function askOnce(line: string, nodes: readonly LoopbackNode[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "bellwether-ask-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = parseConfig({
    ...(nodes.length === 0 ? {} : { MAINNET_URLS: nodes.map(({ url }) => url).join(",") }),
    DATABASE_URL: `file:${path.join(folder, "ask.db")}`,
  });
  const runner = await openLineRunner(config, silentLog(), () => undefined);
  try {
    const answer = await runner.run(line, { signal: new AbortController().signal });
    expect(answer.failure).toBeUndefined();
    return plainText(answer.footer ?? []);
  } finally {
    await runner.close();
  }
}

test("one question, and nobody who watches: a node whose history began anew is passed over all the same", async () => {
  await using anew = await nodeAt(3);
  await using goesOn = await nodeAt(900_000);
  expect(await askOnce("market list", [anew, goesOn])).toContain(new URL(goesOn.url).host);
});

test("an answer of a network simulated for one question says so, one of a node does not", async () => {
  await using node = await nodeAt(900_000);
  expect(await askOnce("time", [])).toContain("no bot runs");
  expect(await askOnce("market list", [node])).not.toContain("no bot runs");
});

test("where there is one node, it is asked what was asked, and nothing else", async () => {
  await using only = await nodeAt(3);
  await askOnce("market list", [only]);
  expect(only.requests.map((one) => one.path)).not.toContain("/api/v2/info");
});

test("a question that needs the database is forwarded to the process that took it meanwhile", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "bellwether-ask-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const databaseFile = path.join(folder, "ask.db");
  const config = parseConfig({ MAINNET_URLS: "http://127.0.0.1:9", DATABASE_URL: `file:${databaseFile}` });
  const runner = await openLineRunner(config, silentLog(), () => undefined);
  onTestFinished(() => runner.close());

  const lock = tryProcessLock(databaseFile);
  onTestFinished(() => lock?.release());
  writeHolderRecord(databaseFile, { pid: process.pid });
  const answering = runner.run("my parties", { signal: new AbortController().signal });
  const asked: string[] = [];
  const holder = await serveHolder({
    databaseFile,
    log: silentLog(),
    runner: {
      run: async (line) => {
        asked.push(line);
        return reply({ title: "from the holder" });
      },
      complete: async () => [],
      close: async () => undefined,
    },
  });
  onTestFinished(() => holder.close());
  writeHolderRecord(databaseFile, { pid: process.pid, socket: holder.address ?? "" });
  expect(plainText((await answering).title)).toBe("from the holder");
  expect(asked).toEqual(["my parties"]);
});
