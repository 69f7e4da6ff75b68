import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ApiError } from "../../../src/api/api-error.ts";
import { BotStopping, UserError } from "../../../src/errors.ts";
import { MAX_JOBS_PER_PERSON } from "../../../src/export/jobs/export-line.ts";
import { saying } from "../../support/said.ts";
import { apiOf, asker, jobStage } from "./job-stage.ts";
import { runs } from "../../support/runs.ts";

const MB = 1_000_000;
const kinds = (outcomes: readonly PromiseSettledResult<{ kind: string }>[]): string[] =>
  outcomes.map((one) => (one.status === "fulfilled" ? one.value.kind : "failed"));

describe("fifty people at once on a node of 0.8 MB a second", () => {
  test("are all served, one after the other, and none fails by waiting", async () => {
    const stage = jobStage();
    const { ask, clock } = stage;
    const asked = Array.from({ length: 50 }, (_, index) => ask(`p${index}`, 100 * MB));
    await clock.advance(50 * 125_000 + 1);
    const outcomes = await Promise.allSettled(asked.map(({ outcome }) => outcome));
    expect(new Set(kinds(outcomes))).toEqual(new Set(["whole"]));
    expect(stage.most).toBe(1);
    // Each was told its place, ever nearer.
    const last = asked.at(-1)!.standings.flatMap((one) => (one.state === "queued" ? [one.place] : []));
    expect(last[0]).toBe(49);
    expect(last).toEqual(last.toSorted((a, b) => b - a));
    expect(last.at(-1)).toBe(1);
  });

  test("learn roughly when they begin, once an export was measured", async () => {
    const { ask, clock } = jobStage();
    const asked = Array.from({ length: 10 }, (_, index) => ask(`p${index}`, 100 * MB));
    await clock.advance(2 * 125_000 + 1);
    const told = asked.at(-1)!.standings.findLast(({ state }) => state === "queued");
    expect(told).toMatchObject({ place: 7, of: 7, waitMillis: 7 * 125_000 });
    await clock.advance(8 * 125_000);
    await Promise.all(asked.map(({ outcome }) => outcome));
  });
});

test.each([0, 2000, 5000])(
  "fifty people learn when they begin within a factor of two, with a pause of %d ms between exports of 1 s",
  async (exportPauseMillis) => {
    const { ask, clock } = jobStage([{ bytesPerSecond: MB }], { exportPauseMillis });
    // Earlier exports, each after a quiet hour.
    for (const person of ["x", "y", "z"]) {
      const { outcome } = ask(person, MB);
      await clock.advance(3_600_000);
      await outcome;
    }
    const told: { readonly by: number; readonly at: number; readonly wait: number }[] = [];
    const began = new Map<number, number>();
    for (let by = 0; by < 50; by += 1) {
      const { outcome } = ask(`p${by}`, MB, {
        onStanding: (standing) => {
          const at = clock.monotonicMillis();
          if (standing.state === "queued") told.push({ by, at, wait: standing.waitMillis ?? -1 });
          else if (!began.has(by)) began.set(by, at);
        },
      });
      void outcome.then(({ kind }) => expect(kind).toBe("whole"));
      await clock.advance(10);
    }
    await clock.advance(50 * (1000 + exportPauseMillis));
    expect(began.size).toBe(50);
    expect(told.length).toBeGreaterThan(500);
    const wrong = told.filter(({ by, at, wait }) => {
      const truth = began.get(by)! - at;
      // What begins within half a second begins soon.
      return Math.max(truth, wait) > 500 && (wait > 2 * truth || wait < truth / 2);
    });
    expect(wrong).toEqual([]);
  },
);

test("whoever asks for many waits behind whoever asks for one; a person has one running, whatever nodes are free", async () => {
  const stage = jobStage([{ bytesPerSecond: MB }, { bytesPerSecond: MB }]);
  const { ask, clock } = stage;
  const order: string[] = [];
  const asks = ["a1", "a2", "a3", "b1", "c1"].map((name) => {
    const { outcome } = ask(name[0]!, MB);
    return outcome.then(() => order.push(name));
  });
  await clock.advance(10_000);
  await Promise.all(asks);
  // a2 was asked for before c1, and waits behind it, since a was served already.
  expect(order).toEqual(["a1", "b1", "c1", "a2", "a3"]);
  expect([stage.most, stage.perPerson]).toEqual([2, 1]);
});

