import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { LineRunner, RunOptions } from "../../../src/adapters/terminal/line-runner.ts";
import { cancelledReply } from "../../../src/bot/error-reply.ts";
import { UserError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { findHolder } from "../../../src/main/holder/find-holder.ts";
import { holderRunner } from "../../../src/main/holder/holder-client.ts";
import { type HolderServer, serveHolder } from "../../../src/main/holder/holder.ts";
import { amended, disposeReply, memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { text, time } from "../../../src/reply/text.ts";
import { writeHolderRecord } from "../../../src/store/file/holder-record.ts";
import { tryProcessLock } from "../../../src/store/file/process-lock.ts";
import { nanoseconds } from "../../../src/units/time.ts";

const never = new AbortController().signal;
let folder: string;
let databaseFile: string;
let server: HolderServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-holder-"));
  databaseFile = path.join(folder, "b.db");
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** A holder whose bot is this function, and somebody who asks it. */
async function holder(
  run: (line: string, options: RunOptions) => Promise<Reply>,
): Promise<{ asker: LineRunner; address: string }> {
  const complete: LineRunner["complete"] = async (line) => [
    { line: `${line} list`, label: "All" },
    { line: `${line} show` },
  ];
  const runner: LineRunner = { run, complete, close: async () => {} };
  server = await serveHolder({ databaseFile, runner, log: silentLog() });
  return { asker: holderRunner(server.address ?? ""), address: server.address ?? "" };
}

/** What a request to the socket itself is answered with. */
function raw(address: string, method: string, route: string, body = ""): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: address, method, path: route, agent: false }, (response) => {
      readText(response).then((said) => resolve({ status: response.statusCode ?? 0, body: said }), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("a question over the holder's socket", () => {
  it("comes back as the very reply, after its progress", async () => {
    const given = reply({
      title: text`At ${time(nanoseconds(9_223_372_036_854_775_807n))}`,
      tone: "warning",
      blocks: [paragraph("x\u2028<@here>"), { kind: "table", columns: [{ title: "a" }], rows: [[text`1`]], name: "t" }],
      actions: [{ label: "More", effect: "replace", invocation: { command: "time", options: { network: "testnet" } } }],
    });
    const asked: unknown[] = [];
    const seen: string[] = [];
    const { asker } = await holder(async (line, { network, progress }) => {
      asked.push([line, network]);
      for (const step of line === "time" ? ["one", "two"] : []) {
        progress?.(reply({ title: step }));
        await expect.poll(() => seen).toContain(step);
      }
      return given;
    });
    const options = {
      signal: never,
      network: "testnet",
      progress: (soFar: Reply) => seen.push(plainText(soFar.title)),
    };
    const { later, ...came } = await asker.run("time", options);
    expect(came).toEqual(given);
    expect(await later?.(never)).toBeUndefined();
    expect(await asker.run('market show "a b"', { signal: never })).toEqual({ ...given, later: expect.any(Function) });
    expect(asked).toEqual([
      ["time", "testnet"],
      ['market show "a b"', undefined],
    ]);
    expect(seen).toEqual(["one", "two"]);
  });

  it("brings what is added to the answer later, and waits for no more", async () => {
    const given = reply({ title: "Subscribed" });
    const whole = amended(given, text`It would have told you twice.`);
    const { asker } = await holder(async () => ({ ...given, later: async () => whole }));
    const { later, ...came } = await asker.run("alerts add", { signal: never });
    expect(came).toEqual(given);
    expect(await later?.(never)).toEqual(whole);
    const waits = await holder(async () => ({ ...given, later: () => Promise.withResolvers<undefined>().promise }));
    const left = new AbortController();
    const answer = await waits.asker.run("alerts add", { signal: left.signal });
    left.abort();
    expect(await answer.later?.(left.signal)).toBeUndefined();
  });

  it("brings files, as often as they are opened, until they are disposed of", async () => {
    let disposed = 0;
    const content = "a,b\r\n".repeat(200_000);
    const { asker } = await holder(async () =>
      reply({
        title: "Export",
        attachments: [
          {
            ...memoryAttachment("ledger.csv", "text/csv", content),
            dispose: async () => {
              disposed += 1;
            },
          },
        ],
      }),
    );
    const answer = await asker.run("ledger export", { signal: never });
    const [file] = answer.attachments;
    expect(file).toMatchObject({ name: "ledger.csv", mediaType: "text/csv", sizeBytes: 1_000_000 });
    expect(await readText(file!.open())).toBe(content);
    expect(await readText(file!.open())).toBe(content);
    expect(disposed).toBe(0);
    await disposeReply(answer);
    expect(disposed).toBe(1);
    await expect(readText(file!.open())).rejects.toThrow(UserError);
  });

  it("gives up the files of an answer that nobody fetched, when it stops", async () => {
    let disposed = false;
    const { asker } = await holder(async () => {
      const file = memoryAttachment("a.csv", "text/csv", "a");
      return reply({ title: "x", attachments: [{ ...file, dispose: async () => void (disposed = true) }] });
    });
    await asker.run("x", { signal: never });
    expect(disposed).toBe(false);
    await server?.close();
    expect(disposed).toBe(true);
  });

  it("is cancelled there when it is cancelled here", async () => {
    const stopped = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<undefined>();
    const { asker } = await holder(async (_line, { signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      begun.resolve(undefined);
      await stopped.promise;
      return reply({ title: "too late" });
    });
    const controller = new AbortController();
    const answer = asker.run("ledger export", { signal: controller.signal });
    await begun.promise;
    controller.abort();
    expect(await answer).toMatchObject({ failure: "caller" });
    expect(cancelledReply(await stopped.promise)).toMatchObject({ failure: "caller" });
  });

  it("says of a stop of the holder that it is one", async () => {
    const { asker } = await holder(async (_line, { signal }) => {
      queueMicrotask(() => void server?.close());
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return cancelledReply(signal.reason);
    });
    expect(await asker.run("ledger export", { signal: never })).toMatchObject({ failure: "network" });
  });

  it("ends with a sentence when the holder goes away in the middle", async () => {
    const { asker } = await holder(async () => {
      queueMicrotask(() => void server?.close());
      await new Promise(() => undefined);
      return reply({ title: "never" });
    });
    await expect(asker.run("time", { signal: never })).rejects.toThrowErrorMatchingSnapshot();
  });

  it("ends with a sentence when nobody is there, or somebody of another kind", async () => {
    await expect(holderRunner(path.join(folder, "none")).run("time", { signal: never })).rejects.toThrow(UserError);
    const { address } = await holder(async () => reply({ title: "x" }));
    expect(await raw(address, "GET", "/")).toMatchObject({ status: 404 });
    expect(await raw(address, "POST", "/invocations", "{")).toMatchObject({ status: 400 });
    expect(await raw(address, "POST", "/invocations", '{"text":1}')).toMatchObject({ status: 400 });
    const tooLong = `{"text":"${"x".repeat(70_000)}"}`;
    expect(await raw(address, "POST", "/invocations", tooLong)).toMatchObject({ status: 413 });
    expect(await raw(address, "POST", "/run", '{"line":"time"}')).toMatchObject({ status: 404 });
    expect(await raw(address, "GET", `/files/${"0".repeat(32)}`)).toMatchObject({ status: 404 });
  });

  it("is completed there", async () => {
    const { asker } = await holder(async () => reply({ title: "x" }));
    expect(await asker.complete("market")).toEqual([
      { line: "market list", label: "All" },
      { line: "market show", label: "" },
    ]);
  });
});

describe("the holder's socket", () => {
  it("is this user's alone, and gone when the holder has stopped", async () => {
    const { address } = await holder(async () => reply({ title: "x" }));
    expect(address).toBe(`${databaseFile}.sock`);
    expect(statSync(address).mode & 0o777).toBe(0o600);
    await server?.close();
    expect(existsSync(address)).toBe(false);
  });

  it("takes the place of one that a killed process left behind", async () => {
    writeFileSync(`${databaseFile}.sock`, "");
    const { asker } = await holder(async () => reply({ title: "x" }));
    expect(plainText((await asker.run("time", { signal: never })).title)).toBe("x");
  });

  it("lies elsewhere where the path is too long for a socket", async () => {
    databaseFile = path.join(folder, "deep".repeat(30), "b.db");
    const { address, asker } = await holder(async () => reply({ title: "x" }));
    expect(Buffer.byteLength(address)).toBeLessThan(104);
    expect(plainText((await asker.run("time", { signal: never })).title)).toBe("x");
  });
});

describe("whoever looks for the holder", () => {
  it("finds nobody where nobody is, and makes no folder by looking", async () => {
    expect(await findHolder(path.join(folder, "none/b.db"))).toBeUndefined();
    expect(existsSync(path.join(folder, "none"))).toBe(false);
    expect(await findHolder(databaseFile)).toBeUndefined();
  });

  it("is not taken in by what a killed process left behind", async () => {
    const address = `${databaseFile}.sock`;
    writeFileSync(address, "");
    writeHolderRecord(databaseFile, { pid: 2 ** 22 + 1, socket: address });
    expect(await findHolder(databaseFile)).toBeUndefined();
  });

  it("waits for one that is starting", async () => {
    const lock = tryProcessLock(databaseFile);
    writeHolderRecord(databaseFile, { pid: process.pid });
    const looking = findHolder(databaseFile);
    const { address } = await holder(async () => reply({ title: "x" }));
    writeHolderRecord(databaseFile, { pid: process.pid, socket: address });
    expect(await looking).toBe(address);
    lock?.release();
  });

  it("goes by the record, wherever the socket lies", async () => {
    const address = path.join(folder, "elsewhere.sock");
    const other = createServer().listen(address);
    writeHolderRecord(databaseFile, { pid: process.pid, socket: address });
    expect(await findHolder(databaseFile)).toBe(address);
    other.close();
  });
});
