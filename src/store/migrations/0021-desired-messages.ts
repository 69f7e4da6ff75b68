import { createHash } from "node:crypto";

import { sql, type Kysely } from "kysely";

import { inSql } from "./in-sql.ts";

/**
 * A delivery is what one message should say, and what was sent of it: edits, what is held for quiet hours and the
 * messages of a day become the state of their deliveries, and what another message says becomes its items. Programs
 * that know only the earlier tables do not start.
 */
export async function desiredMessages(given: Kysely<unknown>): Promise<void> {
  // The tables as they stood then are none of the schema's types.
  const db = given as Kysely<EarlierTables>;
  await addColumns(given);
  await makeItems(db);
  await makeRevisions(db);
  await makeDayMessages(db);
  await makeHeldDigests(db);
  await dropWhatIsReplaced(given);
  await sql`insert into database_marks (name, value) values ('oldest_program', '0021-desired-messages')
    on conflict (name) do update set value = excluded.value`.execute(db);
}

interface EarlierTables {
  alert_deliveries: {
    seq: number;
    id: string;
    destination: string;
    platform: string;
    kind: string;
    phase: string;
    urgency: number;
    message: string;
    episode: string | null;
    target: string | null;
    state: string;
    attempts: number;
    run_at: number;
    created_at: number;
    data: string;
    group_key: string | null;
    join_key: string | null;
    open_until: number | null;
    revision: number;
    shown: number | null;
    owed_at: number;
  };
  alert_held: { seq: number; destination: string; release_at: number; message: string; data: string };
  alert_rolling: { key: string; delivery: string; day_ends_at: number; message: string };
  alert_messages: { id: string; created_at: number; data: string };
  alert_counters: { name: string; value: number };
}
type Earlier = Kysely<EarlierTables>;

const addColumns = inSql(`
  alter table alert_deliveries add column revision integer default 0 not null;
  alter table alert_deliveries add column shown integer;
  alter table alert_deliveries add column owed_at bigint default 0 not null;
  alter table alert_deliveries add column open_until bigint;
  alter table alert_deliveries add column join_key text;
  update alert_deliveries set owed_at = created_at,
    shown = case when kind = 'message' and state = 'sent' then 0 end;
  create table alert_items (id text not null primary key, delivery text not null, revision integer not null,
    phase text not null, episode text, message text not null);
  create index alert_items_delivery on alert_items (delivery, revision);
  create index alert_items_episode on alert_items (episode)`);

/** What a message says of other deliveries; those that it showed joined it before its first revision. */
async function makeItems(db: Earlier): Promise<void> {
  await sql`
    insert into alert_items (id, delivery, revision, phase, episode, message)
    select id, said_by, case when is_shown = 1 then place - 1000000 else place end, phase, episode, message
    from (
      select d.id, d.said_by, d.phase, d.episode, d.message,
        row_number() over (partition by d.said_by order by d.seq) as place,
        case when exists (select 1 from alert_receipts as r where r.delivery = d.id) then 1 else 0 end as is_shown
      from alert_deliveries as d where d.said_by is not null and d.state = 'merged'
    ) as said`.execute(db);
  await sql`delete from alert_deliveries where said_by is not null and state = 'merged'`.execute(db);
  await sql`update alert_deliveries set
      revision = (select max(i.revision) from alert_items as i where i.delivery = alert_deliveries.id),
      state = case when state = 'sent' then 'owed' else state end
    where id in (select delivery from alert_items where revision > 0)`.execute(db);
  // Groups of a kind grew for a minute at most, the message of a stall for as long as the planner asked.
  await sql`update alert_deliveries set join_key = group_key, open_until = case
    when group_key like 'story %' then null else created_at + 60000 end where group_key is not null`.execute(db);
}

