import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { describe, expect, it, vi } from "vitest";

import { createLog } from "../../src/log.ts";
import { logDestination, type LogStream } from "../../src/main/log-destination.ts";

/** A stream that keeps what is written, and says whether it is a terminal. */
function screen(isTTY: boolean): LogStream & { text: string; written: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stream = new Writable({
    write(chunk, _encoding, done) {
      kept.text += String(chunk);
      resolve(undefined);
      done();
    },
  });
  const kept = Object.assign(stream, { isTTY, text: "", written: promise });
  return kept;
}

it("leaves lines as they are for files and pipes", () => {
  const pipe = screen(false);
  createLog("info", logDestination(pipe)).info({ node: "n1" }, "stopping");
  expect(pipe.text).toMatch(/^\{"level":30,"time":"[^"]+","node":"n1","event":"stopping"\}\n$/u);
});

it("makes them readable on a terminal, in order, and hides what the log hides", async () => {
  const terminal = screen(true);
  const log = createLog("info", logDestination(terminal));
  log.info({ node: "n1", token: "hunter2" }, "stopping");
  log.warn({}, "stop failed");
  await terminal.written;
  log.error({ err: new Error("boom") }, "uncaught error");
  const text = stripVTControlCharacters(terminal.text);
  expect(text).toMatch(
    /^\[\d\d:\d\d:\d\d\] INFO: stopping \{"node":"n1","token":"\[redacted\]"\}\n.*WARN: stop failed\n.*ERROR: uncaught error/u,
  );
  expect(text).toContain("boom");
  expect(text).not.toContain("hunter2");
});

describe("a log that nobody reads any more", () => {
  /** A pipe as the process has it: it takes the next lines again once somebody reads. */
  function brittle(): Writable & { text: string; broken: boolean } {
    const stream = new Writable({
      autoDestroy: false,
      write(chunk, _encoding, done) {
        if (!kept.broken) kept.text += String(chunk);
        done(null);
      },
    });
    const kept = Object.assign(stream, { text: "", broken: false });
    const write = stream.write.bind(stream) as (chunk: string, done: (error?: Error | null) => void) => boolean;
    // What process.stderr does: every write fails by itself, and none closes the stream.
    stream.write = ((chunk: string, done: (error?: Error | null) => void): boolean => {
      if (!kept.broken) return write(chunk, done);
      const error = new Error("write EPIPE");
      queueMicrotask(() => {
        done(error);
        stream.emit("error", error);
      });
      return false;
    }) as typeof stream.write;
    return kept;
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it.each([false, true])(
    "loses lines, counts them, and says so once it is read again (terminal: %s)",
    async (isTTY) => {
      const pipe = Object.assign(brittle(), { isTTY });
      const destination = logDestination(pipe);
      const log = createLog("info", destination);
      log.info({ line: "read" }, "stopping");
      await vi.waitUntil(() => pipe.text.includes("read"));
      pipe.broken = true;
      for (let line = 0; line < 3; line += 1) log.error({ line: "unread" }, "stopping");
      await settled();
      expect(destination.lost).toBe(3);
      pipe.broken = false;
      log.info({ line: "read again" }, "stopping");
      await settled();
      log.info({ line: "and again" }, "stopping");
      await settled();
      const text = stripVTControlCharacters(pipe.text);
      expect(text).not.toContain("unread");
      expect(text.match(/"lines":3,"event":"log lines lost"/gu)).toHaveLength(1);
      expect(text).toContain("and again");
      expect(destination.lost).toBe(3);
    },
  );

  it("keeps no more than a bounded backlog for a reader who has stopped", () => {
    const stuck = new Writable({ write: () => undefined });
    const destination = logDestination(stuck);
    const log = createLog("info", destination);
    for (let line = 0; line < 3000; line += 1) log.info({ line: "x".repeat(1000) }, "stopping");
    expect(stuck.writableLength).toBeLessThan(1_100_000);
    expect(destination.lost).toBeGreaterThan(1900);
  });
});
