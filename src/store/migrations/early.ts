// The migrations of the schema up to 0020. They were released long ago, and never change.
import { type Kysely, sql } from "kysely";

import { isPostgres } from "../queries.ts";
import { inSql, type Migration } from "./in-sql.ts";

export const earlyMigrations: Readonly<Record<string, Migration>> = {
  "0001-seen-ids-and-button-payloads": inSql(`
    create table seen_ids (network text not null, kind text not null, id text not null, id_key text not null,
      label text, label_key text, seen_at bigint not null, position integer not null,
      constraint seen_ids_key primary key (network, kind, id));
    create index seen_ids_newest on seen_ids (network, kind, seen_at desc, position);
    create table button_payloads (key text not null primary key, value text not null, expires_at bigint not null);
    create index button_payloads_expiry on button_payloads (expires_at)`),
  "0002-saved-parties": inSql(`
    create table saved_parties (owner text not null, id text not null, name text, saved_at bigint not null,
      constraint saved_parties_key primary key (owner, id))`),
  "0003-alerts": inSql(`
    create table alert_counters (name text not null primary key, value bigint not null);
    create table alert_subscriptions (id text not null primary key, destination text not null, network text not null,
      state text not null, data text not null);
    create table alert_silences (id text not null primary key, ends_at bigint not null, data text not null);
    create table watcher_snapshots (network text not null, watcher text not null, at bigint not null,
      data text not null, constraint watcher_snapshots_key primary key (network, watcher));
    create table alert_machines (network text not null, rule text not null, subject text not null, data text not null,
      constraint alert_machines_key primary key (network, rule, subject));
    create table alert_episodes (id text not null primary key, open integer not null, network text not null,
      opened_at bigint not null, data text not null);
    create index alert_episodes_open on alert_episodes (open, opened_at);
    create index alert_episodes_age on alert_episodes (opened_at);
    create table alert_tellings (episode text not null, destination text not null, data text not null,
      constraint alert_tellings_key primary key (episode, destination));
    create table alert_messages (id text not null primary key, created_at bigint not null, data text not null);
    create table alert_deliveries (seq bigint not null primary key, id text not null unique,
      destination text not null, platform text not null, kind text not null, phase text not null,
      message text not null, episode text, target text, state text not null, attempts integer not null,
      run_at bigint not null, created_at bigint not null, attempted_at bigint, uncertain_since bigint,
      last_error text, settled_at bigint, data text not null);
    create index alert_deliveries_order on alert_deliveries (destination, seq) where state in ('owed', 'sending');
    create index alert_deliveries_due on alert_deliveries (platform, seq) where state in ('owed', 'sending');
    create index alert_deliveries_episode on alert_deliveries (episode, destination);
    create index alert_deliveries_target on alert_deliveries (target) where state in ('owed', 'sending');
    create index alert_deliveries_settled on alert_deliveries (settled_at);
    create table alert_receipts (delivery text not null primary key, platform text not null, channel text not null,
      message text not null, at bigint not null);
    create table alert_held (seq bigint not null primary key, destination text not null, release_at bigint not null,
      message text not null, data text not null);
    create index alert_held_release on alert_held (release_at);
    create table alert_rolling (key text not null primary key, delivery text not null, day_ends_at bigint not null,
      data text not null);
    create table alert_decisions (seq bigint not null primary key, at bigint not null, what text not null,
      network text, episode text, destination text, delivery text, detail text);
    create index alert_decisions_age on alert_decisions (at);
    create index alert_decisions_episode on alert_decisions (episode, seq);
    create index alert_decisions_destination on alert_decisions (destination, seq)`),
  // The text of a message of the day is now a message, which all destinations with the same day share.
  "0004-alert-parcels": inSql(`
    create table alert_parcels (seq bigint not null primary key, platform text not null, owed integer not null,
      created_at bigint not null, data text not null);
    alter table alert_rolling rename column data to message`),
  "0005-answer-choices": inSql(`
    create table answer_choices (platform text not null, workspace text not null, markets text not null,
      chosen_by text not null, chosen_at bigint not null, constraint answer_choices_key primary key (platform,
      workspace))`),
  "0006-database-marks": inSql(`
    create table database_marks (name text primary key, value text not null)`),
  // Two columns for the queries of every second: which machines flap, and whether notification states of an episode
  // changed.
  "0007-alert-upkeep": inSql(`
    alter table alert_machines add column flapping integer default 0 not null;
    update alert_machines set flapping = 1 where data like '%"flapping":{%';
    create index alert_machines_flapping on alert_machines (network, rule, subject) where flapping = 1;
    alter table alert_episodes add column told bigint default 0 not null`),
  // An index for owed deliveries about conditions.
  "0008-alert-urgency": inSql(`
    create index alert_deliveries_urgent on alert_deliveries (platform, seq) where state in ('owed', 'sending')
      and phase in ('trigger', 'escalation', 'fired and resolved', 'resolve')`),
  // Indexes for the settled deliveries of one destination. Only settled ones: without statistics, the planner would
  // use these indexes for owed deliveries, too, and read all that were ever sent to a destination to find that none
  // is owed.
  "0009-alert-journal": inSql(`
    create index alert_deliveries_place on alert_deliveries (destination, seq) where settled_at is not null;
    create index alert_deliveries_outcome on alert_deliveries (destination, settled_at) where settled_at is not null`),
  "0010-subscription-groups": subscriptionGroups,
  "0011-console-sign-outs": inSql(`
    create table console_sign_outs (session text not null primary key, ends_at bigint not null)`),
  // A column and an index by which urgent deliveries are claimed first.
  "0012-delivery-urgency": inSql(`
    alter table alert_deliveries add column urgency integer default 0 not null;
    update alert_deliveries set urgency = 1 where phase in ('trigger', 'escalation', 'fired and resolved', 'resolve')
      and state in ('owed', 'sending');
    create index alert_deliveries_urgency on alert_deliveries (platform, urgency desc, seq)
      where state in ('owed', 'sending')`),
  "0014-reminders-told": remindersTold,
  // Deliveries of one kind to one destination may share a message.
  "0015-delivery-groups": inSql(`
    alter table alert_deliveries add column group_key text;
    alter table alert_deliveries add column said_by text;
    create index alert_deliveries_group on alert_deliveries (destination, group_key, seq) where group_key is not null;
    create index alert_deliveries_said_by on alert_deliveries (said_by, seq) where said_by is not null`),
  // Ledger exports as jobs, and the files that they made.
  "0016-export-jobs": inSql(`
    create table export_jobs (code text not null primary key, platform text not null, workspace text not null,
      channel text, person text not null, network text not null, state text not null, invocation text,
      created_at bigint not null, started_at bigint, ended_at bigint, node text, row_count bigint, byte_count bigint,
      failure text, result text, account text, expires_at bigint);
    create index export_jobs_person on export_jobs (platform, person, created_at);
    create index export_jobs_open on export_jobs (created_at) where state in ('queued', 'running');
    create index export_jobs_expiry on export_jobs (expires_at);
    create index export_jobs_age on export_jobs (created_at);
    create table export_files (code text not null, name text not null, media_type text not null,
      size_bytes bigint not null, sha256 text not null, path text, link text,
      constraint export_files_key primary key (code, name));
    create index export_files_name on export_files (name);
    create index export_files_link on export_files (link);
    create index export_files_hash on export_files (sha256)`),
  // Tables and columns for several processes: which are alive, and which process has each duty, delivery and export.
  "0017-processes": inSql(`
    create table processes (id text not null primary key, alive_until bigint not null);
    create table leases (name text not null primary key, holder text not null, epoch bigint not null);
    alter table alert_deliveries add column claimed_by text;
    alter table export_jobs add column process text`),
  // The installations of an app in many workspaces, with their sealed tokens.
  "0018-installations": inSql(`
    create table installations (platform text not null, id text not null, enterprise text, name text,
      org_wide integer not null, bot_user text, scopes text not null, sealed text not null, expires_at bigint,
      installed_by text, installed_at bigint not null, removed_at bigint,
      constraint installations_key primary key (platform, id));
    create table used_states (state text not null primary key, ends_at bigint not null)`),
  // Tables of alerts get the names that the code uses. Programs that know only the earlier names do not start.
  "0019-alert-table-names": inSql(`
    alter table alert_tellings rename to alert_notification_states;
    alter table alert_parcels rename to alert_chunks;
    alter table alert_episodes rename column told to notification_revision;
    update alert_counters set name = 'chunks' where name = 'parcels';
    update alert_counters set name = 'subscription_revision' where name = 'choices';
    insert into database_marks (name, value) values ('oldest_program', '0019-alert-table-names')
      on conflict (name) do update set value = excluded.value`),
  // Every delivery is written three times, and each index with it. `alert_deliveries_urgency` serves in place of
  // these.
  "0020-fewer-delivery-indexes": inSql(`
    drop index alert_deliveries_urgent;
    drop index alert_deliveries_due`),
};

