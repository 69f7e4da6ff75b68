import { DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { OF_WORKSPACE } from "../../src/store/forget-workspace.ts";
import { TABLES } from "../../src/store/schema.ts";
import { scratchDatabase } from "../support/scratch-database.ts";

type Values = Readonly<Record<string, string | number | null>>;

/** What a column holds in every row unless a row says otherwise; numbers are its number. */
const USUAL: Values = { platform: "chat", network: "mainnet", enterprise: null, removed_at: null };

/** How the rows of a workspace name it, with a destination there, by table; `n` tells rows apart. */
const ROWS: {
  readonly [table in keyof typeof TABLES]?: (workspace: string, destination: string, n: number) => Values;
} = {
  saved_parties: (workspace, _, n) => ({ owner: `chat:${workspace}:U${n}` }),
  button_payloads: (workspace, _, n) => ({
    key: `b${n}`,
    value: JSON.stringify({ of: `chat/${workspace}`, value: n }),
  }),
  answer_choices: (workspace, _, n) => ({ workspace, platform: "chat", chosen_by: `U${n}` }),
  open_answers: (workspace, _, n) => ({ id: `o${n}`, workspace }),
  export_jobs: (workspace, _, n) => ({ code: `c${n}`, workspace }),
  export_files: (_, __, n) => ({ code: `c${n}` }),
  alert_subscriptions: (workspace, destination, n) => ({
    id: `s${n}`,
    destination,
    data: JSON.stringify({ id: `s${n}`, workspace }),
  }),
  alert_silences: (_, destination) => ({ data: JSON.stringify({ scope: { destination, network: "mainnet" } }) }),
  alert_notification_states: (_, destination) => ({ episode: "e", destination }),
  alert_deliveries: (_, destination, n) => ({ id: `d${n}`, destination, message: `m${n}` }),
  alert_receipts: (_, __, n) => ({ delivery: `d${n}` }),
  alert_items: (_, __, n) => ({ id: `i${n}`, delivery: `d${n}`, message: `m${n}` }),
  alert_messages: (_, __, n) => ({ id: `m${n}` }),
  alert_decisions: (_, destination) => ({ destination }),
  seen_ids: (workspace, _, n) => ({ network: `mainnet chat/${workspace}`, id: `i${n}` }),
  installations: (workspace) => ({ id: workspace }),
};

function insert(database: DatabaseSync, table: string, given: Values, n: number): void {
  const columns = database.prepare("SELECT name, type FROM pragma_table_info(?)").all(table);
  const values = columns.map(({ name, type }) => {
    const column = String(name);
    if (column in given) return given[column]!;
    if (column in USUAL) return USUAL[column]!;
    return /text/iu.test(String(type)) ? `${column} ${n}` : n;
  });
  database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?").join(", ")})`).run(...values);
}

/** The rows of each table but the counters, which count on. */
function all(database: DatabaseSync): Map<string, unknown[]> {
  const tables = Object.keys(TABLES).filter((table) => table !== "alert_counters");
  return new Map(tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]));
}

it("forgets all that belongs to the workspace of an installation, and nothing else", async () => {
  const scratch = await scratchDatabase();
  const store = createStore({ url: scratch.file, log: silentLog() });
  await store.ping();
  const database = new DatabaseSync(scratch.file);
  // Rows of nobody, and of another workspace whose id begins alike.
  for (const table of Object.keys(TABLES)) {
    if (table === "alert_chunks" || table === "alert_episodes") continue;
    insert(database, table, table in ROWS ? ROWS[table as keyof typeof ROWS]!("T10", "chat/T10/C1/", 1) : {}, 1);
  }
  const acknowledgedIn = (...workspaces: string[]): string =>
    JSON.stringify({
      id: "e",
      acknowledgedIn: Object.fromEntries(workspaces.map((one) => [`chat/${one}`, { by: one }])),
    });
  insert(database, "alert_episodes", { id: "e", notification_revision: 4, data: acknowledgedIn("T1", "T10") }, 1);
  insert(database, "alert_episodes", { id: "f", data: acknowledgedIn("T10") }, 2);
  insert(database, "seen_ids", {}, 2);
  insert(database, "alert_silences", { id: "network", data: JSON.stringify({ scope: { network: "mainnet" } }) }, 2);
  insert(database, "alert_messages", { id: "shared" }, 3);
  insert(database, "alert_items", { id: "i3", delivery: "d1", message: "shared" }, 3);
  const before = all(database);

  // What was written while the bot served one workspace names it in the subscription alone.
  const places = ["chat/T1/C1/", "chat/T1/user%3AU1/", "chat//C7/"];
  for (const [index, destination] of places.entries()) {
    for (const [table, row] of Object.entries(ROWS)) {
      // One row a workspace.
      if (index > 0 && (table === "installations" || table === "answer_choices")) continue;
      insert(database, table, row("T1", destination, 10 + index), 10 + index);
    }
  }
  insert(database, "alert_items", { id: "i20", delivery: "d10", message: "shared" }, 20);
  const missing = [...all(database)].filter(([table, rows]) => rows.length === before.get(table)?.length);
  const said = Object.entries(OF_WORKSPACE).filter(([, rows]) => typeof rows === "string" && rows !== "deleted first");
  expect(missing.map(([table]) => table).toSorted()).toEqual(
    // An episode is the network's; what it holds of a workspace is forgotten.
    ["alert_episodes", ...said.map(([table]) => table)].filter((table) => table !== "alert_counters").toSorted(),
  );

  const row = { ...(await store.installations.get("chat", "T1"))!, removed_at: 5 };
  await store.installations.change(row, { removed_at: 5 });
  const forget = (given: typeof row) => store.transaction((tables) => tables.forgetInstallation(given));
  // It was installed again, or removed anew, after it was read.
  const kept = all(database);
  expect(await forget({ ...row, sealed: "other" })).toBe(false);
  expect(await forget({ ...row, removed_at: 4 })).toBe(false);
  expect(all(database)).toEqual(kept);

  const revision = () => store.transaction(({ alerts }) => alerts.subscriptions.revision());
  const revisionBefore = await revision();
  expect(await forget(row)).toBe(true);
  expect(await revision()).toBeGreaterThan(revisionBefore);
  const after = all(database);
  expect(after.get("alert_episodes")).toEqual([
    expect.objectContaining({ id: "e", notification_revision: 5, data: acknowledgedIn("T10") }),
    expect.objectContaining({ id: "f", data: acknowledgedIn("T10") }),
  ]);
  before.set("alert_episodes", after.get("alert_episodes")!);
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
  expect(await forget(row)).toBe(false);
  database.close();
  await store.close();
  await scratch.remove();
});