/** An owed edit is a revision of its message. */
async function makeRevisions(db: Earlier): Promise<void> {
  const edits = await db
    .selectFrom("alert_deliveries")
    .selectAll()
    .where("kind", "=", "edit")
    .where("state", "in", ["owed", "sending"])
    .orderBy("seq")
    .execute();
  for (const { id, target, message, episode, phase, data, run_at, created_at } of edits) {
    const owed = { state: "owed", run_at, owed_at: created_at };
    if ((JSON.parse(data) as { twice?: true }).twice === true && target !== null) {
      // The first copy of a message that was sent twice has a receipt, and had no delivery.
      const copy = { id: target, kind: "message", phase: "copy", revision: 1, shown: 0, ...owed };
      await db.updateTable("alert_deliveries").set(copy).where("id", "=", id).execute();
      continue;
    }
    const edited = () => db.updateTable("alert_deliveries").where("id", "=", target).where("shown", "is not", null);
    await edited()
      .set((eb) => ({ ...owed, revision: eb("revision", "+", 1) }))
      .execute();
    // Of an episode that another one's message says, that message reads how it stands.
    if (phase === "rolling") await edited().set({ message }).execute();
    if (phase === "state") await edited().set({ message }).where("episode", "=", episode).execute();
  }
  await db.deleteFrom("alert_deliveries").where("kind", "=", "edit").execute();
}

/** The message of a day may still be joined. */
async function makeDayMessages(db: Earlier): Promise<void> {
  for (const { key, delivery, day_ends_at, message } of await db.selectFrom("alert_rolling").selectAll().execute()) {
    const [, kind, network, day] = key.split("|");
    await db
      .updateTable("alert_deliveries")
      .set({ message, join_key: `day ${kind} ${network} ${day}`, open_until: day_ends_at })
      .where("id", "=", delivery)
      .execute();
  }
}

interface HeldFacts {
  readonly simulated?: true;
  readonly event?: { readonly network: string };
  readonly episode?: { readonly network: string };
}

/** What is held for a destination is one digest for each network. */
async function makeHeldDigests(db: Earlier): Promise<void> {
  const rows = await db
    .selectFrom("alert_held as h")
    .innerJoin("alert_messages as m", "m.id", "h.message")
    .select(["h.seq", "h.destination", "h.release_at", "h.data", "m.data as message", "m.created_at"])
    .orderBy("h.seq")
    .execute();
  const held = rows.map((row) => ({ ...row, facts: JSON.parse(row.message) as HeldFacts }));
  const networkOf = ({ facts: { event, episode } }: (typeof held)[number]): string => (event ?? episode)?.network ?? "";
  for (const group of Map.groupBy(held, (row) => `${row.destination} ${networkOf(row)}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const facts = group.map((row) => row.facts);
    const network = networkOf(first);
    const digest = JSON.stringify({
      type: "digest",
      ...(facts.some(({ simulated }) => simulated === true) ? { simulated: true } : {}),
      reason: "quiet hours",
      network,
      events: facts.flatMap(({ event }) => event ?? []),
      episodes: facts.flatMap(({ episode }) => episode ?? []),
    });
    const message = hashOf(digest);
    await sql`insert into alert_messages (id, data, created_at) values (${message}, ${digest}, ${first.created_at})
      on conflict (id) do nothing`.execute(db);
    const counter = await sql<{ value: number }>`insert into alert_counters (name, value) values ('deliveries', 1)
      on conflict (name) do update set value = alert_counters.value + 1 returning value`.execute(db);
    const delivery = {
      seq: counter.rows[0]?.value ?? 0,
      id: hashOf(`held ${first.seq} ${digest}`),
      destination: first.destination,
      platform: (JSON.parse(first.data) as { platform: string }).platform,
      kind: "message",
      phase: "digest",
      urgency: 0,
      message,
      state: "held",
      attempts: 0,
      run_at: first.release_at,
      created_at: first.created_at,
      owed_at: first.release_at,
      data: `{"destination":${first.data}}`,
      join_key: `held ${network}`,
    };
    await db
      .insertInto("alert_deliveries")
      .values(delivery as EarlierTables["alert_deliveries"])
      .execute();
  }
}

/** By `run_at` in place of `seq`, SQLite would compile each search for what is due anew. */
const dropWhatIsReplaced = inSql(`
  drop index if exists alert_deliveries_target;
  drop index if exists alert_deliveries_group;
  drop index if exists alert_deliveries_said_by;
  alter table alert_deliveries drop column kind;
  alter table alert_deliveries drop column target;
  alter table alert_deliveries drop column group_key;
  alter table alert_deliveries drop column said_by;
  drop table alert_held;
  drop table alert_rolling;
  create index alert_deliveries_join on alert_deliveries (destination, join_key, seq) where join_key is not null;
  create index alert_deliveries_held on alert_deliveries (seq) where state = 'held'`);

/** As the ids of messages are made. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}
