import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { afterEach, beforeEach, expect, it } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { saying } from "../support/said.ts";

const WRITER = path.join(import.meta.dirname, "../support/store-writer.ts");

let folder: string;
let file: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-kill-"));
  file = path.join(folder, "b.db");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

/** Starts a writer, kills it after so many lines, and returns the lines it printed. */
async function killedAfter(lines: number, from: number): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, file, String(from)], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return printed;
}

it("a killed process leaves its database at once to the next, with every acknowledged row", async () => {
  const acknowledged: string[] = [];
  for (const lines of [1, 2, 130]) {
    const [claimed, ...rows] = await killedAfter(lines, acknowledged.length);
    expect(claimed).toBe("claimed");
    acknowledged.push(...rows);
  }
  const store = createStore({ url: file, log: silentLog(), waitMillis: 0 });
  await store.claim();
  for (const row of acknowledged) {
    const [key, index] = row.split(" ");
    expect(await store.payloads.get(key!)).toEqual({ index: Number(index) });
  }
  await store.close();
  expect(acknowledged.length).toBeGreaterThan(120);
});

it("a living process keeps its database from every other, which names it", async () => {
  const child = spawn(process.execPath, [WRITER, file, "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  child.stdout.resume();
  await once(child.stdout, "data");
  const store = createStore({ url: file, log: silentLog(), waitMillis: 50 });
  await expect(store.claim()).rejects.toThrow(saying(file, child.pid!));
  child.kill("SIGKILL");
  await once(child, "exit");
  await expect(store.claim()).resolves.toBeUndefined();
  await store.close();
});
