import type { Kysely } from "kysely";

import { isNoneOf, type WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { ExportOwner, ExportTables } from "./store.ts";

export function createExportTables(withDatabase: WithDatabase): ExportTables {
  return {
    add: (job) => withDatabase(async (db) => void (await db.insertInto("export_jobs").values(job).execute())),

    update: (code, changes) =>
      withDatabase(
        async (db) => void (await db.updateTable("export_jobs").set(changes).where("code", "=", code).execute()),
      ),

    get: (code) =>
      withDatabase((db) => db.selectFrom("export_jobs").selectAll().where("code", "=", code).executeTakeFirst()),

    list: (owner, at, limit) =>
      withDatabase((db) =>
        ofOwner(db, owner)
          .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", at)]))
          .orderBy("created_at", "desc")
          .orderBy("code")
          .limit(limit)
          .execute(),
      ),

    recognisable: (owner, limit) =>
      withDatabase((db) =>
        ofOwner(db, owner)
          .where("account", "is not", null)
          .orderBy("created_at", "desc")
          .orderBy("code")
          .limit(limit)
          .execute(),
      ),

    abandoned: (self) =>
      withDatabase((db) =>
        db
          .selectFrom("export_jobs")
          .selectAll()
          .where("state", "in", ["queued", "running"])
          .where((eb) =>
            eb.or([
              eb("process", "is", null),
              eb.and([
                eb("process", "!=", self),
                eb("process", "not in", eb.selectFrom("processes").select("processes.id")),
              ]),
            ]),
          )
          .orderBy("created_at")
          .orderBy("code")
          .execute(),
      ),

    addFiles: (files) =>
      withDatabase(async (db) => {
        if (files.length > 0)
          await db
            .insertInto("export_files")
            .values([...files])
            .execute();
      }),

    files: (code) =>
      withDatabase((db) =>
        db.selectFrom("export_files").selectAll().where("code", "=", code).orderBy("name").execute(),
      ),

    kept: () =>
      withDatabase((db) =>
        db
          .selectFrom("export_files")
          .innerJoin("export_jobs", "export_jobs.code", "export_files.code")
          .selectAll("export_files")
          .where("export_files.path", "is not", null)
          .orderBy("export_jobs.ended_at")
          .orderBy("export_files.code")
          .orderBy("export_files.name")
          .execute(),
      ),

    linked: (link, at) =>
      withDatabase((db) =>
        db
          .selectFrom("export_files")
          .innerJoin("export_jobs", "export_jobs.code", "export_files.code")
          .selectAll("export_files")
          .where("export_files.link", "=", link)
          .where("export_files.path", "is not", null)
          .where("export_jobs.expires_at", ">", at)
          .executeTakeFirst(),
      ),

    ofFile: (by, limit) =>
      withDatabase((db) => {
        const files = db.selectFrom("export_files").select("export_files.code");
        const found = "sha256" in by ? files.where("sha256", "=", by.sha256) : files.where("name", "in", [...by.names]);
        return db
          .selectFrom("export_jobs")
          .selectAll()
          .where("code", "in", found)
          .orderBy("created_at", "desc")
          .orderBy("code")
          .limit(limit)
          .execute();
      }),

    drop: (code) =>
      withDatabase(
        async (db) =>
          void (await db
            .updateTable("export_files")
            .set({ path: null, link: null })
            .where("code", "=", code)
            .execute()),
      ),

    prune: (at, before) =>
      withDatabase(async (db) => {
        await db
          .updateTable("export_jobs")
          .set({ invocation: null, channel: null, failure: null, result: null })
          .where("expires_at", "<=", at)
          .where("invocation", "is not", null)
          .execute();
        await db
          .deleteFrom("export_jobs")
          .where("expires_at", "<=", at)
          .where(isNoneOf(db, "export_jobs.code", { table: "export_files", column: "code" }))
          .execute();
        const old = db.selectFrom("export_jobs").select("code").where("created_at", "<", before);
        await db.deleteFrom("export_files").where("code", "in", old).execute();
        await db.deleteFrom("export_jobs").where("created_at", "<", before).execute();
      }),
  };
}

/** The jobs of one person, or of everybody. */
function ofOwner(db: Kysely<Schema>, owner: ExportOwner | undefined) {
  const all = db.selectFrom("export_jobs").selectAll();
  if (owner === undefined) return all;
  const own = all.where("platform", "=", owner.platform).where("person", "=", owner.person);
  return owner.workspace === undefined ? own : own.where("workspace", "=", owner.workspace);
}
