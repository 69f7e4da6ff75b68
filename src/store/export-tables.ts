import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/time.ts";
import { inBatches, isNoneOf } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { ExportChanges, ExportFileRow, ExportOwner, NewExportJob } from "./store.ts";

/** Ledger exports: those that wait or run, those that ended recently, and the accounts and hashes of earlier ones. */
export function createExportTables(db: Kysely<Schema>) {
  return { ...createJobTables(db), ...createFileTables(db) };
}

function createJobTables(db: Kysely<Schema>) {
  return {
    add: async (job: NewExportJob) => void (await db.insertInto("export_jobs").values(job).execute()),

    update: async (code: string, changes: ExportChanges) =>
      void (await db.updateTable("export_jobs").set(changes).where("code", "=", code).execute()),

    get: (code: string) => db.selectFrom("export_jobs").selectAll().where("code", "=", code).executeTakeFirst(),

    /** The jobs that have not expired, newest first; of everybody where no owner is named. */
    list: (owner: ExportOwner | undefined, at: Milliseconds, limit: number) =>
      newest(db, owner, limit)
        .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", at)]))
        .execute(),

    /**
     * The jobs whose files can be recognised by more than a hash, newest first; of everybody where no owner is named.
     */
    recognisable: (owner: ExportOwner | undefined, limit: number) =>
      newest(db, owner, limit).where("account", "is not", null).execute(),

    /** Queued or running in a process that lives, oldest first. `self` is this process, which lives. */
    open: (self: string) =>
      unended(db)
        .where((eb) =>
          eb.or([eb("process", "=", self), eb("process", "in", eb.selectFrom("processes").select("processes.id"))]),
        )
        .execute(),

    /** Queued or running in a process that does not live any more, oldest first. */
    abandoned: (self: string) =>
      unended(db)
        .where((eb) =>
          eb.or([
            eb("process", "is", null),
            eb("process", "!=", self).and("process", "not in", eb.selectFrom("processes").select("processes.id")),
          ]),
        )
        .execute(),

    /** For each person who waits for an export: when the last one that had begun ended. */
    served: () =>
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

    /** When the last whole exports of a network began and ended, the last one first. */
    async lastTurns(network: string, limit: number) {
      const rows = await db
        .selectFrom("export_jobs")
        .select(["started_at", "ended_at"])
        .where("network", "=", network)
        .where("state", "in", ["delivered", "kept"])
        .where("started_at", "is not", null)
        .where("ended_at", "is not", null)
        .where("expires_at", "is not", null)
        // All are kept equally long, and there is an index on this column.
        .orderBy("expires_at", "desc")
        .orderBy("code")
        .limit(limit)
        .execute();
      return rows.map(({ started_at, ended_at }) => ({ began: started_at ?? 0, ended: ended_at ?? 0 }));
    },
  };
}

function createFileTables(db: Kysely<Schema>) {
  return {
    addFiles: (files: readonly ExportFileRow[]) =>
      inBatches(files, (batch) => db.insertInto("export_files").values(batch).execute()),

    files: (code: string) =>
      db.selectFrom("export_files").selectAll().where("code", "=", code).orderBy("name").execute(),

    /** Every file whose bytes are kept, oldest job first. */
    kept: () =>
      keptFiles(db).orderBy("export_jobs.ended_at").orderBy("export_files.code").orderBy("export_files.name").execute(),

    /** The kept file behind a link, of a job that has not expired. */
    linked: (link: string, at: Milliseconds) =>
      keptFiles(db).where("export_files.link", "=", link).where("export_jobs.expires_at", ">", at).executeTakeFirst(),

    /** The jobs that made a file of this hash, or of one of these names, newest first. */
    ofFile(by: { readonly sha256: string } | { readonly names: readonly string[] }, limit: number) {
      const files = db.selectFrom("export_files").select("export_files.code");
      const found = "sha256" in by ? files.where("sha256", "=", by.sha256) : files.where("name", "in", [...by.names]);
      return newest(db, undefined, limit).where("code", "in", found).execute();
    },

    /** Notes that the bytes of a job's files are gone. */
    drop: async (code: string) =>
      void (await db.updateTable("export_files").set({ path: null, link: null }).where("code", "=", code).execute()),

    /**
     * Of jobs that expired by `at`, clears the columns that name a party, and deletes those that made no file. Deletes
     * all jobs that were made before `before`.
     */
    async prune(at: Milliseconds, before: Milliseconds) {
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
    },
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

/** The files whose bytes are kept, with their jobs. */
function keptFiles(db: Kysely<Schema>) {
  return db
    .selectFrom("export_files")
    .innerJoin("export_jobs", "export_jobs.code", "export_files.code")
    .selectAll("export_files")
    .where("export_files.path", "is not", null);
}

/** The newest jobs of one person, or of everybody. */
function newest(db: Kysely<Schema>, owner: ExportOwner | undefined, limit: number) {
  const jobs = db.selectFrom("export_jobs").selectAll();
  const all = jobs.orderBy("created_at", "desc").orderBy("code").limit(limit);
  if (owner === undefined) return all;
  const own = all.where("platform", "=", owner.platform).where("person", "=", owner.person);
  return owner.workspace === undefined ? own : own.where("workspace", "=", owner.workspace);
}
