import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A folder on a disk of its own, which can be filled to its last byte. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  empty(): void;
  remove(): void;
}

/** A disk of 60 MB, for a tablespace; undefined where this user may mount none. */
export function smallDisk(): SmallDisk | undefined {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-small-disk-"));
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=60m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const inside = path.join(folder, "data");
  execFileSync("mkdir", [inside]);
  if (process.getuid?.() === 0) chownSync(inside, 65_534, 65_534);
  const filler = path.join(folder, "filler");
  return {
    folder: inside,
    fill() {
      const block = Buffer.alloc(1024 * 1024);
      try {
        for (;;) writeFileSync(filler, block, { flag: "a" });
      } catch {
        // It is full.
      }
    },
    empty: () => rmSync(filler),
    remove() {
      execFileSync("/bin/umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
