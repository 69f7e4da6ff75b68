import { existsSync } from "node:fs";
import { mkdtemp, rmdir, statfs } from "node:fs/promises";
import path from "node:path";

import { fault, type Finding, ok } from "../../adapters/finding.ts";
import { codeOf } from "../../errors.ts";
import { formatBytes } from "../../units/format-number.ts";

/** Whether the folder of EXPORT_DIR, or the parent in which it is to be made, takes files. */
export async function examineExportPlace(folder: string): Promise<Finding> {
  const check = "EXPORT_DIR";
  let there = path.resolve(folder);
  while (!existsSync(there) && path.dirname(there) !== there) there = path.dirname(there);
  try {
    await rmdir(await mkdtemp(path.join(there, ".bellwether-probe-")));
  } catch (thrown) {
    const remedy = "Name a folder to which this user may write: no ledger export can be made there.";
    return fault(check, `${there} takes no files (${codeOf(thrown)})`, remedy);
  }
  const { bavail, bsize } = await statfs(there);
  return ok(check, `${formatBytes(bavail * bsize)} are free in ${there}`);
}
