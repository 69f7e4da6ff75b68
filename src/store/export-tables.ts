import type { Kysely } from "kysely";

import { isNoneOf, type WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { ExportOwner, ExportTables } from "./store.ts";

type JobTables = Pick<
  ExportTables,
  "add" | "update" | "get" | "list" | "recognisable" | "open" | "abandoned" | "served" | "durations"
>;

export function createExportTables(withDatabase: WithDatabase): ExportTables {
  return { ...createJobTables(withDatabase), ...createFileTables(withDatabase) };
}

function createJobTables(withDatabase: WithDatabase): JobTables {
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

    open: (self) =>
      withDatabase((db) =>
        unended(db)
          .where((eb) =>
            eb.or([eb("process", "=", self), eb("process", "in", eb.selectFrom("processes").select("processes.id"))]),
          )
          .execute(),
      ),

    abandoned: (self) =>
      withDatabase((db) =>
        unended(db)
          .where((eb) =>
            eb.or([
              eb("process", "is", null),
              eb.and([
                eb("process", "!=", self),
                eb("process", "not in", eb.selectFrom("processes").select("processes.id")),
              ]),
            ]),
          )
          .execute(),
      ),

    served: () =>
      withDatabase((db) =>
        db
          .selectFrom("export_jobs as job")
          .select(["job.platform", "job.person"])
          .select((eb) => eb.fn.max<number>("job.ended_at").as("at"))
          .where("job.started_at", "is not", null)
          .where("job.ended_at", "is not", null)
          .where((eb) =>
            eb.exists(
              eb
                .selectFrom("export_jobs as waiting")
                .select("waiting.code")
                .where("waiting.state", "=", "queued")
                .whereRef("waiting.platform", "=", "job.platform")
                .whereRef("waiting.person", "=", "job.person"),
            ),
          )
          .groupBy(["job.platform", "job.person"])
          .execute(),
      ),

    durations: (network, limit) =>
      withDatabase(async (db) => {
        const rows = await db
          .selectFrom("export_jobs")
          .select((eb) => eb("ended_at", "-", eb.ref("started_at")).as("millis"))
          .where("network", "=", network)
          .where("state", "in", ["delivered", "kept"])
          .where("started_at", "is not", null)
          .where("ended_at", "is not", null)
          .where("expires_at", "is not", null)
          // All are kept for equally long, and this is what the index has.
          .orderBy("expires_at", "desc")
          .orderBy("code")
          .limit(limit)
          .execute();
        return rows.map(({ millis }) => Number(millis));
      }),
  };
}

function createFileTables(withDatabase: WithDatabase): Omit<ExportTables, keyof JobTables> {
  return {
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

/** The jobs that wait or run, oldest first. */
function unended(db: Kysely<Schema>) {
  return db
    .selectFrom("export_jobs")
    .selectAll()
    .where("state", "in", ["queued", "running"])
    .orderBy("created_at")
    .orderBy("code");
}

/** The jobs of one person, or of everybody. */
function ofOwner(db: Kysely<Schema>, owner: ExportOwner | undefined) {
  const all = db.selectFrom("export_jobs").selectAll();
  if (owner === undefined) return all;
  const own = all.where("platform", "=", owner.platform).where("person", "=", owner.person);
  return owner.workspace === undefined ? own : own.where("workspace", "=", owner.workspace);
}
