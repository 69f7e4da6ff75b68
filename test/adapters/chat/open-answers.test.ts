import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { KeyRing } from "../../../src/adapters/chat/key-ring.ts";
import { type LeftAnswer, OpenAnswers } from "../../../src/adapters/chat/open-answers.ts";
import { silentLog } from "../../../src/log.ts";
import type { OpenAnswerRow, OpenAnswerTable } from "../../../src/store/store.ts";
import { until } from "../../support/fake-discord/until.ts";

const NEVER = new AbortController().signal;

/** The table in memory; `fault` is what becomes of each call. */
function tableInMemory() {
  const rows = new Map<string, OpenAnswerRow>();
  const made = { rows, fault: () => Promise.resolve() };
  const table: OpenAnswerTable = {
    async put(row) {
      await made.fault();
      rows.set(row.id, row);
    },
    async left(platform, self) {
      return [...rows.values()].filter((row) => row.platform === platform && row.process !== self);
    },
    async claim({ id, process }, self) {
      const row = rows.get(id);
      if (row?.process !== process) return false;
      rows.set(id, { ...row, process: self });
      return true;
    },
    async remove(id) {
      await made.fault();
      rows.delete(id);
    },
  };
  return Object.assign(made, { table });
}

type Memory = ReturnType<typeof tableInMemory>;

function processOn({ table }: Memory, self: string, onFewer: (listener: () => void) => void = () => undefined) {
  const keys = new KeyRing([new Uint8Array(32)]);
  return new OpenAnswers({ platform: "chat", table, self, keys, onFewer, log: silentLog(), rememberedAfter: 1 });
}

/** Leaves an answer open, as a process does that is killed. */
async function leave(memory: Memory, self = "dead"): Promise<void> {
  const before = memory.rows.size;
  const opening = { workspace: "T1", content: () => ({ said: self }), stopping: NEVER };
  void processOn(memory, self).during(opening, () => new Promise(() => undefined));
  await until(() => memory.rows.size > before, "the row");
}

describe("an answer", () => {
  const opening = { workspace: undefined, content: () => 1, stopping: NEVER };

  test("arrives whatever becomes of the database, which holds it up by a second at most", async () => {
    const memory = tableInMemory();
    const answers = processOn(memory, "one");
    memory.fault = () => Promise.reject(new Error("the disk is full"));
    const done: string[] = [];
    await answers.during(opening, async (open) => {
      await sleep(5);
      await open.answering();
      done.push("without a database");
    });
    memory.fault = () => new Promise(() => undefined);
    const began = performance.now();
    void answers.during(opening, async (open) => {
      await sleep(5);
      await open.answering();
      done.push("with one that hangs");
    });
    await until(() => done.length === 2, "the answer");
    expect(performance.now() - began).toBeLessThan(3000);
  });

  test("that is made at once is remembered, too, where its sending takes long; and forgotten then", async () => {
    const memory = tableInMemory();
    const sent = Promise.withResolvers<void>();
    const done = processOn(memory, "one").during(opening, async (open) => {
      await open.answering();
      await sent.promise;
    });
    await until(() => memory.rows.size > 0, "the row");
    const left: boolean[] = [];
    await processOn(memory, "two").closeLeft(async ({ isUncertain }) => void left.push(isUncertain), NEVER);
    expect(left).toEqual([true]);
    sent.resolve();
    await done;
    expect(memory.rows.size).toBe(0);
  });

  test.each(["arrived", "was refused"])("that %s ends in time where the database hangs", async (how) => {
    const memory = tableInMemory();
    const done = processOn(memory, "one").during(opening, async () => {
      await until(() => memory.rows.size > 0, "the row");
      memory.fault = () => new Promise(() => undefined);
      if (how === "was refused") throw new Error(how);
    });
    const began = performance.now();
    await done.catch(() => undefined);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  test("that fails is forgotten; one that a stop breaks off is left to the next start", async () => {
    const memory = tableInMemory();
    const stopping = new AbortController();
    const failing = (signal: AbortSignal) =>
      processOn(memory, "one").during({ ...opening, stopping: signal }, async () => {
        await until(() => memory.rows.size > 0, "the row");
        throw new Error("refused");
      });
    await expect(failing(NEVER)).rejects.toThrow("refused");
    expect(memory.rows.size).toBe(0);
    stopping.abort();
    await expect(failing(stopping.signal)).rejects.toThrow("refused");
    expect(memory.rows.size).toBe(1);
  });
});

describe("what is left", () => {
  test("is closed once by two processes that begin at once, and again by none", async () => {
    const memory = tableInMemory();
    await leave(memory);
    const closed: unknown[] = [];
    const close = async (left: LeftAnswer): Promise<void> => {
      closed.push(left.content);
      await sleep(5);
      await left.forget();
    };
    await Promise.all(["one", "two"].map((self) => processOn(memory, self).closeLeft(close, NEVER)));
    await processOn(memory, "three").closeLeft(close, NEVER);
    expect(closed).toEqual([{ said: "dead" }]);
  });

  test("is closed by the next start where a process dies while it closes it", async () => {
    const memory = tableInMemory();
    await leave(memory);
    void processOn(memory, "one").closeLeft(() => new Promise(() => undefined), NEVER);
    await until(() => [...memory.rows.values()].some(({ process }) => process === "one"), "the claim");
    const closed: unknown[] = [];
    await processOn(memory, "two").closeLeft(async ({ content }) => void closed.push(content), NEVER);
    expect(closed).toEqual([{ said: "dead" }]);
  });

  test("is forgotten where the platform takes nothing, and kept where a stop breaks that off", async () => {
    const memory = tableInMemory();
    await leave(memory);
    const stopped = AbortSignal.abort();
    const refuse = () => Promise.reject(new Error("refused"));
    await processOn(memory, "one").closeLeft(refuse, stopped);
    expect(memory.rows.size).toBe(1);
    await processOn(memory, "two").closeLeft(refuse, NEVER);
    expect(memory.rows.size).toBe(0);
  });

  test("is closed by a process that lives when another one dies", async () => {
    const memory = tableInMemory();
    const listeners: (() => void)[] = [];
    const closed: unknown[] = [];
    const answers = processOn(memory, "one", (listener) => void listeners.push(listener));
    await answers.closeLeft(async ({ content }) => void closed.push(content), NEVER);
    await leave(memory, "two");
    expect(closed).toEqual([]);
    for (const listener of listeners) listener();
    await until(() => closed.length === 1, "its end");
  });

  test("is not opened under another id: a row that was copied closes nothing", async () => {
    const memory = tableInMemory();
    await leave(memory);
    const [row] = memory.rows.values();
    memory.rows.clear();
    memory.rows.set("other", { ...row!, id: "other" });
    const closed: unknown[] = [];
    await processOn(memory, "one").closeLeft(async ({ content }) => void closed.push(content), NEVER);
    expect(closed).toEqual([]);
  });
});
