import { randomBytes } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

import { codeOf } from "../../errors.ts";

const PARTIAL_NAME = /^\..+\.(?<pid>\d+)-[0-9a-f]{12}\.part$/u;
/** Another machine may write into the same folder; its file then grows, while the process is not to be found here. */
const STALE_MILLIS = 10_000;

/** Where a file is written until it is whole: hidden, and named after the process that writes it. */
export function partialFile(folder: string, name: string): string {
  return path.join(folder, `.${name}.${process.pid}-${randomBytes(6).toString("hex")}.part`);
}

/** Removes what processes that were killed in the middle of writing have left in the folder. Never rejects. */
export async function removeStalePartialFiles(folder: string, now: number = Date.now()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.allSettled(
    names.map(async (name) => {
      const pid = Number(PARTIAL_NAME.exec(name)?.groups?.["pid"] ?? process.pid);
      if (isAlive(pid)) return;
      const file = path.join(folder, name);
      const { mtimeMs } = await stat(file);
      if (now - mtimeMs >= STALE_MILLIS) await rm(file, { force: true });
    }),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
