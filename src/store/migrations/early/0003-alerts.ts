import { sql, type CreateTableBuilder, type Kysely } from "kysely";

type Table<C extends string> = CreateTableBuilder<string, C>;
const text = <C extends string, N extends string>(table: Table<C>, name: N): Table<C | N> =>
  table.addColumn(name, "text", (column) => column.notNull());
const millis = <C extends string, N extends string>(table: Table<C>, name: N): Table<C | N> =>
  table.addColumn(name, "bigint", (column) => column.notNull());

export async function alerts(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("alert_counters")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("alert_subscriptions")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .$call((table) => ["destination", "network", "state", "data"].reduce<Table<string>>(text, table))
    .execute();
  await schema
    .createTable("alert_silences")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .$call((table) => text(millis(table, "ends_at"), "data"))
    .execute();
  await schema
    .createTable("watcher_snapshots")
    .$call((table) => text(millis(text(text(table, "network"), "watcher"), "at"), "data"))
    .addPrimaryKeyConstraint("watcher_snapshots_key", ["network", "watcher"])
    .execute();
  await schema
    .createTable("alert_machines")
    .$call((table) => ["network", "rule", "subject", "data"].reduce<Table<string>>(text, table))
    .addPrimaryKeyConstraint("alert_machines_key", ["network", "rule", "subject"])
    .execute();
  await schema
    .createTable("alert_episodes")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("open", "integer", (column) => column.notNull())
    .$call((table) => text(millis(text(table, "network"), "opened_at"), "data"))
    .execute();
  await schema.createIndex("alert_episodes_open").on("alert_episodes").columns(["open", "opened_at"]).execute();
  await schema.createIndex("alert_episodes_age").on("alert_episodes").column("opened_at").execute();
  await schema
    .createTable("alert_tellings")
    .$call((table) => ["episode", "destination", "data"].reduce<Table<string>>(text, table))
    .addPrimaryKeyConstraint("alert_tellings_key", ["episode", "destination"])
    .execute();
  await schema
    .createTable("alert_messages")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .$call((table) => text(millis(table, "created_at"), "data"))
    .execute();
  await deliveries(db);
  await schema
    .createTable("alert_receipts")
    .addColumn("delivery", "text", (column) => column.primaryKey().notNull())
    .$call((table) => ["platform", "channel", "message"].reduce<Table<string>>(text, table))
    .$call((table) => millis(table, "at"))
    .execute();
  await schema
    .createTable("alert_held")
    .addColumn("seq", "bigint", (column) => column.primaryKey().notNull())
    .$call((table) => text(text(millis(text(table, "destination"), "release_at"), "message"), "data"))
    .execute();
  await schema.createIndex("alert_held_release").on("alert_held").column("release_at").execute();
  await schema
    .createTable("alert_rolling")
    .addColumn("key", "text", (column) => column.primaryKey().notNull())
    .$call((table) => text(millis(text(table, "delivery"), "day_ends_at"), "data"))
    .execute();
  await schema
    .createTable("alert_decisions")
    .addColumn("seq", "bigint", (column) => column.primaryKey().notNull())
    .$call((table) => text(millis(table, "at"), "what"))
    .addColumn("network", "text")
    .addColumn("episode", "text")
    .addColumn("destination", "text")
    .addColumn("delivery", "text")
    .addColumn("detail", "text")
    .execute();
  await schema.createIndex("alert_decisions_age").on("alert_decisions").column("at").execute();
  await schema.createIndex("alert_decisions_episode").on("alert_decisions").columns(["episode", "seq"]).execute();
  await schema
    .createIndex("alert_decisions_destination")
    .on("alert_decisions")
    .columns(["destination", "seq"])
    .execute();
}

async function deliveries({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("alert_deliveries")
    .addColumn("seq", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .$call((table) => ["destination", "platform", "kind", "phase", "message"].reduce<Table<string>>(text, table))
    .addColumn("episode", "text")
    .addColumn("target", "text")
    .$call((table) => text(table, "state"))
    .addColumn("attempts", "integer", (column) => column.notNull())
    .$call((table) => millis(millis(table, "run_at"), "created_at"))
    .addColumn("attempted_at", "bigint")
    .addColumn("uncertain_since", "bigint")
    .addColumn("last_error", "text")
    .addColumn("settled_at", "bigint")
    .$call((table) => text(table, "data"))
    .execute();
  const open = sql<boolean>`state in ('owed', 'sending')`;
  const index = (name: string) => schema.createIndex(name).on("alert_deliveries");
  await index("alert_deliveries_order").columns(["destination", "seq"]).where(open).execute();
  await index("alert_deliveries_due").columns(["platform", "seq"]).where(open).execute();
  await index("alert_deliveries_episode").columns(["episode", "destination"]).execute();
  await index("alert_deliveries_target").columns(["target"]).where(open).execute();
  await index("alert_deliveries_settled").column("settled_at").execute();
}
