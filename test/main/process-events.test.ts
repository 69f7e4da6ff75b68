import { EventEmitter } from "node:events";
import { Writable } from "node:stream";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createLog } from "../../src/log.ts";
import { handleProcessEvents } from "../../src/main/cli/shutdown.ts";

describe("what happens to the process", () => {
  let events: EventEmitter;
  let done: string[];
  let logged: string;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    events = new EventEmitter();
    done = [];
    logged = "";
    const log = createLog(
      "info",
      new Writable({
        write(chunk, _encoding, next) {
          logged += String(chunk);
          next();
        },
      }),
    );
    const begin = (code: number): Promise<number> => {
      done.push(`stop ${code}`);
      return Promise.resolve(code);
    };
    const exit = (code: number): never => done.push(`exit ${code}`) as never;
    handleProcessEvents({ begin }, log, Object.assign(events, { exit }) as unknown as NodeJS.Process);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"])("%s begins to stop it in order", (signal) => {
    events.emit(signal, signal);
    expect(done).toEqual(["stop 0"]);
  });

  it("takes what a terminal, npm and the launcher send at one key press for one signal", () => {
    for (let copy = 0; copy < 3; copy += 1) {
      events.emit("SIGINT", "SIGINT");
      vi.advanceTimersByTime(250);
    }
    expect(done).toEqual(["stop 0"]);
  });

  it("exits at once at a second signal, with the code that shells expect", () => {
    events.emit("SIGINT", "SIGINT");
    vi.advanceTimersByTime(800);
    events.emit("SIGTERM", "SIGTERM");
    expect(done).toEqual(["stop 0", "exit 143"]);
  });

  it.each(["uncaughtException", "unhandledRejection"])("stops in order at %s, with an id in the log", (event) => {
    events.emit(event, new Error("boom"));
    expect(done).toEqual(["stop 3"]);
    expect(logged).toMatch(/"level":60.*"message":"boom".*"bug":"[\da-f]{8}"/u);
  });
});
