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

/** The rows of a table that belong to a place, and what is done before they are deleted. */
interface Belongings {
  readonly where?: (place: Place) => Condition;
  readonly first?: (db: Kysely<Schema>, place: Place) => Promise<unknown>;
}

/** Why no row of a table is deleted here. */
type NoWorkspaces = "the network's" | "the operator's" | "gone within 30 days" | "deleted first";

/** How the rows of a workspace are deleted, table by table, in this order. */
export const OF_WORKSPACE: { readonly [T in keyof Schema]: Belongings | NoWorkspaces } = {
  saved_parties: { where: ({ platform, workspace }) => beginsWith("owner", `${platform}:${workspace}:`) },
  answer_choices: { where: isIn },
  open_answers: { where: isIn },
  export_files: { where: (place) => sql`code in (select code from export_jobs where ${isIn(place)})` },
  // The next sweep removes files on the disk that no row names.
  export_jobs: { where: isIn },
  alert_subscriptions: {
    // Makes other processes read subscriptions and silences anew.
    first: (db) => takeNumbers(db, REVISION_COUNTER, 1),
    where: isTo,
  },
  alert_silences: {
    where: ({ platform, workspace, destinations }) =>
      anyOf(
        [`"destination":"${platform}/${workspace}/`, ...destinations.map((key) => `"destination":"${key}"`)].map(
          (named) => contains(sql.ref("data"), named),
        ),
      ),
  },
  alert_notification_states: {
    // Makes them read notification states anew.
    first: (db, place) =>
      db
        .updateTable("alert_episodes")
        .set((eb) => ({ notification_revision: eb("notification_revision", "+", 1) }))
        .where("id", "in", db.selectFrom("alert_notification_states").select("episode").where(isTo(place)))
        .execute(),
    where: isTo,
  },
  alert_receipts: { where: isOfDelivery },
  alert_items: { where: isOfDelivery },
  alert_deliveries: { where: isTo },
  alert_messages: { first: forgetMessages },
  alert_decisions: {
    where: (place) => anyOf([isTo(place), sql`destination = ${`${place.platform}/${place.workspace}`}`]),
  },
  alert_episodes: { first: forgetAcknowledgements },
  // Ids that its people looked at are stored under a name of the network for this workspace.
  seen_ids: { where: ({ platform, workspace }) => endsWith("network", ` ${platform}/${workspace}`) },
  // As adapters write those of one workspace among many.
  button_payloads: {
    where: ({ platform, workspace }) => beginsWith("value", `{"of":${JSON.stringify(`${platform}/${workspace}`)},`),
  },
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
  for (const [table, of] of Object.entries(OF_WORKSPACE)) {
    if (typeof of === "string") continue;
    await of.first?.(db, place);
    if (of.where !== undefined) await sql`delete from ${sql.table(table)} where ${of.where(place)}`.execute(db);
  }
  return true;
}

async function forgetMessages(db: Kysely<Schema>, { messages }: Place): Promise<void> {
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
}

/** An open alert belongs to the network, but who acknowledged it there belongs to the workspace. */
async function forgetAcknowledgements(db: Kysely<Schema>, { platform, workspace }: Place): Promise<void> {
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
    db.selectFrom("alert_items").select("message").where(isOfDelivery(place)).execute(),
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

function isOfDelivery(place: Place): Condition {
  return sql<SqlBool>`delivery in (select id from alert_deliveries where ${isTo(place)})`;
}

function isIn({ platform, workspace }: Place): Condition {
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
