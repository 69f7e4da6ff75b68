import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { BotStopping, StorageError } from "../../../src/errors.ts";
import type { ExportAsker } from "../../../src/export/jobs/job.ts";
import type { ExportJobs, ExportJobsDependencies } from "../../../src/export/jobs/jobs.ts";
import type { Milliseconds } from "../../../src/units/time.ts";
import { asker, jobStage } from "./job-stage.ts";

const MB = 1_000_000;
const HOUR: Milliseconds = 3_600_000;
const ann = asker("ann", { takesDirectMessages: true });

let directory: string;
beforeEach(async () => void (directory = await mkdtemp(path.join(os.tmpdir(), "bellwether-kept-"))));
afterEach(() => rm(directory, { recursive: true }));

const stageOn = (more: Partial<ExportJobsDependencies> = {}, free = 1e12) =>
  jobStage([{ bytesPerSecond: MB }], { kept: { directory, freeBytes: async () => free }, ...more });

/** Files take real time, which passes beside the virtual one. */
const until = (clock: { advance(millis: number): Promise<void> }, is: () => boolean): Promise<void> =>
  expect
    .poll(async () => {
      await clock.advance(1);
      return is();
    })
    .toBe(true);

/** As a message takes it that may have any size. */
const fetchFrom = (jobs: ExportJobs, who: ExportAsker, code: string) =>
  jobs.fetch(who, code, { limits: undefined, number: 1 }, new AbortController().signal);

