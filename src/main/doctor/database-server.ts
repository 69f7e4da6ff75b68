import { readdir } from "node:fs/promises";

import { fault, type Finding, noAnswer, ok, warning } from "../../adapters/finding.ts";
import { StorageError } from "../../errors.ts";
import { processMark } from "../../export/jobs/kept-files.ts";
import type { LiveProcess } from "../../store/store.ts";
import { inspectServer, OLDEST_SERVER, type ServerInspection } from "../../store/postgres/postgres.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
import { formatBytes } from "../../units/format-number.ts";
import { type ReadAlerts, readAlerts } from "./damaged-rows.ts";
import { type DatabaseExamination, examineAlerts } from "./database.ts";

const CHECK = "database";
/** A longer transaction keeps dead rows from being removed. */
const LONG_TRANSACTION: Milliseconds = 60_000;
/** Two heartbeats were lost. */
const LATE_BEAT: Milliseconds = 4000;
/** Every change of alerts waits for its turn; the longest wait ends after 15 s. */
const LONG_WAIT: Milliseconds = 5000;
/** Above this share, more of a table is dead than alive. */
const MAX_DEAD_SHARE = 0.5;

/** A database on a server: its version, schema, rights, what slows it down, and the alerts in it. */
export async function examineServer({
  exportFolder,
  ...examination
}: DatabaseExamination & { readonly exportFolder: string }): Promise<Finding[]> {
  const { url, now } = examination;
  const inspected = await inspectServer(url, now, readAlerts).catch((thrown: unknown) => {
    if (thrown instanceof StorageError) return thrown;
    throw thrown;
  });
  if (inspected instanceof StorageError) {
    const remedy = "See that the server runs, and that DATABASE_URL names it.";
    return [noAnswer(CHECK, inspected.message, remedy)];
  }
  const live = inspected.live.map(({ id }) => id);
  return [...findingsOf(inspected, examination), ...(await examineExportFolder(exportFolder, live))];
}

/** The findings of an inspection. */
export function findingsOf(
  inspected: ServerInspection<ReadAlerts>,
  examination: Omit<DatabaseExamination, "url">,
): Finding[] {
  const main = examineState(inspected);
  return [
    main,
    ...inspected.live.map(examineProcess),
    ...examineLoad(inspected),
    ...(main.state === "fault" ? [] : examineAlerts(inspected, examination, inspected.live.length > 0)),
  ];
}

function examineState(inspected: ServerInspection<unknown>): Finding {
  const { server, version, bytes, schema, age, writable, mayMigrate, mayWrite, live } = inspected;
  const name = `PostgreSQL ${Math.trunc(version / 10_000)}.${version % 10_000} at ${server}`;
  if (version < OLDEST_SERVER) return fault(CHECK, `${name} is too old`, "Use PostgreSQL 14 or later.");
  if (age === "newer") {
    const remedy = "Run the newer version, or name another database in DATABASE_URL.";
    return fault(CHECK, `${name}: the database was written by a newer version (it has ${schema ?? "?"})`, remedy);
  }
  if (!writable) {
    return fault(CHECK, `${name} takes no writes`, "Name the primary server in DATABASE_URL, not one that follows it.");
  }
  if (age === "older" && !mayMigrate) {
    const remedy =
      "Make this user the owner of the database and of its tables; for an empty database CREATE on the schema is enough.";
    return fault(CHECK, `${name}: this user may not make or change tables`, remedy);
  }
  if (!mayWrite) {
    const remedy = "Name the user who owns the tables, or grant it SELECT, INSERT, UPDATE and DELETE on them all.";
    return fault(CHECK, `${name}: this user may not write to all tables`, remedy);
  }
  const state = age === "older" ? "the next start migrates it" : `schema ${schema ?? "empty"}`;
  const count = live.length;
  const users = count === 1 ? "1 process uses it" : `${count === 0 ? "no" : count} processes use it`;
  return ok(CHECK, `${name}: ${formatBytes(bytes)}, ${state}, ${users}`);
}

/** A process, its duties, and whether it is nearly taken for dead. */
function examineProcess({ id, beatAgo, duties }: LiveProcess): Finding {
  const check = "process";
  const has = duties.map(({ name, epoch }) => `${name} (epoch ${epoch})`).join(", ");
  const what = `${id}: heartbeat ${formatDuration(beatAgo)} ago, ${has === "" ? "no duty" : has}`;
  if (beatAgo < LATE_BEAT) return ok(check, what);
  return warning(check, what, "See its log: others take its duties over 6 s after its last heartbeat.");
}

/** Whether all processes keep the files of exports in this folder, as this machine sees it. */
export async function examineExportFolder(folder: string, live: readonly string[]): Promise<Finding[]> {
  if (live.length < 2) return [];
  const check = "EXPORT_DIR";
  const names = new Set(await readdir(folder).catch(() => []));
  const elsewhere = live.filter((process) => !names.has(processMark(process))).length;
  if (elsewhere === 0) return [ok(check, `all ${live.length} processes keep the files of exports in ${folder}`)];
  const what = `${elsewhere} of ${live.length} processes keep the files of exports elsewhere than in ${folder}`;
  const remedy =
    "Set it to a folder that all of them share: else people must run an export again where they ask another process for its file.";
  return [warning(check, what, remedy)];
}

function examineLoad({ oldestTransaction, waiting, dead, pooled }: ServerInspection<unknown>): Finding[] {
  const findings: Finding[] = [];
  if (oldestTransaction > LONG_TRANSACTION) {
    const what = `a transaction has been open for ${formatDuration(oldestTransaction)}`;
    findings.push(warning("database load", what, "End it: until then no dead rows are removed. See pg_stat_activity."));
  }
  if (waiting > LONG_WAIT) {
    const what = `a transaction has waited for its turn for ${formatDuration(waiting)}`;
    findings.push(warning("database load", what, "See pg_locks and pg_stat_activity for what holds it up."));
  }
  if (dead !== undefined && dead.share > MAX_DEAD_SHARE) {
    const what = `${Math.round(dead.share * 100)} % of the rows in ${dead.table} are dead`;
    findings.push(warning("database load", what, "See whether autovacuum runs, and whether a transaction is open."));
  }
  if (pooled) {
    const what = "a pooler gives each transaction another connection, so that no process can be woken by another one";
    findings.push(
      warning(
        "database pooler",
        what,
        "Connect without the pooler, or accept that messages wait up to a second longer.",
      ),
    );
  }
  return findings;
}
