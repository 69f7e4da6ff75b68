import { type Kysely, sql } from "kysely";

import { takeNumbers, contains, inBatches, isPostgres } from "../queries.ts";
import { REVISION_COUNTER } from "../alert-tables/subscriptions.ts";
import { type Schema, TABLES } from "../schema.ts";
import type { Person } from "../store.ts";

/** They replace an id and a name. */
const ERASED_ID = "erased";
const ERASED_NAME = "somebody";

/**
 * Erases a person's data, inside a transaction. Rows that are theirs alone are deleted; in rows of a channel or
 * workspace, their id and name are replaced. It covers all tables and columns that the database has, so that a new one
 * is not forgotten.
 */
export async function erasePerson(db: Kysely<Schema>, { owner, platform, workspace, id, name }: Person): Promise<void> {
  await db.deleteFrom("saved_parties").where("owner", "=", owner).execute();
  // On the console and in the terminal, the id names no person.
  if (platform === undefined) return;
  // The key of the destination of direct messages to them.
  const own = [platform, workspace ?? "", `user:${id}`, ""].map(encodeURIComponent).join("/");
  const deliveries = db.selectFrom("alert_deliveries").select("id").where("destination", "=", own);
  await db.deleteFrom("alert_receipts").where("delivery", "in", deliveries).execute();
  await db.deleteFrom("alert_items").where("delivery", "in", deliveries).execute();
  await db
    .deleteFrom("button_payloads")
    .where(contains(sql.ref("value"), JSON.stringify(id)))
    .execute();
  const exported = db
    .selectFrom("export_jobs")
    .select("code")
    .where("platform", "=", platform)
    .where("person", "=", id)
    .$if(workspace !== undefined, (query) => query.where("workspace", "=", workspace ?? ""));
  const codes = (await exported.execute()).map(({ code }) => code);
  await inBatches(codes, async (batch) => {
    await db.deleteFrom("export_files").where("code", "in", batch).execute();
    await db.deleteFrom("export_jobs").where("code", "in", batch).execute();
  });
  await takeNumbers(db, REVISION_COUNTER, 1);
  const schema = await currentSchema(db);
  for (const table of await db.introspection.getTables()) {
    // On a server, the database may have tables of others.
    if (!Object.hasOwn(TABLES, table.name) || (table.schema !== undefined && table.schema !== schema)) continue;
    const columns = table.columns.filter(({ dataType }) => /text/iu.test(dataType));
    // In another workspace the same id is another person's.
    const isTheirs =
      workspace === undefined
        ? sql<boolean>`1 = 1`
        : sql<boolean>`(${sql.join(
            columns.map(({ name: column }) => contains(sql`coalesce(${sql.ref(column)}, '')`, workspace)),
            sql` or `,
          )})`;
    if (columns.some((column) => column.name === "destination")) {
      await sql`delete from ${sql.table(table.name)} where destination = ${own}`.execute(db);
    }
    for (const column of columns) {
      const value = sql.ref(column.name);
      for (const [before, after] of replacements({ id, name })) {
        await sql`update ${sql.table(table.name)} set ${value} = replace(${value}, ${before}, ${after})
          where ${contains(value, before)} and ${isTheirs}`.execute(db);
      }
    }
  }
  await db
    .updateTable("answer_choices")
    .set({ chosen_by: ERASED_NAME })
    .where("chosen_by", "=", name)
    .$if(workspace !== undefined, (query) => query.where("workspace", "=", workspace ?? ""))
    .execute();
  await eraseFromLog(db, name, workspace);
}

async function currentSchema(db: Kysely<Schema>): Promise<string | undefined> {
  if (!isPostgres(db)) return undefined;
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name;
}

/** Lines of the log contain `by ann`, followed by a comma, a colon, a semicolon, a space or nothing. */
async function eraseFromLog(db: Kysely<Schema>, name: string, workspace: string | undefined): Promise<void> {
  const said = `by ${name}`;
  const lines = await db
    .selectFrom("alert_decisions")
    .select(["seq", "detail"])
    .where(contains(sql.ref("detail"), said))
    .$if(workspace !== undefined, (query) => query.where(contains(sql.ref("destination"), workspace ?? "")))
    .execute();
  for (const { seq, detail } of lines) {
    const parts = (detail ?? "").split(said);
    const erased = parts.reduce((before, after) =>
      /^(?:$|[,:; ])/u.test(after) ? `${before}by ${ERASED_NAME}${after}` : `${before}${said}${after}`,
    );
    await db.updateTable("alert_decisions").set({ detail: erased }).where("seq", "=", seq).execute();
  }
}

/** The forms of ids and names in rows, with their replacements. */
function replacements({ id, name }: Pick<Person, "id" | "name">): readonly (readonly [string, string])[] {
  const [said, nobody] = [JSON.stringify(name), JSON.stringify(ERASED_NAME)];
  return [
    [`{"id":${JSON.stringify(id)},"name":${said}}`, `{"id":"${ERASED_ID}","name":${nobody}}`],
    [id, ERASED_ID],
    [`"by":${said}`, `"by":${nobody}`],
  ];
}
