import { mkdir, mkdtemp, readdir, rm, symlink, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { ApiError } from "../../../src/api/api-error.ts";
import { systemClock } from "../../../src/api/clock.ts";
import { BotStopping } from "../../../src/errors.ts";
import type { ExportAsker, ExportStanding } from "../../../src/export/jobs/job.ts";
import { MAX_JOBS_PER_PERSON } from "../../../src/export/jobs/export-line.ts";
import { createExportJobs, type ExportJobs } from "../../../src/export/jobs/jobs.ts";
import type { LedgerExports, LedgerFile } from "../../../src/export/ledger-exports.ts";
import { exportNotice } from "../../../src/main/export-jobs.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { KeptFiles } from "../../../src/export/jobs/kept-files.ts";
import { endedReply } from "../../../src/answers/exports/ended.ts";
import { silentLog } from "../../../src/log.ts";
import { memoryAttachment } from "../../../src/reply/reply.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { deleteRows, onServer, postgresMissing, scratchPostgres } from "../../support/postgres.ts";
import { apiOf, asker, TO } from "./job-stage.ts";
import { PLATFORMS } from "../../support/platforms.ts";

/** An export that runs until the test says how it ends. */
interface Running {
  readonly process: string;
  readonly person: string;
  readonly network: string;
  end(how?: Error): void;
}

interface Process {
  readonly jobs: ExportJobs;
  readonly store: DatabaseStore;
  readonly owed: string[];
  ask(
    person: string,
    more?: { network?: string; nodes?: number; asker?: Partial<ExportAsker> },
  ): {
    readonly outcome: ReturnType<ExportJobs["run"]>;
    readonly standings: ExportStanding[];
  };
}

/** Another process is heard of within a second, where nothing tells of it sooner. */
const poll = <T>(what: () => T) => expect.poll(what, { timeout: 5000, interval: 20 });

describe.skipIf(postgresMissing !== undefined)(`exports of several processes ${postgresMissing ?? ""}`, () => {
  let database: Awaited<ReturnType<typeof scratchPostgres>>;
  beforeAll(async () => {
    database = await scratchPostgres();
  });
  afterAll(() => database.drop());

  /** So many processes on one database, in one order of what they run. */
  async function processes<const N extends string>(...names: readonly N[]) {
    const folders: Partial<Record<string, string>> = {};
    const running: Running[] = [];
    let codes = 0;
    const one = async (name: N): Promise<Process> => {
      const store = createStore({ url: database.url, log: silentLog() });
      const owed: string[] = [];
      const exports: Pick<LedgerExports, "export"> = {
        async export(api, { name: person, signal }) {
          const ended = Promise.withResolvers<void>();
          signal.addEventListener("abort", () => ended.reject(signal.reason as Error), { once: true });
          const here: Running = {
            process: name,
            person,
            network: api.network,
            end: (how) => (how === undefined ? ended.resolve() : ended.reject(how)),
          };
          running.push(here);
          await ended.promise.finally(() => running.splice(running.indexOf(here), 1));
          return madeUp;
        },
      };
      const jobs = createExportJobs({
        exports,
        store,
        clock: systemClock,
        log: silentLog(),
        newCode: () => String((codes += 1)).padStart(8, "0"),
        kept: { directory: folders[name] ?? "/nowhere", freeBytes: async () => 1e12 },
        owe: async (_tables, { code, person }) => void owed.push(`${person} ${code}`),
      });
      onTestFinished(async () => {
        await jobs.close();
        await store.processes.leave();
        await store.close();
      });
      await store.processes.heartbeat();
      store.processes.onChange(() => void jobs.syncJobs(), new AbortController().signal);
      return {
        jobs,
        store,
        owed,
        ask(person, { network = "mainnet", nodes = 1, asker: more = {} } = {}) {
          const standings: ExportStanding[] = [];
          const outcome = jobs.run({
            ...requestOf(person, network, nodes),
            asker: asker(person, more),
            onStanding: (standing) => standings.push(standing),
          });
          outcome.catch(() => undefined);
          return { outcome, standings };
        },
      };
    };
    await createdAnew();
    const root = await mkdtemp(path.join(os.tmpdir(), "bellwether-several-"));
    onTestFinished(() => rm(root, { recursive: true }));
    for (const name of names) folders[name] = path.join(root, name);
    // What one calls by another name is the same folder.
    await mkdir(folders["a"]!);
    if (folders["shares"] !== undefined) await symlink(folders["a"]!, folders["shares"]);
    const all = await Promise.all(names.map(one));
    const runs = (): string[] => running.map(({ process, person }) => `${person} in ${process}`).toSorted();
    return {
      /** Where each keeps its files. */
      folders,
      running,
      runs,
      ...(Object.fromEntries(names.map((name, index) => [name, all[index]!])) as Record<N, Process>),
      rows: async () =>
        (await all[0]!.store.exports.list(undefined, 0, 100))
          .map(({ code, state }) => `${Number(code)} ${state}`)
          .toSorted(),
    };
  }

  const createdAnew = async (): Promise<void> => {
    const store = createStore({ url: database.url, log: silentLog() });
    await store.ping();
    await store.close();
    await deleteRows(database.url);
  };

  /** A job stands in line before the next one is asked for. */
  const stored = (store: DatabaseStore, count: number) =>
    poll(async () => (await store.exports.list(undefined, 0, 100)).length).toBe(count);

  test("one a node and one a person run at a time; places and turns are counted over all", async () => {
    const { a, b, running, runs } = await processes("a", "b");
    const first = a.ask("ann");
    await poll(runs).toEqual(["ann in a"]);
    const waiting = [b.ask("bob")];
    await stored(b.store, 2);
    waiting.push(a.ask("ann"));
    await stored(b.store, 3);
    waiting.push(a.ask("cy"));
    await stored(b.store, 4);
    // Her own second export waits for nothing but the first one, and yet behind those who have had none.
    const places = () => waiting.map(({ standings }) => standings.findLast(({ state }) => state === "queued"));
    await poll(places).toMatchObject([
      { place: 1, of: 3 },
      { place: 2, of: 3 },
      { place: 3, of: 3 },
    ]);
    await sleep(100);
    expect(runs()).toEqual(["ann in a"]);
    running[0]!.end();
    expect(await first.outcome).toMatchObject({ kind: "whole" });
    await poll(runs).toEqual(["bob in b"]);
    running[0]!.end();
    await poll(runs).toEqual(["cy in a"]);
    expect(await waiting[0]!.outcome).toMatchObject({ kind: "whole", delivery: { attachments: [{ name: "x.csv" }] } });
    running[0]!.end();
    await poll(runs).toEqual(["ann in a"]);
    // Measured by whichever process.
    const last = b.ask("dot");
    await expect
      .poll(() => last.standings.at(-1))
      .toMatchObject({ place: 1, of: 1, waitMillis: expect.any(Number) as number });
  });

  test("on two nodes two run, one person has one, wherever it was asked for", async () => {
    const { a, b, runs, running } = await processes("a", "b");
    a.ask("ann", { nodes: 2 });
    await poll(runs).toEqual(["ann in a"]);
    b.ask("ann", { network: "testnet" });
    await stored(b.store, 2);
    b.ask("bob", { nodes: 2 });
    await stored(b.store, 3);
    a.ask("cy", { nodes: 2 });
    await poll(runs).toEqual(["ann in a", "bob in b"]);
    running.find(({ person }) => person === "ann")!.end();
    await poll(runs).toEqual(["ann in b", "bob in b", "cy in a"]);
  });

  test("many who ask at once in three processes: never two at a time, all are served", async () => {
    const { a, b, c, running } = await processes("a", "b", "c");
    let most = 0;
    const asked = Array.from({ length: 12 }, (_, index) => [a, b, c][index % 3]!.ask(`p${index % 5}`).outcome);
    const over = Promise.all(asked);
    const isOver = over.then(() => true);
    // So long that two would meet.
    while (!(await Promise.race([isOver, sleep(40, false)]))) {
      most = Math.max(most, running.length);
      running[0]?.end();
    }
    expect(new Set((await over).map(({ kind }) => kind))).toEqual(new Set(["whole"]));
    expect(most).toBe(1);
  });

  test("how many one person may have is counted over all", async () => {
    const { a, b, rows } = await processes("a", "b");
    for (let time = 0; time < MAX_JOBS_PER_PERSON; time += 1) {
      (time % 2 === 0 ? a : b).ask("ann");
      await stored(a.store, time + 1);
    }
    await expect(b.ask("ann").outcome).rejects.toMatchObject({ suggestion: "ledger list" });
    expect(await rows()).toHaveLength(MAX_JOBS_PER_PERSON);
  });

  test("a refusal holds back the whole network in all of them, and they say so", async () => {
    const { a, b, running, runs } = await processes("a", "b");
    const patient = a.ask("ann", { asker: { takesDirectMessages: true } });
    await poll(runs).toEqual(["ann in a"]);
    const other = b.ask("bob");
    await stored(b.store, 2);
    const refusal = { network: "mainnet", node: "slow:1", retryAfterMillis: 1500 };
    running[0]!.end(new ApiError("rate-limited", "slow:1 refuses.", refusal));
    await poll(() => other.standings.at(-1)?.state).toBe("refused");
    expect(runs()).toEqual([]);
    await poll(runs).toEqual(["ann in a"]);
    expect(patient.standings.some(({ state }) => state === "refused")).toBe(true);
  });

  test("one that waits or runs is cancelled from any of them, and its place is free; one that is whole is not", async () => {
    const { a, b, running, runs, rows } = await processes("a", "b");
    const [ran, waited, next] = [a.ask("ann"), a.ask("bob"), b.ask("cy")];
    await poll(runs).toHaveLength(1);
    await stored(b.store, 3);
    const by = (person: string) => b.jobs.cancel(asker(person), code(person));
    const codes = new Map((await a.store.exports.list(undefined, 0, 9)).map(({ person, code: one }) => [person, one]));
    const code = (person: string): string => codes.get(person)!;
    const [who] = running;
    expect(await by("bob")).toMatchObject({ stopped: true, job: { state: "cancelled" } });
    expect(await waited.outcome).toMatchObject({ kind: "cancelled" });
    expect(who!.person).not.toBe("bob");
    expect(await by("ann")).toMatchObject({ stopped: true });
    expect(await ran.outcome).toMatchObject({ kind: "cancelled" });
    await poll(runs).toEqual(["cy in b"]);
    await onServer(database.url, `update export_jobs set ended_at = 5 where person = 'cy'`);
    expect(await a.jobs.cancel(asker("cy"), code("cy"))).toMatchObject({ stopped: false, job: { state: "running" } });
    running[0]!.end();
    expect(await next.outcome).toMatchObject({ kind: "whole" });
    expect((await rows()).filter((row) => row.endsWith("cancelled"))).toHaveLength(2);
  });

  test("one that was cancelled at the moment of its end is not delivered", async () => {
    const { a, running, runs, rows } = await processes("a");
    const { outcome } = a.ask("ann");
    await poll(runs).toHaveLength(1);
    await onServer(database.url, `update export_jobs set state = 'cancelled', ended_at = 5`);
    running[0]!.end();
    expect(await outcome).toMatchObject({ kind: "cancelled" });
    expect(await rows()).toEqual(["1 cancelled"]);
  });

  test("a file is fetched where its folder is shared, by whichever name; elsewhere the export can be run again", async () => {
    const { a, shares, other, running, runs, rows } = await processes("a", "shares", "other");
    const ann = asker("ann", { platform: "slack", takesDirectMessages: true });
    const asked = a.jobs.run({ ...requestOf("ann"), asker: ann, answerWithin: 0 });
    await poll(runs).toHaveLength(1);
    expect(await asked).toMatchObject({ kind: "later" });
    running[0]!.end();
    await poll(() => a.owed).toEqual(["ann 00000001"]);
    // Owed within the transaction that stores the file.
    await poll(async () => (await rows()).filter((row) => row.endsWith("running"))).toEqual([]);
    // As on another machine: there is no such path.
    await onServer(database.url, "update export_files set path = regexp_replace(path, '.*/', '/elsewhere/')");
    const fetchIn = async ({ jobs }: Process) =>
      (await jobs.fetch(ann, "00000001", { limits: undefined, number: 1 }, new AbortController().signal))!;
    for (const one of [a, shares]) {
      expect((await fetchIn(one)).delivery).toMatchObject({ attachments: [{ name: "x.csv", sizeBytes: 4 }] });
    }
    const ended = await fetchIn(other);
    expect(ended.delivery).toEqual({ attachments: [], elsewhere: true });
    const reply = endedReply({ platforms: PLATFORMS, here: ended.job, now: () => TO }, ended);
    expect(reply.actions).toMatchObject([
      { invocation: { command: "ledger export" } },
      { invocation: { command: "ledger fetch", options: { code: "00000001" } } },
    ]);
    const secret = (await a.store.exports.files("00000001"))[0]!.link!;
    expect(await a.jobs.linked(secret)).toMatchObject({ name: "x.csv" });
    expect([await other.jobs.linked(secret), await other.jobs.linked("x")]).toEqual(["elsewhere", undefined]);

    // Its message is left to a process that has the file, for some time.
    const message = { type: "export", job: "00000001", at: "0" } as const;
    const noticeIn = ({ jobs }: Process, after: number) =>
      exportNotice(jobs, message, { platforms: PLATFORMS, now: () => fromMillis(ended.job.endedAt! + after) });
    expect(await noticeIn(shares, 0)).toMatchObject({ attachments: [{ name: "x.csv" }] });
    await expect(noticeIn(other, 119_000)).rejects.toMatchObject({ kind: "retry", retryAfterMillis: 1000 });
    expect(await noticeIn(other, 120_000)).toMatchObject({ attachments: [], tone: "warning" });
  });

  test("each leaves a mark in the folder of its files while it runs; an old one goes", async () => {
    const { a, shares, folders } = await processes("a", "shares");
    const marks = () => readdir(folders["a"]!).then((found) => found.toSorted());
    const old = new KeptFiles({ directory: folders["a"]! });
    await old.mark("0dd");
    await old.mark("0dd1");
    await utimes(path.join(folders["a"]!, "process-0dd"), 0, 0);
    for (const { jobs } of [a, shares]) await jobs.start();
    const [first, second] = [a, shares].map(({ store }) => `process-${store.processes.self}`);
    await poll(marks).toEqual([first!, second!, "process-0dd1"].toSorted());
    await a.jobs.close();
    expect(await marks()).toEqual([second!, "process-0dd1"].toSorted());
  });

  test("those of a dead one are offered again, and hold up nobody; it stops them when it wakes", async () => {
    const { a, b, runs, rows } = await processes("a", "b");
    const frozen = a.ask("ann", { asker: { takesDirectMessages: true } });
    await poll(runs).toEqual(["ann in a"]);
    b.ask("bob");
    await stored(b.store, 2);
    const { self } = a.store.processes;
    await onServer(database.url, `update processes set alive_until = alive_until - 7000 where id = '${self}'`);
    expect(await b.store.processes.heartbeat()).toBe(1);
    await b.jobs.interruptAbandoned();
    // The next one may run already.
    expect([b.owed, (await rows())[0]]).toEqual([["ann 00000001"], "1 interrupted"]);
    await poll(runs).toEqual(["ann in a", "bob in b"]);
    await a.store.processes.heartbeat();
    await a.jobs.syncJobs();
    await expect(frozen.outcome).rejects.toThrow(BotStopping);
    expect([runs(), await rows()]).toEqual([["bob in b"], ["1 interrupted", "2 running"]]);
  });

  test("one whose end the database did not take is out of the line as soon as its process looks", async () => {
    const { a, runs, rows } = await processes("a");
    a.ask("ann");
    await poll(runs).toEqual(["ann in a"]);
    await onServer(
      database.url,
      `insert into export_jobs select '00000009', platform, workspace, channel, 'zoe', network, state, invocation,
        created_at, started_at, ended_at, node, row_count, byte_count, failure, result, account, expires_at, process
        from export_jobs`,
    );
    await a.jobs.syncJobs();
    expect(await rows()).toEqual(["1 running", "9 interrupted"]);
  });
});

const requestOf = (person: string, network = "mainnet", nodes = 1) => ({
  api: apiOf(network, nodes),
  ask: { command: "ledger export", options: {} },
  subject: { query: { partyId: "ab", assetId: "cd", to: TO }, raw: false },
  request: { name: person },
  signal: new AbortController().signal,
});

const madeUp: LedgerFile = {
  attachment: memoryAttachment("x.csv", "text/csv", "a,b\n"),
  account: {
    rows: 1,
    dropped: { asset: 0, party: 0, range: 0 },
    outgoingOnly: false,
    raw: false,
    unit: {},
    endIsProven: true,
    sizeBytes: 4,
    sha256: "ab".repeat(32),
  },
  columns: ["a", "b"],
  asOf: { network: "mainnet", node: "slow:1", receivedAt: TO, simulated: false },
};
