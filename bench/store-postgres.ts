import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { silentLog } from "../src/log.ts";
import { createStore, type DatabaseStore } from "../src/store/create-store.ts";
import { deleteRows, serverPackageMissing, startPostgres } from "../test/support/postgres.ts";
import { alternate, atLeast, type Measured, runAsScript } from "./support/figure.ts";

// Deliveries claimed and recorded a second by one process: fifty at a time, each claim and each record durable, on a
// PostgreSQL server of this machine and on SQLite, both as durable as they are by default.

const NAME = "deliveries claimed and recorded on PostgreSQL, against SQLite";
const DELIVERIES = 3000;
const DESTINATIONS = 1000;
const AT_ONCE = 50;
const ROUNDS = 3;
const NOW = 1_700_000_000_000;

async function perSecond(store: DatabaseStore): Promise<number> {
  const rows = Array.from({ length: DELIVERIES }, (_, index) => ({
    id: randomUUID(),
    destination: `slack/T1/C${index % DESTINATIONS}/`,
    platform: "slack",
    phase: "trigger",
    urgency: 0 as const,
    message: "m",
    episode: null,
    run_at: NOW,
    created_at: NOW,
    data: "{}",
  }));
  await store.transaction(({ alerts }) => alerts.outbox.add(rows));
  const began = performance.now();
  let sent = 0;
  for (;;) {
    const ids = await store.transaction(async ({ alerts: { outbox } }) => {
      const due = (await outbox.due("slack", NOW, AT_ONCE)).map(({ id }) => id);
      await outbox.beginAttempts(due, NOW, "bench");
      return due;
    });
    if (ids.length === 0) break;
    await store.transaction(async ({ alerts: { outbox } }) => {
      await outbox.markArrived(ids.map((id) => ({ id, shown: 0, at: NOW, until: null })));
      await outbox.putReceipts(
        ids.map((delivery) => ({ delivery, platform: "slack", channel: "C1", message: delivery, at: NOW })),
      );
    });
    sent += ids.length;
  }
  if (sent !== DELIVERIES) throw new Error(`only ${sent} were sent`);
  return sent / ((performance.now() - began) / 1000);
}

export async function measure(): Promise<Measured[]> {
  if (serverPackageMissing !== undefined) return [{ name: NAME, skipped: `no PostgreSQL ${serverPackageMissing}` }];
  const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-bench-"));
  const server = await startPostgres({ settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" } });
  const url = server.url("postgres");
  let count = 0;
  try {
    const { ours, theirs } = await alternate(
      ROUNDS,
      async () => {
        const store = createStore({ url, log: silentLog() });
        await store.ping();
        const found = await perSecond(store);
        await store.close();
        await deleteRows(url);
        return found;
      },
      async () => {
        const store = createStore({ url: path.join(folder, `${(count += 1)}.db`), log: silentLog() });
        await store.ping();
        const found = await perSecond(store);
        await store.close();
        return found;
      },
    );
    const detail = `medians of ${ROUNDS}: ${Math.round(ours)}/s on PostgreSQL, ${Math.round(theirs)}/s on SQLite; the platforms allow 50/s`;
    return [
      atLeast(NAME, ours / theirs, 0.2, "times", detail),
      // Ten times what a platform allows a bot.
      atLeast("deliveries a second on PostgreSQL", ours, 500, "/s", detail),
    ];
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true });
  }
}

await runAsScript(import.meta.url, measure);
