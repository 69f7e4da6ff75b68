import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { expect, it } from "vitest";

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
  expect(logDestination(pipe)).toBe(pipe);
});

it("makes them readable on a terminal, in order, and hides what the log hides", async () => {
  const terminal = screen(true);
  const log = createLog("info", logDestination(terminal));
  log.info({ node: "n1", token: "hunter2" }, "first");
  log.warn("second");
  await terminal.written;
  log.error({ err: new Error("boom") }, "third");
  const text = stripVTControlCharacters(terminal.text);
  expect(text).toMatch(
    /^\[\d\d:\d\d:\d\d\] INFO: first \{"node":"n1","token":"\[redacted\]"\}\n.*WARN: second\n.*ERROR: third/u,
  );
  expect(text).toContain("boom");
  expect(text).not.toContain("hunter2");
});
