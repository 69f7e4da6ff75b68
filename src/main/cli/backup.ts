import path from "node:path";

import { loadConfig } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { backUp, restore as restoreFile } from "../../store/file/backup.ts";
import { databaseFile } from "../../store/file/database-url.ts";
import { isPostgresUrl } from "../../store/postgres-url.ts";
import { formatBytes } from "../../units/format-number.ts";
import { fileTimestamp } from "../holder/claim-database.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";

const WITHOUT_LOOKS = "--without-looks";

/** Copies the database, whether or not the bot runs. */
export async function backup(args: readonly string[]): Promise<number> {
  const isWhole = !args.includes(WITHOUT_LOOKS);
  const into = onlyArgument(
    args.filter((arg) => arg !== WITHOUT_LOOKS),
    `npm run backup takes the file to write, and ${WITHOUT_LOOKS} where that leaves out what the watchers saw.`,
    "backup -- backups/bellwether-$(date +%F).db",
  );
  const file = embeddedFile("pg_dump --format=custom --exclude-table-data=open_answers --file=bellwether.dump");
  const { bytes, schema } = backUp(file, path.resolve(into), isWhole);
  console.log(`${into}: ${formatBytes(bytes)}, schema ${schema ?? "empty"}, read through and whole.`);
  return 0;
}

/** Puts a backup in the place of the database; the bot must be stopped. */
export async function restore(args: readonly string[]): Promise<number> {
  const sentence = "npm run restore takes the backup to bring back.";
  const backup = onlyArgument(args, sentence, "restore -- backups/bellwether-2024-06-03.db");
  const file = embeddedFile("pg_restore --clean --if-exists --single-transaction");
  const suffix = `before-restore-${fileTimestamp(new Date())}`;
  const { before, owed } = await restoreFile(file, path.resolve(backup), suffix);
  console.log(`${file} is as it was in ${backup}.`);
  if (before !== undefined) console.log(`What was there before is ${before}.`);
  if (owed > 0)
    console.log(`${owed} messages in it are not sent yet: the next start sends them, marked as possible repeats.`);
  return 0;
}

function onlyArgument(args: readonly string[], sentence: string, example: string): string {
  const [file, ...more] = args;
  if (file !== undefined && more.length === 0 && !file.startsWith("-")) return file;
  throw new UserError(sentence, { remedy: `For instance: npm run ${example}` });
}

/** The file in DATABASE_URL. Throws UserError for a server, which has a program of its own for this. */
function embeddedFile(program: string): string {
  const { databaseUrl } = loadConfig(PLATFORM_RECORDS);
  if (!isPostgresUrl(databaseUrl)) return databaseFile(databaseUrl);
  throw new UserError("The database is on a PostgreSQL server, whose own programs copy it and bring it back.", {
    remedy: `Type ${program} with the address of the database; docs/operations/postgresql.md shows both.`,
  });
}
