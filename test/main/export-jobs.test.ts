import { text } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { type Sender, SendError } from "../../src/alerts/sender.ts";
import { describe as describeAlert } from "../../src/alerts/words/words.ts";
import { systemClock } from "../../src/api/clock.ts";
import type { ExportAsker } from "../../src/export/jobs/job.ts";
import { createExportJobs, type ExportJobs } from "../../src/export/jobs/jobs.ts";
import type { LedgerExports } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import { exportNotice, enqueueExportNotice } from "../../src/main/export-jobs.ts";
import { memoryAttachment } from "../../src/reply/reply.ts";
import type { Store } from "../../src/store/store.ts";
import { stage as onDiscord } from "../adapters/discord/stage.ts";
import { stage as onSlack } from "../adapters/slack/stage.ts";
import { apiOf } from "../export/jobs/job-stage.ts";
import { textOf as textOfDiscord } from "../support/fake-discord/person.ts";
import { textOf as textOfSlack } from "../support/fake-slack/person.ts";
import { createStore } from "../../src/store/create-store.ts";
import { singleProcess } from "../../src/store/processes.ts";
import { scratchDatabase } from "../support/scratch-database.ts";
import { PLATFORMS } from "../support/platforms.ts";

// The end of a job by direct message, from the store over the outbox to a platform.

const now = () => systemClock.wallClock();
const CSV = "vega_time,quantity\n2026-01-14 00:00:00+00,5\n";

/** An export that takes a moment: long enough to outlast its reply. */
const madeUp: Pick<LedgerExports, "export"> = {
  async export(_api, { signal }) {
    await systemClock.sleep(20, signal);
    return {
      attachment: memoryAttachment("ledger-abababab-USDT.csv", "text/csv", CSV),
      account: {
        rows: 1,
        firstTime: "1768348800000000000",
        lastTime: "1768348800000000000",
        dropped: { asset: 0, party: 0, range: 0 },
        outgoingOnly: false,
        raw: false,
        unit: {},
        endIsProven: true,
        sizeBytes: CSV.length,
        sha256: "ab".repeat(32),
      },
      columns: ["vega_time", "quantity"],
      asOf: { network: "mainnet", node: "slow:1", receivedAt: now(), simulated: true },
    };
  },
};

const ENDLESS: Pick<LedgerExports, "export"> = {
  export: async (_api, { signal }) => {
    await systemClock.sleep(3_600_000, signal);
    throw new Error("an hour is over");
  },
};

/** Delivers what is owed until the end of the test, exports among it. */
function jobsDelivered(store: Store, directory: string, senders: readonly Sender[], exports = madeUp) {
  const stop = new AbortController();
  const jobs = createExportJobs({
    exports,
    store,
    clock: systemClock,
    log: silentLog(),
    newCode: () => "7k2m9xqd",
    kept: { directory },
    owe: (tables, job) => enqueueExportNotice(tables, job, now(), PLATFORMS),
    onOwed: () => dispatcher.wake(),
  });
  const dispatcher = createDispatcher({
    random: Math.random,
    store,
    clock: systemClock,
    log: silentLog(),
    senders,
    describe: async (message, context) =>
      (await exportNotice(jobs, message, { platforms: PLATFORMS, now })) ?? describeAlert(message, context),
  });
  const running = dispatcher.run(stop.signal);
  return {
    jobs,
    async [Symbol.asyncDispose]() {
      await jobs.close();
      stop.abort();
      await running;
    },
  };
}

function askAs(jobs: ExportJobs, asker: ExportAsker, answerWithin: number) {
  return jobs.run({
    api: apiOf("mainnet", 1),
    asker,
    ask: { command: "ledger export", options: { party: "ab".repeat(32), asset: "USDT", from: "2026-01-13 00:00:00" } },
    subject: { query: { partyId: "ab".repeat(32), assetId: "cd".repeat(32), to: now() }, raw: false },
    request: { name: "ledger" },
    answerWithin,
    signal: new AbortController().signal,
  });
}

const personOf = (platform: string, person: string): ExportAsker => ({
  platform,
  person,
  place: "T1",
  takesDirectMessages: true,
  isOperator: false,
});