describe("an export that outlasts the reply", () => {
  test("goes on by itself; its person is owed a message, and fetches the file for 24 hours, nobody else", async () => {
    const stage = stageOn();
    const { ask, clock, jobs, owed } = stage;
    const { outcome, standings } = ask("ann", 60 * MB, { asker: ann, answerWithin: 30_000 });
    await clock.advance(30_001);
    expect(await outcome).toEqual({ kind: "later", code: "00000001" });
    const told = standings.length;
    await clock.advance(30_000);
    await until(clock, () => owed.length > 0);
    expect([owed, standings.length, stage.disposed]).toEqual([["ann 00000001"], told, 1]);
    const { job, delivery } = (await fetchFrom(jobs, ann, "00000001"))!;
    expect(job).toMatchObject({ state: "kept", rows: 600_000, expiresAt: expect.any(Number) as number });
    expect(await Promise.all(delivery!.attachments.map((file) => text(file.open())))).toEqual(["a,b\n"]);
    expect(await fetchFrom(jobs, asker("bob", { takesDirectMessages: true }), "00000001")).toBeUndefined();
    expect(await fetchFrom(jobs, asker("console", { platform: "web", isOperator: true }), "00000001")).toBeUndefined();
    await jobs.start();
    // The sweep reads a real folder, so that time passes in steps.
    await expect
      .poll(async () => {
        await clock.advance(3 * HOUR);
        return readdir(directory);
      })
      .toEqual([]);
    expect(clock.monotonicMillis()).toBeGreaterThanOrEqual(24 * HOUR);
    expect((await fetchFrom(jobs, ann, "00000001"))?.delivery?.attachments).toEqual([]);
    await jobs.close();
  });

  test("goes on where its person, who is told nothing, leaves and can come back for it", async () => {
    const { ask, clock, jobs, owed } = stageOn();
    const console = asker("console", { platform: "web", isOperator: true });
    const { outcome, leave } = ask("console", 60 * MB, { asker: console, answerWithin: 30 * HOUR });
    await clock.advance(10_000);
    leave(new Error("reloaded"));
    await expect(outcome).rejects.toThrow("reloaded");
    expect(jobs.standing("00000001")).toMatchObject({ state: "running" });
    await clock.advance(60_000);
    await until(clock, () => jobs.standing("00000001") === undefined);
    const { job, delivery } = (await fetchFrom(jobs, console, "00000001"))!;
    expect([job.state, delivery!.attachments.length, owed]).toEqual(["kept", 1, []]);
    const stopped = ask("shell", 60 * MB, { asker: asker("shell", { platform: "terminal", isOperator: true }) });
    await clock.advance(10_000);
    stopped.leave(new Error("interrupted"));
    await expect(stopped.outcome).rejects.toThrow("interrupted");
    expect(await jobs.list(console)).toMatchObject([{ state: "cancelled" }, { state: "kept" }]);
  });

  test("is kept where the answer's file is not taken along, and goes with the next one once it has expired", async () => {
    const { ask, clock, jobs } = stageOn();
    const shell = asker("shell", { platform: "terminal", isOperator: true });
    const { outcome } = ask("shell", MB, { asker: shell, keepsFile: true });
    await clock.advance(2000);
    await until(clock, () => jobs.standing("00000001") === undefined);
    const first = await outcome;
    expect(first.kind === "whole" && first.delivery.attachments.length).toBe(1);
    const { job, delivery } = (await fetchFrom(jobs, shell, "00000001"))!;
    expect(job.state).toBe("kept");
    expect(await text(delivery!.attachments[0]!.open())).toBe("a,b\n");
    await clock.advance(25 * HOUR);
    const later = ask("shell", MB, { asker: shell, keepsFile: true });
    await clock.advance(2000);
    await until(clock, () => jobs.standing("00000002") === undefined);
    await later.outcome;
    expect((await readdir(directory)).map((name) => name.slice(0, 15))).toEqual(["export-00000002"]);
  });

  test("is not answered twice where it ends at that very moment", async () => {
    const { ask, clock, owed } = stageOn();
    const { outcome } = ask("ann", 30 * MB, { asker: ann, answerWithin: 30_000 });
    await clock.advance(60_000);
    const { kind } = await outcome;
    await until(clock, () => kind === "whole" || owed.length > 0);
    expect([kind, owed.length]).toEqual(kind === "whole" ? ["whole", 0] : ["later", 1]);
  });

  test("goes on though the adapter leaves, and an end without a file is owed, too", async () => {
    const { ask, clock, jobs, owed, nodes } = stageOn();
    const bob = { ...ann, person: "bob" };
    const asked = [ask("ann", MB, { asker: ann, answerWithin: HOUR }), ask("bob", MB, { asker: bob })];
    await clock.advance(1);
    nodes[0]!.refuse = () => new Error("a bug");
    for (const { leave, outcome } of asked) {
      leave(new Error("gone"));
      await expect(outcome).rejects.toThrow("gone");
    }
    await clock.advance(1000);
    await until(clock, () => owed.length === 2);
    expect(await jobs.list(ann)).toMatchObject([{ state: "kept" }]);
    expect(await jobs.list(bob)).toMatchObject([
      { state: "failed", failure: expect.not.stringContaining("a bug") as string },
    ]);
  });

  test("is cancelled without a message", async () => {
    const { ask, clock, jobs, owed } = stageOn();
    const { outcome } = ask("ann", 60 * MB, { asker: ann, answerWithin: 1000 });
    await clock.advance(1001);
    await outcome;
    expect(await jobs.cancel(ann, "00000001")).toMatchObject({ stopped: true });
    await clock.advance(120_000);
    expect(owed).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test("is owed once the database takes it", async () => {
    const { ask, clock, owed, jobs } = stageOn({
      owe: async (_tables, { code }) => {
        attempts += 1;
        if (attempts < 4) throw new Error("the disk is full");
        owed.push(code);
      },
    });
    let attempts = 0;
    const { outcome } = ask("ann", MB, { asker: ann, answerWithin: 0 });
    await clock.advance(1);
    expect(await outcome).toMatchObject({ kind: "later" });
    await clock.advance(1000);
    await until(clock, () => attempts > 0);
    await clock.advance(10_000);
    expect([attempts, owed]).toEqual([4, ["00000001"]]);
    await jobs.close();
  });
});

test("after a restart, what waited and what ran is interrupted and told of; what runs by then is not", async () => {
  const first = stageOn();
  const left = [first.ask("ann", 60 * MB, { asker: ann }), first.ask("bob", MB, { asker: { ...ann, person: "bob" } })];
  await first.clock.advance(1000);
  await first.jobs.close();
  for (const { outcome } of left) await expect(outcome).rejects.toThrow(BotStopping);
  const { jobs, owed, store, ask, clock } = stageOn({ newCode: () => "0000000z" });
  for (const row of first.store.rows.values()) await store.add(row);
  ask("eve", MB);
  await clock.advance(1);
  await jobs.start();
  expect(owed).toEqual(["ann 00000001", "bob 00000002"]);
  expect([...store.rows.values()].map(({ code, state }) => `${code} ${state}`)).toEqual([
    "00000001 interrupted",
    "00000002 interrupted",
    "0000000z running",
  ]);
  await jobs.close();
});

test("files that no row names are removed at the start, others are not touched", async () => {
  await writeFile(path.join(directory, "export-0000000a-12345678.bin"), "left by a kill");
  await writeFile(path.join(directory, "export-0000000a-12345678.part"), "half");
  await writeFile(path.join(directory, "mine.csv"), "somebody else's");
  const { jobs, clock } = stageOn();
  await jobs.start();
  await expect.poll(() => readdir(directory)).toEqual(["mine.csv"]);
  await clock.advance(1);
  await jobs.close();
});

test("kept files are bounded: the oldest go first, and their people can still read what it was", async () => {
  const { ask, clock, jobs, owed } = stageOn({ maxKeptBytes: 8 });
  for (const person of ["a", "b", "c"]) {
    const { outcome } = ask(person, MB, { asker: { ...ann, person }, answerWithin: 0 });
    await clock.advance(2000);
    await outcome;
    await until(clock, () => owed.some((one) => one.startsWith(person)));
  }
  const left = await Promise.all(
    ["a", "b", "c"].map(async (person, index) => (await fetchFrom(jobs, { ...ann, person }, `0000000${index + 1}`))!),
  );
  expect(left.map(({ delivery }) => delivery?.attachments.length)).toEqual([0, 1, 1]);
  expect(left.map(({ job }) => job.state)).toEqual(["kept", "kept", "kept"]);
  expect(await readdir(directory)).toHaveLength(2);
});

test("without space on the disk no node is asked", async () => {
  const { ask, store } = stageOn({}, 10 * MB);
  await expect(ask("ann", MB).outcome).rejects.toThrow(StorageError);
  expect(store.rows.size).toBe(0);
});

test("where nothing can be written, no node is asked, and it is no bug", async () => {
  const file = path.join(directory, "taken");
  await writeFile(file, "");
  const { ask, store } = jobStage([{ bytesPerSecond: MB }], { kept: { directory: path.join(file, "exports") } });
  await expect(ask("ann", MB).outcome).rejects.toThrow(StorageError);
  const there = jobStage([{ bytesPerSecond: MB }], { kept: { directory: file } });
  await expect(there.ask("ann", MB).outcome).rejects.toThrow(StorageError);
  expect([store.rows.size, there.store.rows.size]).toEqual([0, 0]);
});
