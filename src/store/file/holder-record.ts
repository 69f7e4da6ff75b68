import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { z } from "zod";

import { UserError } from "../../errors.ts";
import { identityOf } from "./file-identity.ts";

/** Names the process that holds a database. Only the lock shows whether the database is held at all. */
export const HolderRecord = z.object({
  pid: z.int().positive(),
  /** Where the holder answers command lines, once it does. */
  socket: z.string().exactOptional(),
  /** The address of its web console, where it has one. */
  console: z.string().exactOptional(),
  /** The file that it holds: another one may be in its place by now. */
  identity: z.string().exactOptional(),
});
export type HolderRecord = z.infer<typeof HolderRecord>;

function recordFileOf(databaseFile: string): string {
  return `${databaseFile}.holder`;
}

/** Only the holder of the lock may call this, with the file open. */
export function writeHolderRecord(databaseFile: string, record: HolderRecord): void {
  const file = recordFileOf(databaseFile);
  const identity = identityOf(databaseFile);
  const whole: HolderRecord = identity === undefined ? record : { ...record, identity };
  writeFileSync(`${file}.new`, JSON.stringify(whole), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Only the holder of the lock may call this. */
export function removeHolderRecord(databaseFile: string): void {
  rmSync(recordFileOf(databaseFile), { force: true });
}

/** The last holder's record; it may have died since. Undefined where there is none that can be read. */
export function readHolderRecord(databaseFile: string): HolderRecord | undefined {
  try {
    return HolderRecord.parse(JSON.parse(readFileSync(recordFileOf(databaseFile), "utf8")));
  } catch {
    return undefined;
  }
}

/** The record of a holder whose process exists; the process may hold another file by now. */
export function livingHolder(databaseFile: string): HolderRecord | undefined {
  const record = readHolderRecord(databaseFile);
  return record !== undefined && processLives(record.pid) ? record : undefined;
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

/** Another process holds the database, which is sound. */
export class DatabaseInUse extends UserError {
  constructor(file: string) {
    const holder = livingHolder(file);
    const who = holder === undefined ? "another process" : `process ${holder.pid}`;
    super(`The database ${file} is in use by ${who}.`, {
      remedy: "Stop that one first, or name another file in DATABASE_URL.",
    });
  }
}
