import { type Kysely, type RawBuilder, sql, type SqlBool } from "kysely";

import { contains, inBatches, isNoneOf, REVISION_COUNTER, takeNumbers } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationRow } from "./store.ts";

/** A workspace, with what must be read before anything is deleted. */
interface Place {
  readonly platform: string;
  readonly workspace: string;
  /** Destinations there whose keys name no workspace, as they were written while the bot served one alone. */
  readonly destinations: readonly string[];
  /** The messages that were sent there, or are to be sent. */
  readonly messages: readonly string[];
}

/** Deletes the rows of a table that belong to a place. */
type Erase = (db: Kysely<Schema>, place: Place) => Promise<unknown>;

/** Why no row of a table is deleted here. */
type NoWorkspaces = "the network's" | "the operator's" | "gone within 30 days" | "deleted first";

/** How the rows of a workspace are deleted, table by table, in this order. */
export const OF_WORKSPACE: { readonly [T in keyof Schema]: Erase | NoWorkspaces } = {
  saved_parties: (db, { platform, workspace }) =>
    db
      .deleteFrom("saved_parties")
      .where(beginsWith("owner", `${platform}:${workspace}:`))
      .execute(),
  answer_choices: (db, { platform, workspace }) =>
    db.deleteFrom("answer_choices").where("platform", "=", platform).where("workspace", "=", workspace).execute(),
  open_answers: (db, { platform, workspace }) =>
    db.deleteFrom("open_answers").where("platform", "=", platform).where("workspace", "=", workspace).execute(),
  export_files: (db, place) =>
    db
      .deleteFrom("export_files")
      .where("code", "in", db.selectFrom("export_jobs").select("code").where(isExportOf(place)))
      .execute(),
  // The next sweep removes files on the disk that no row names.
  export_jobs: (db, place) => db.deleteFrom("export_jobs").where(isExportOf(place)).execute(),
  alert_subscriptions: async (db, place) => {
    await db.deleteFrom("alert_subscriptions").where(isTo(place)).execute();
    // Makes other processes read subscriptions and silences anew.
    await takeNumbers(db, REVISION_COUNTER, 1);
  },
  alert_silences: (db, { platform, workspace, destinations }) =>
    db
      .deleteFrom("alert_silences")
      .where(
        anyOf([
          contains(sql.ref("data"), `"destination":"${platform}/${workspace}/`),
          ...destinations.map((key) => contains(sql.ref("data"), `"destination":"${key}"`)),
        ]),
      )
      .execute(),
  alert_notification_states: async (db, place) => {
    // Makes them read notification states anew.
    await db
      .updateTable("alert_episodes")
      .set((eb) => ({ notification_revision: eb("notification_revision", "+", 1) }))
      .where("id", "in", db.selectFrom("alert_notification_states").select("episode").where(isTo(place)))
      .execute();
    await db.deleteFrom("alert_notification_states").where(isTo(place)).execute();
  },
  alert_receipts: (db, place) =>
    db.deleteFrom("alert_receipts").where("delivery", "in", deliveriesTo(db, place)).execute(),
  alert_items: (db, place) => db.deleteFrom("alert_items").where("delivery", "in", deliveriesTo(db, place)).execute(),
  alert_deliveries: (db, place) => db.deleteFrom("alert_deliveries").where(isTo(place)).execute(),
  alert_messages: async (db, { messages }) => {
    // A chunk may name any of them; they are then deleted once they are 30 days old.
    if ((await db.selectFrom("alert_chunks").select("seq").limit(1).executeTakeFirst()) !== undefined) return;
    await inBatches(messages, (batch) =>
      db
        .deleteFrom("alert_messages")
        .where("id", "in", batch)
        .where(isNoneOf(db, "alert_messages.id", { table: "alert_deliveries", column: "message" }))
        .where(isNoneOf(db, "alert_messages.id", { table: "alert_items", column: "message" }))
        .execute(),
    );
  },
  alert_decisions: (db, { platform, workspace, ...place }) =>
    db
      .deleteFrom("alert_decisions")
      .where(anyOf([isTo({ platform, workspace, ...place }), sql`destination = ${`${platform}/${workspace}`}`]))
      .execute(),
  // An open alert belongs to the network, but who acknowledged it there belongs to the workspace.
  alert_episodes: async (db, { platform, workspace }) => {
    const key = `${platform}/${workspace}`;
    const known = db
      .selectFrom("alert_episodes")
      .select(["id", "data"])
      .where(contains(sql.ref("data"), `"${key}":{`));
    for (const { id, data } of await known.execute()) {
      const { acknowledgedIn, ...episode } = JSON.parse(data) as { acknowledgedIn?: Readonly<Record<string, unknown>> };
      const others = Object.entries(acknowledgedIn ?? {}).filter(([one]) => one !== key);
      const left = others.length === 0 ? {} : { acknowledgedIn: Object.fromEntries(others) };
      await db
        .updateTable("alert_episodes")
        .set({ data: JSON.stringify({ ...episode, ...left }) })
        .where("id", "=", id)
        .execute();
    }
  },
  // Ids that its people looked at are stored under a name of the network for this workspace.
  seen_ids: (db, { platform, workspace }) =>
    db
      .deleteFrom("seen_ids")
      .where(endsWith("network", ` ${platform}/${workspace}`))
      .execute(),
  // As adapters write those of one workspace among many.
  button_payloads: (db, { platform, workspace }) =>
    db
      .deleteFrom("button_payloads")
      .where(beginsWith("value", `{"of":${JSON.stringify(`${platform}/${workspace}`)},`))
      .execute(),
  installations: "deleted first",
  watcher_snapshots: "the network's",
  looks_tail: "the network's",
  looks_chunks: "the network's",
  alert_machines: "the network's",
  alert_counters: "the operator's",
  console_sign_outs: "the operator's",
  database_marks: "the operator's",
  processes: "the operator's",
  leases: "the operator's",
  alert_chunks: "gone within 30 days",
  used_states: "gone within 30 days",
};

