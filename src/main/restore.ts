import path from "node:path";

import { loadConfig } from "../config/config.ts";
import { UserError } from "../errors.ts";
import { restore as restoreFile } from "../store/file/backup.ts";
import { databaseFile } from "../store/file/database-url.ts";
import { stamp } from "./stamp.ts";

/** Puts a backup in the place of the database; the bot must be stopped. */
export async function restore(args: readonly string[]): Promise<number> {
  const [backup, ...more] = args;
  if (backup === undefined || more.length > 0 || backup.startsWith("-")) {
    throw new UserError("npm run restore takes the backup to bring back.", {
      remedy: "For instance: npm run restore -- backups/bellwether-2024-06-03.db",
    });
  }
  const file = databaseFile(loadConfig().databaseUrl);
  const suffix = `before-restore-${stamp(new Date())}`;
  const { before, owed } = await restoreFile(file, path.resolve(backup), suffix);
  console.log(`${file} is as it was in ${backup}.`);
  if (before !== undefined) console.log(`What was there before is ${before}.`);
  if (owed > 0) console.log(`It owes ${owed} messages: they are sent with the next start, marked as possible repeats.`);
  return 0;
}
