import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { createApiClient } from "../../../src/api/client/client.ts";
import type { ExportAsker } from "../../../src/export/jobs/job.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { exportJobsOn } from "../../support/export-jobs.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import { ASSET, COLUMNS_13, csv, PARTY, row } from "../ledger-csv.ts";

const PEOPLE = 50;
const BYTES_PER_SECOND = 800_000;
const PIECE_MILLIS = 25;

test("fifty people at once, a node of 0.8 MB a second: all are served in turn, none fails by waiting", async () => {
  const ledger = Buffer.from(
    csv(
      COLUMNS_13,
      Array.from({ length: 1500 }, () => row()),
    ),
  );
  let open = 0;
  let most = 0;
  const server = createServer((_request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.once("close", () => (open -= 1));
    void (async () => {
      response.writeHead(200, { "Content-Type": "text/csv", "Content-Length": ledger.length });
      const piece = (BYTES_PER_SECOND * PIECE_MILLIS) / 1000;
      for (let at = 0; at < ledger.length; at += piece) {
        response.write(ledger.subarray(at, at + piece));
        await sleep(PIECE_MILLIS);
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api = createApiClient({
    network: "mainnet",
    simulated: false,
    log: silentLog(),
    nodes: [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }],
    limits: { exportPauseMillis: 500 },
  });
  const scratch = await scratchDatabase();
  const store = createStore({ url: scratch.file, log: silentLog() });
  const jobs = exportJobsOn(store, scratch.folder);
  onTestFinished(async () => {
    await jobs.close();
    await api.close();
    await store.close();
    await scratch.remove();
    server.closeAllConnections();
    server.close();
  });

  const ended: string[] = [];
  const told: { readonly person: string; readonly at: number; readonly wait: number }[] = [];
  const began = new Map<string, number>();
  const ask = async (person: string): Promise<string> => {
    const asker: ExportAsker = {
      platform: "discord",
      person,
      place: "99",
      takesDirectMessages: true,
      isOperator: false,
    };
    const outcome = await jobs.run({
      api,
      asker,
      ask: { command: "ledger export", options: {} },
      subject: { query: { partyId: PARTY, assetId: ASSET, to: nanoseconds(1_900_000_000_000_000_000n) }, raw: false },
      request: { name: person },
      signal: new AbortController().signal,
      onStanding: (standing) => {
        const at = performance.now();
        if (standing.state === "running" && !began.has(person)) began.set(person, at);
        if (standing.state === "queued" && standing.waitMillis !== undefined) {
          told.push({ person, at, wait: standing.waitMillis });
        }
      },
    });
    ended.push(person);
    const [file] = outcome.kind === "whole" ? outcome.delivery.attachments : [];
    if (outcome.kind !== "whole" || file === undefined) return outcome.kind;
    const hash = createHash("sha256");
    for await (const piece of file.open()) hash.update(piece as Buffer);
    await file.dispose();
    const { sha256 } = file;
    return hash.digest("hex") === sha256 ? `${outcome.result.file.account.rows} rows` : "other bytes";
  };
  const people = Array.from({ length: PEOPLE }, (_, index) => `person-${index}`);
  const asked: Promise<string>[] = [];
  for (const person of people) {
    asked.push(ask(person));
    // Two who ask in the same millisecond are served in either order.
    await sleep(10);
  }
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["1500 rows"]));
  expect(most).toBe(1);
  // Whoever was told when it begins was told so within a factor of two.
  expect(told.length).toBeGreaterThan(500);
  const wrong = told.filter(({ person, at, wait }) => {
    const truth = began.get(person)! - at;
    return Math.max(truth, wait) > 2000 && (wait > 2 * truth || wait < truth / 2);
  });
  expect(wrong).toEqual([]);
  // First come, first served.
  expect(ended).toEqual(people);
}, 180_000);