/**
 * Deletes an installation that was removed, and all that belongs to its workspace, inside a transaction. False, and
 * nothing is deleted, where it has changed since the row was read.
 */
export async function forgetInstallation(db: Kysely<Schema>, row: InstallationRow): Promise<boolean> {
  const { platform, id, sealed, removed_at: removedAt } = row;
  const { numDeletedRows } = await db
    .deleteFrom("installations")
    .where((eb) => eb.and({ platform, id, sealed, removed_at: removedAt }))
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  const place = await placeOf(db, row);
  for (const erase of Object.values(OF_WORKSPACE)) if (typeof erase === "function") await erase(db, place);
  return true;
}

async function placeOf(db: Kysely<Schema>, { platform, id: workspace }: InstallationRow): Promise<Place> {
  const named = await db
    .selectFrom("alert_subscriptions")
    .select("destination")
    .distinct()
    .where(beginsWith("destination", `${platform}/`))
    .where(contains(sql.ref("data"), `"workspace":${JSON.stringify(workspace)}`))
    .execute();
  const place = { platform, workspace, destinations: named.map(({ destination }) => destination), messages: [] };
  const messages = await Promise.all([
    db.selectFrom("alert_deliveries").select("message").where(isTo(place)).execute(),
    db.selectFrom("alert_items").select("message").where("delivery", "in", deliveriesTo(db, place)).execute(),
  ]);
  return { ...place, messages: [...new Set(messages.flat().map(({ message }) => message))] };
}

type Condition = RawBuilder<SqlBool>;

/** The column `destination` names a place in the workspace. */
function isTo({ platform, workspace, destinations }: Place): Condition {
  return anyOf([
    beginsWith("destination", `${platform}/${workspace}/`),
    ...destinations.map((key) => sql<SqlBool>`${sql.ref("destination")} = ${key}`),
  ]);
}

function deliveriesTo(db: Kysely<Schema>, place: Place) {
  return db.selectFrom("alert_deliveries").select("id").where(isTo(place));
}

function isExportOf({ platform, workspace }: Place): Condition {
  return sql<SqlBool>`platform = ${platform} and workspace = ${workspace}`;
}

function beginsWith(column: string, text: string): Condition {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, length(${text})) = ${text}`;
}

function endsWith(column: string, text: string): Condition {
  return sql<SqlBool>`substr(${sql.ref(column)}, length(${sql.ref(column)}) - length(${text}) + 1) = ${text}`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}
