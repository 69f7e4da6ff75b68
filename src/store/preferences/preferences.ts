// Settings of people and servers: saved parties, who sees answers about markets, sign-outs of the console.
// Next: seen-ids.ts (ids for completion), button-payloads.ts (command lines behind buttons).

import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { atomic, contains, inBatches, isPostgres, putRows, REVISION_COUNTER, takeNumbers } from "../queries.ts";
import { type Schema, TABLES } from "../schema.ts";
import type { AnswerChoice, Person, SavedParty, SignOut } from "../store.ts";

/** As many as a completion list shows. */
const MAX_PARTIES_PER_OWNER = 25;

/** They replace an id and a name. */
const ERASED_ID = "erased";
const ERASED_NAME = "somebody";

/** Parties that people saved for themselves. An owner is a person on a platform; only they read their parties. */
export function createSavedParties(db: Kysely<Schema>, now: () => Milliseconds) {
  return {
    /** Saves or renames a party, and puts it first. `full` when its owner has 25 others. */
    save: (owner: string, { id, name }: SavedParty) =>
      atomic<"saved" | "full">(db, async (trx) => {
        const saved = await trx
          .selectFrom("saved_parties")
          .select(["id", "saved_at"])
          .where("owner", "=", owner)
          .execute();
        if (saved.length >= MAX_PARTIES_PER_OWNER && !saved.some((one) => one.id === id)) return "full";
        // Later than all others, also within one millisecond, so that the last one comes first.
        const at = Math.max(now(), ...saved.map((one) => one.saved_at + 1));
        const row = { owner, id, name: name ?? null, saved_at: at };
        await putRows(trx, "saved_parties", { key: ["owner", "id"] }, [row]);
        return "saved";
      }),

    /** The party that was saved last comes first. */
    async list(owner: string) {
      const rows = await db
        .selectFrom("saved_parties")
        .select(["id", "name"])
        .where("owner", "=", owner)
        .orderBy("saved_at", "desc")
        .execute();
      return rows.map(({ id, name }) => ({ id, name: name ?? undefined }));
    },

    /** False when there was none. */
    async forget(owner: string, id: string) {
      const { numDeletedRows } = await db
        .deleteFrom("saved_parties")
        .where((eb) => eb.and({ owner, id }))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /**
     * Erases a person's data in all tables. Their parties, their direct messages and their buttons are deleted; their
     * id and name are replaced in subscriptions, silences and log lines of channels.
     */
    erase: (person: Person) => atomic(db, (trx) => erasePerson(trx, person)),
  };
}

/** The choices of servers and workspaces about their answers: one each. */
export function createAnswerChoices(db: Kysely<Schema>) {
  return {
    async all() {
      const rows = await db.selectFrom("answer_choices").selectAll().execute();
      return rows.map(({ chosen_by: by, chosen_at: at, ...rest }) => ({ ...rest, by, at }));
    },

    /** Replaces the earlier choice there. */
    async keep({ platform, workspace, markets, by, at }: AnswerChoice) {
      const row = { platform, workspace, markets, chosen_by: by, chosen_at: at };
      await putRows(db, "answer_choices", { key: ["platform", "workspace"] }, [row]);
    },
  };
}

/** Sign-outs of the console, kept until their sessions would have ended. */
export function createSignOuts(db: Kysely<Schema>, now: () => Milliseconds) {
  return {
    async all() {
      const rows = await db.selectFrom("console_sign_outs").selectAll().where("ends_at", ">", now()).execute();
      return rows.map(({ session, ends_at: endsAt }) => ({ session, endsAt }));
    },

    async keep({ session, endsAt }: SignOut) {
      await db.deleteFrom("console_sign_outs").where("ends_at", "<=", now()).execute();
      await db
        .insertInto("console_sign_outs")
        .values({ session, ends_at: endsAt })
        .onConflict((conflict) => conflict.column("session").doNothing())
        .execute();
    },
  };
}

/**
 * Erases a person's data, inside a transaction. Rows that are theirs alone are deleted; in rows of a channel or
 * workspace, their id and name are replaced. It covers all tables and columns that the database has, so that a new one
 * is not forgotten.
 */
async function erasePerson(db: Kysely<Schema>, { owner, platform, workspace, id, name }: Person): Promise<void> {
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
    .where((eb) => eb.and({ platform, person: id }))
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
