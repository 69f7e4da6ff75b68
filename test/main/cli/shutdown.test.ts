import { Writable } from "node:stream";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createLog, silentLog } from "../../../src/log.ts";
import { createShutdown } from "../../../src/main/cli/shutdown.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("stops the parts one after the other, last first", async () => {
  const shutdown = createShutdown(silentLog());
  const order: string[] = [];
  for (const part of ["store", "networks", "web"]) {
    shutdown.add(part, async () => {
      order.push(`${part} begins`);
      await Promise.resolve();
      order.push(`${part} stopped`);
    });
  }
  expect(shutdown.signal.aborted).toBe(false);
  expect(await shutdown.begin(0)).toBe(0);
  expect(shutdown.signal.aborted).toBe(true);
  expect(order).toEqual([
    "web begins",
    "web stopped",
    "networks begins",
    "networks stopped",
    "store begins",
    "store stopped",
  ]);
});

it("goes on where a part fails, and says so", async () => {
  let logged = "";
  const log = createLog(
    "warn",
    new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    }),
  );
  const shutdown = createShutdown(log);
  let stopped = false;
  shutdown.add("store", async () => {
    stopped = true;
  });
  shutdown.add("slack", () => Promise.reject(new Error("socket hung up")));
  expect(await shutdown.begin(0)).toBe(0);
  expect(stopped).toBe(true);
  expect(logged).toContain('"part":"slack","why":"socket hung up"');
});

it("leaves a part behind that hangs, and all that hang in less than 10 s", async () => {
  const shutdown = createShutdown(silentLog());
  const forever = (): Promise<void> => new Promise(() => undefined);
  let stopped = false;
  shutdown.add("store", async () => {
    stopped = true;
  });
  for (const part of ["a", "b", "c", "d"]) shutdown.add(part, forever);
  void shutdown.begin(0);
  await vi.advanceTimersByTimeAsync(8000);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(400);
  expect(stopped).toBe(true);
  expect(await shutdown.ended).toBe(0);
});

it("stops every part once, and ends with the worst exit code", async () => {
  const shutdown = createShutdown(silentLog());
  let times = 0;
  shutdown.add("store", async () => {
    times += 1;
  });
  const all = await Promise.all([shutdown.begin(0), shutdown.begin(3), shutdown.begin(1), shutdown.ended]);
  expect(all).toEqual([3, 3, 3, 3]);
  expect(times).toBe(1);
});

it("stops what starts while the stop is under way", async () => {
  const shutdown = createShutdown(silentLog());
  let late = false;
  shutdown.add("first", async () => {
    shutdown.add("late", async () => {
      late = true;
    });
  });
  await shutdown.begin(0);
  expect(late).toBe(true);
});