describe("an export that outlasts the reply comes by direct message", () => {
  test("on Discord, with its file", async () => {
    await using scene = await onDiscord();
    const { fake } = scene;
    const ann = fake.person("ann");
    await using scratch = await scratchFolder();
    await using delivered = jobsDelivered(scene.store, scratch.folder, [scene.adapter]);
    expect(await askAs(delivered.jobs, personOf("discord", ann.id), 0)).toMatchObject({ kind: "later" });
    const direct = fake.direct(ann);
    const received = () => [...fake.state.messages.values()].filter(({ channel }) => channel === direct);
    await expect.poll(() => received().length).toBe(1);
    const [message] = received();
    expect(textOfDiscord(message!)).toMatch(/SIMULATED.*abababab/su);
    expect(textOfDiscord(message!)).toMatch(/ledger fetch.*7k2m9xqd/u);
    await expect.poll(() => message!.files.map(({ bytes }) => bytes.toString())).toEqual([CSV]);
  });

  test("on Slack, with its file", async () => {
    await using scene = await onSlack({ delivers: true });
    const { fake } = scene;
    const ann = fake.person("ann");
    await using scratch = await scratchFolder();
    await using delivered = jobsDelivered(scene.store, scratch.folder, [scene.adapter]);
    expect(await askAs(delivered.jobs, personOf("slack", ann.id), 0)).toMatchObject({ kind: "later" });
    const seen = () => ann.sees(fake.state.direct(ann.id).id);
    await expect.poll(() => seen().map(textOfSlack).join()).toMatch(/abababab/u);
    await expect.poll(() => fake.state.files.size).toBe(1);
  });
});

test("where direct messages are closed the file is kept, and the operators hear nothing of it", async () => {
  const scratch = await scratchDatabase();
  const store = createStore({ url: scratch.file, log: silentLog() });
  let tries = 0;
  const closed: Sender = {
    platform: "discord",
    send: async () => {
      tries += 1;
      throw new SendError("gone", "Cannot send messages to this user");
    },
    update: async () => undefined,
  };
  {
    await using delivered = jobsDelivered(store, scratch.folder, [closed]);
    const ann = personOf("discord", "1");
    await askAs(delivered.jobs, ann, 0);
    await expect.poll(() => tries).toBe(1);
    const any = { limits: undefined, number: 1 };
    const { job, delivery } = (await delivered.jobs.fetch(ann, "7K2M-9XQD", any, new AbortController().signal))!;
    expect(job.state).toBe("kept");
    expect(await text(delivery!.attachments[0]!.open())).toBe(CSV);
    await expect
      .poll(() =>
        store
          .transaction(({ alerts }) => alerts.outbox.finished(10))
          .then((rows) => rows.map(({ destination, state }) => `${destination} ${state}`)),
      )
      .toEqual(["discord//user%3A1/ dead"]);
  }
  await store.close();
  await scratch.remove();
});

test("after a restart the person is told, with a button that runs it again", async () => {
  const scratch = await scratchDatabase();
  const store = createStore({ url: scratch.file, log: silentLog() });
  const ann = personOf("discord", "1");
  {
    await using before = jobsDelivered(store, scratch.folder, [], ENDLESS);
    const asked = askAs(before.jobs, ann, 3_600_000);
    asked.catch(() => undefined);
    await expect.poll(async () => (await before.jobs.list(ann)).map(({ state }) => state)).toEqual(["running"]);
    await before.jobs.close();
  }
  const told: unknown[] = [];
  const sender: Sender = {
    platform: "discord",
    send: async (delivery, { title, actions }) => {
      told.push([delivery.destination.channel, title, actions]);
      return { platform: "discord", channel: "5", message: "6" };
    },
    update: async () => undefined,
  };
  await using after = jobsDelivered({ ...store, processes: singleProcess() }, scratch.folder, [sender]);
  await after.jobs.start();
  await expect.poll(() => told.length).toBe(1);
  expect(told).toMatchObject([
    [
      "user:1",
      expect.anything(),
      [{ label: "Run it again", invocation: { command: "ledger export", options: { asset: "USDT" } } }],
    ],
  ]);
  // A console takes no direct messages: there, the list says it.
  expect(await after.jobs.list(ann)).toMatchObject([{ state: "interrupted" }]);
  await after.jobs.close();
  await store.close();
  await scratch.remove();
});

async function scratchFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const scratch = await scratchDatabase();
  return { folder: scratch.folder, [Symbol.asyncDispose]: () => scratch.remove() };
}