describe("an export in slices", () => {
  const inSlices = (count: number) => ({ request: { name: `a/${MB}/${count}` } });

  test("lets all go first, before each slice, who wait by then", async () => {
    const stage = jobStage([{ bytesPerSecond: MB }]);
    const { ask, clock, store } = stage;
    const long = ask("a", MB, inSlices(4));
    const others = ["b", "c"].map((person) => ask(person, MB));
    await clock.advance(3500);
    expect(long.standings.at(-1)).toMatchObject({ state: "running" });
    others.push(ask("d", MB));
    await clock.advance(100_000);
    expect((await long.outcome).kind).toBe("whole");
    await Promise.all(others.map(({ outcome }) => outcome));
    expect(stage.begun).toEqual(["a", "b", "c", "a", "d", "a", "a"]);
    expect(stage.most).toBe(1);
    expect(long.standings).toContainEqual(expect.objectContaining({ state: "queued", place: 2, of: 2 }));
    expect([...store.rows.values()].every(({ state, ended_at }) => state === "delivered" && ended_at !== null)).toBe(
      true,
    );
  });

  test("is stopped at once while it waits, and no slice follows", async () => {
    const stage = jobStage([{ bytesPerSecond: MB }]);
    const { ask, clock, jobs, store } = stage;
    const long = ask("a", MB, inSlices(3));
    const other = ask("b", 5 * MB);
    await clock.advance(2000);
    expect(store.rows.get("00000001")).toMatchObject({ state: "queued" });
    expect((await jobs.list(asker("a")))[0]).not.toHaveProperty("endedAt");
    expect(await jobs.cancel(asker("a"), "00000001")).toMatchObject({ stopped: true, job: { state: "cancelled" } });
    expect((await long.outcome).kind).toBe("cancelled");
    await clock.advance(10_000);
    expect((await other.outcome).kind).toBe("whole");
    expect(stage.begun).toEqual(["a", "b"]);
  });

  test("goes on without the store", async () => {
    const stage = jobStage([{ bytesPerSecond: MB }]);
    const long = stage.ask("a", MB, inSlices(2));
    await stage.clock.advance(500);
    const { get } = stage.store;
    stage.store.get = () => Promise.reject(new Error("locked"));
    await stage.clock.advance(1000);
    stage.store.get = get;
    await stage.clock.advance(5000);
    expect((await long.outcome).kind).toBe("whole");
    expect(stage.begun).toEqual(["a", "a"]);
  });
});

test("whoever asks, and whatever breaks or is given up, all are served in the end and no node has two", async () => {
  const one = fc.record({
    person: fc.constantFrom("a", "b", "c", "d"),
    network: fc.constantFrom("mainnet", "testnet"),
    seconds: fc.integer({ min: 0, max: 100 }),
    after: fc.integer({ min: 0, max: 60 }),
    leaves: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (plans) => {
      const stage = jobStage([{ bytesPerSecond: MB }]);
      const { ask, clock, jobs, store } = stage;
      const apis = { mainnet: apiOf("mainnet", 1), testnet: apiOf("testnet", 1) };
      const outcomes: Promise<PromiseSettledResult<{ kind: string }>[]>[] = [];
      const given: boolean[] = [];
      for (const { person, network, seconds, after, leaves } of plans) {
        const asked = ask(person, seconds * MB, { api: apis[network] });
        outcomes.push(Promise.allSettled([asked.outcome]));
        given.push(leaves !== undefined);
        if (leaves !== undefined) void clock.sleep(leaves * 1000).then(() => asked.leave());
        await clock.advance(after * 1000);
      }
      await clock.advance(12 * 100_000 + 200_000);
      const ended = (await Promise.all(outcomes)).flat();
      // More than one person may have is refused at once; all else is served, unless its caller left.
      const unserved = ended.filter(
        (one, index) => one.status === "rejected" && !(one.reason instanceof UserError) && given[index] === false,
      );
      expect(unserved).toEqual([]);
      expect(stage.most).toBeLessThanOrEqual(1);
      expect(stage.perPerson).toBeLessThanOrEqual(1);
      expect([...store.rows.values()].filter(({ ended_at }) => ended_at === null)).toEqual([]);
      expect((await jobs.list(asker("a"))).every(({ state }) => state === "delivered" || state === "cancelled")).toBe(
        true,
      );
    }),
    runs(25),
  );
});

