import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";

/** Where a database is written without waiting for a disk; its durability is tested with the store. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();

/** A database of the newest schema without rows: the migrations take longer than most tests. */
let migrated: Promise<Buffer> | undefined;

export interface ScratchDatabase {
  /** Has nothing else in it. */
  readonly folder: string;
  readonly file: string;
  remove(): Promise<void>;
}

/** A migrated database without rows in a folder of its own. */
export async function scratchDatabase(): Promise<ScratchDatabase> {
  migrated ??= migrate();
  const made = await scratchFolder();
  await writeFile(made.file, await migrated, { mode: 0o600 });
  return made;
}

/** An empty folder for a database. */
export async function scratchFolder(): Promise<ScratchDatabase> {
  const folder = await mkdtemp(path.join(ROOT, "bellwether-scratch-"));
  return { folder, file: path.join(folder, "b.db"), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function migrate(): Promise<Buffer> {
  const made = await scratchFolder();
  const store = createStore({ url: made.file, log: silentLog() });
  await store.ping();
  await store.close();
  const bytes = await readFile(made.file);
  await made.remove();
  return bytes;
}
