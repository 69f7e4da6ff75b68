import { parseArgs } from "node:util";

import { UserError } from "../../errors.ts";
import { moveStore } from "../../store/move-store/move-store.ts";
import { EXIT_BUG } from "./cli.ts";

const USAGE =
  "For instance: npm run migrate-store -- --from file:./data/bellwether.db --to postgres://user:password@host/bellwether";

/** Copies a database from a file to a server, or back, and compares both. */
export async function migrateStore(args: readonly string[]): Promise<number> {
  const { from, to } = parsed(args);
  const moved = await moveStore(from, to);
  for (const [index, { table, rows, sha256 }] of moved.from.entries()) {
    const there = moved.to[index];
    const same = there?.rows === rows && there.sha256 === sha256;
    console.log(`${table.padEnd(20)}${String(rows).padStart(9)} rows  ${sha256}  ${same ? "equal" : "DIFFERENT"}`);
    if (!same) console.log(`${"  there".padEnd(20)}${String(there?.rows).padStart(9)} rows  ${there?.sha256}`);
  }
  if (!moved.equal) {
    console.error("The copy differs, so nothing of it was kept. Report this: it is a bug of Bellwether's.");
    return EXIT_BUG;
  }
  const rows = moved.from.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${rows} rows were copied, and both sides are equal. Set DATABASE_URL to the new database, then start.`);
  return 0;
}

function parsed(args: readonly string[]): { readonly from: string; readonly to: string } {
  try {
    const { values } = parseArgs({ args: [...args], options: { from: { type: "string" }, to: { type: "string" } } });
    if (values.from !== undefined && values.to !== undefined) return { from: values.from, to: values.to };
  } catch {
    // The sentence below says what it takes; what was given may hold a password.
  }
  throw new UserError("npm run migrate-store takes --from and --to, each as in DATABASE_URL.", { remedy: USAGE });
}