describe("a job", () => {
  test("tells rows, bytes and speed while it runs", async () => {
    const { ask, clock } = jobStage();
    const { outcome, standings } = ask("a", 80 * MB);
    await clock.advance(100_000);
    await outcome;
    expect(standings.at(-1)).toEqual({
      code: "00000001",
      state: "running",
      bytes: 80 * MB,
      rows: 800_000,
      bytesPerSecond: expect.closeTo((80 * MB) / 75, -3) as number,
    });
  });

  test("that is cancelled stops at once, running or waiting, and the next one begins", async () => {
    const { ask, clock, jobs, store } = jobStage();
    const [first, second, third] = [ask("a", 100 * MB), ask("b", 100 * MB), ask("c", MB)];
    await clock.advance(1000);
    const done = await jobs.cancel(asker("b"), "0000-0002");
    expect(done).toMatchObject({ stopped: true, job: { state: "cancelled" } });
    expect(await second.outcome).toEqual({ kind: "cancelled", code: "00000002" });
    await jobs.cancel(asker("a"), "oooooooi");
    expect(await first.outcome).toMatchObject({ kind: "cancelled" });
    await clock.advance(2000);
    expect(await third.outcome).toMatchObject({ kind: "whole" });
    expect(await jobs.cancel(asker("c"), "00000003")).toMatchObject({ stopped: false, job: { state: "delivered" } });
    expect([...store.rows.values()].map(({ state }) => state)).toEqual(["cancelled", "cancelled", "delivered"]);
  });

  test("is nobody else's to see or to cancel, but an operator's", async () => {
    const { ask, clock, jobs } = jobStage();
    const { outcome } = ask("a", MB, { asker: asker("a", { platform: "slack", workspace: "T1", place: "T1" }) });
    await clock.advance(1);
    for (const other of [
      asker("b", { platform: "slack", workspace: "T1", place: "T1" }),
      asker("a", { platform: "slack", workspace: "T2", place: "T2" }),
      asker("a"),
    ]) {
      expect(await jobs.cancel(other, "00000001")).toBeUndefined();
    }
    const operator = asker("console", { platform: "web", isOperator: true });
    expect(await jobs.list(operator)).toMatchObject([{ code: "00000001", state: "running" }]);
    expect(await jobs.cancel(operator, "00000001")).toMatchObject({ stopped: true });
    expect(await outcome).toMatchObject({ kind: "cancelled" });
  });

  test("whose caller leaves is cancelled; one that the bot's stop ends stays as it was, for the next start", async () => {
    const { ask, clock, jobs, store } = jobStage();
    const [first, second] = [ask("a", MB), ask("b", MB)];
    await clock.advance(1);
    first.leave(new Error("gone"));
    await expect(first.outcome).rejects.toThrow("gone");
    await clock.advance(1);
    await jobs.close();
    await expect(second.outcome).rejects.toThrow(BotStopping);
    expect([...store.rows.values()].map(({ state }) => state)).toEqual(["cancelled", "running"]);
    await expect(ask("c", MB).outcome).rejects.toThrow(BotStopping);
  });

  test("beyond what one person may have is refused, with what to type", async () => {
    const { ask, clock } = jobStage();
    const asked = Array.from({ length: MAX_JOBS_PER_PERSON }, () => ask("a", MB));
    await expect(ask("a", MB).outcome).rejects.toMatchObject({ suggestion: "ledger list" });
    const other = ask("b", MB);
    await clock.advance(60_000);
    await Promise.all([...asked, other].map(({ outcome }) => outcome));
  });

  test("that a node breaks off before anything came is stored as failed, with the node's words and what to do", async () => {
    const { ask, clock, jobs, nodes } = jobStage();
    const cut = new ApiError("cut", "slow:1 broke off.", { network: "mainnet", node: "slow:1" });
    nodes[0]!.refuse = () => cut;
    const { outcome } = ask("a", MB);
    const failure = expect.stringMatching(saying("slow:1 broke off.", "Ask again")) as string;
    await expect(outcome).rejects.toMatchObject({ kind: "cut", message: failure, cause: cut });
    await clock.advance(1);
    expect(await jobs.list(asker("a"))).toMatchObject([{ state: "failed", failure }]);
  });
});

describe("a node that asks for fewer questions", () => {
  const refusal = (): ApiError =>
    new ApiError("banned", "slow:1 refuses.", { network: "mainnet", node: "slow:1", retryAfterMillis: 600_000 });

  test("is left alone for as long as it says; whoever waits is told so, and then served", async () => {
    const { ask, clock, nodes } = jobStage();
    let refusals = 0;
    nodes[0]!.refuse = () => (++refusals === 1 ? refusal() : undefined);
    const late = { asker: asker("a", { takesDirectMessages: true }) };
    const [first, second] = [ask("a", MB, late), ask("b", MB)];
    await clock.advance(1);
    for (const { standings } of [first, second]) expect(standings.at(-1)).toMatchObject({ state: "refused" });
    await clock.advance(599_000);
    expect(refusals).toBe(1);
    await clock.advance(10_000);
    expect(await Promise.all([first.outcome, second.outcome])).toMatchObject([{ kind: "whole" }, { kind: "whole" }]);
    // Its own turn came first.
    expect(second.standings.some((one) => one.state === "queued" && one.place === 1)).toBe(true);
  });

  test("is told of at once where an operator asks, and in the end everywhere", async () => {
    const { ask, clock, nodes } = jobStage();
    nodes[0]!.refuse = refusal;
    await expect(ask("o", MB).outcome).rejects.toMatchObject({ kind: "banned" });
    const patient = ask("a", MB, { asker: asker("a", { takesDirectMessages: true }) });
    await clock.advance(7 * 600_000);
    await expect(patient.outcome).rejects.toMatchObject({ kind: "banned" });
  });
});
