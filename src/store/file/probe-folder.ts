import { rmSync, statfsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * File systems that hold no database for long, by their number on Linux (statfs(2)): locks and shared memory do not
 * work over a network, and memory ends with the machine.
 */
const UNFIT_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, "a network file system (NFS)"],
  [0x517b, "a network file system (SMB)"],
  [0xff534d42, "a network file system (CIFS)"],
  [0xfe534d42, "a network file system (SMB)"],
  [0x01021997, "a folder of another machine (9p)"],
  [0x786f4256, "a folder of another machine (VirtualBox)"],
  [0x01021994, "in memory (tmpfs), which a restart of the machine empties"],
  [0x858458f6, "in memory (ramfs), which a restart of the machine empties"],
]);

/** Why a file system of this type does not fit for a database; undefined where it does. */
export function unfitMount(type: number): string | undefined {
  return process.platform === "linux" ? UNFIT_TYPES.get(type >>> 0) : undefined;
}

/** The same for the file system of a folder. Throws what the file system throws. */
export function unfitMountOf(folder: string): string | undefined {
  return unfitMount(statfsSync(folder).type);
}

/**
 * Tries whether a folder can hold a database: makes one with a write-ahead log, writes, reads through a second
 * connection, and removes it. Returns the reason where the folder cannot; undefined where it can.
 */
export function probeFolder(folder: string): string | undefined {
  const file = path.join(folder, `.bellwether-probe-${process.pid}.db`);
  try {
    using database = new DatabaseSync(file);
    const mode = database.prepare("PRAGMA journal_mode = WAL").get();
    if (mode?.["journal_mode"] !== "wal") return "SQLite's write-ahead log does not work there";
    database.exec("CREATE TABLE probe (x); BEGIN IMMEDIATE; INSERT INTO probe VALUES (1)");
    using other = new DatabaseSync(file, { timeout: 0 });
    other.prepare("SELECT count(*) FROM probe").get();
    if (takesWrite(other)) return "locks do not work there";
    database.exec("COMMIT");
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${file}${end}`, { force: true });
  }
}

/** Whether a connection can begin to write, which locks must prevent while another one writes. */
function takesWrite(other: DatabaseSync): boolean {
  try {
    other.exec("BEGIN IMMEDIATE");
    return true;
  } catch {
    return false;
  }
}
