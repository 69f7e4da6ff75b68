import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { makePrivateFile } from "./own-file.ts";

/** Keeps a database under another name, with what its write-ahead log holds where that cannot be written back. */
export function setAside(file: string, name: string): string {
  try {
    const database = new DatabaseSync(file);
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch {
    // Damaged as it may be, its files are kept as they are.
  }
  makePrivateFile(name);
  copyFileSync(file, name);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${name}-wal`);
  rmSync(`${file}-shm`, { force: true });
  return name;
}
