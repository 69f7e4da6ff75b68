import path from "node:path";

import { loadConfig } from "../config/config.ts";
import { UserError } from "../errors.ts";
import { backUp } from "../store/file/backup.ts";
import { databaseFile } from "../store/file/database-url.ts";
import { formatBytes } from "../units/format-number.ts";

/** Copies the database, whether or not the bot runs. */
export async function backup(args: readonly string[]): Promise<number> {
  const [into, ...more] = args;
  if (into === undefined || more.length > 0 || into.startsWith("-")) {
    throw new UserError("npm run backup takes the file to write.", {
      remedy: "For instance: npm run backup -- backups/bellwether-$(date +%F).db",
    });
  }
  const file = databaseFile(loadConfig().databaseUrl);
  const { bytes, schema } = backUp(file, path.resolve(into));
  console.log(`${into}: ${formatBytes(bytes)}, schema ${schema ?? "empty"}, read through and whole.`);
  return 0;
}