/** The groups of kinds as they were when a subscription stored only the kinds in them. */
const GROUPS: Readonly<Record<string, string>> = {
  ops: "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue core.upgraded history.reset",
  network: "network.stalled network.disagree network.time-back network.clock watch.blind",
  nodes: "network.time-back node.lagging node.down node.version",
  checkpoints: "checkpoint.overdue checkpoint.new history.reset",
  markets: "market.auction market.bound market.state",
  conditions:
    "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue market.auction market.bound",
  events: "checkpoint.new snapshot.new core.upgraded rotation.new market.state node.version history.reset",
  all: "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue market.auction market.bound checkpoint.new snapshot.new core.upgraded rotation.new market.state node.version history.reset",
};

/** A subscription to exactly the kinds of a group is one to the group. */
async function subscriptionGroups(db: Kysely<unknown>): Promise<void> {
  const groups = new Map(Object.entries(GROUPS).map(([group, kinds]) => [keyOf(kinds.split(" ")), group]));
  const { rows } = await sql<{ id: string; data: string }>`select id, data from alert_subscriptions`.execute(db);
  for (const { id, data } of rows) {
    const subscription = JSON.parse(data) as { readonly kinds: readonly string[] };
    const group = groups.get(keyOf(subscription.kinds));
    if (group === undefined) continue;
    const changed = JSON.stringify({ ...subscription, groups: [group] });
    await sql`update alert_subscriptions set data = ${changed} where id = ${id}`.execute(db);
  }
}

function keyOf(kinds: readonly string[]): string {
  return kinds.toSorted().join(" ");
}

/** Adds reminders to the notification states of open alerts, so that their buttons are removed at the end. */
async function remindersTold(db: Kysely<unknown>): Promise<void> {
  // Such rows were written before PostgreSQL was supported.
  if (isPostgres(db)) return;
  await sql`
    update alert_tellings set data = json_set(data, '$.reminded', json((
      select json_group_array(id) from (
        select id from alert_deliveries
        where episode = alert_tellings.episode and destination = alert_tellings.destination and phase = 'reminder'
        order by seq
      )
    )))
    where json_extract(data, '$.state') = 'told' and json_extract(data, '$.reminders') > 0
      and json_extract(data, '$.reminded') is null`.execute(db);
}
