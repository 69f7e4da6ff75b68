import { createRequire } from "node:module";
import type { Writable } from "node:stream";

import type * as Pretty from "pino-pretty";

import type { LogEvent, LogTarget } from "../log.ts";

const require = createRequire(import.meta.url);

/** A stream that may be a terminal. */
export interface LogStream extends Writable {
  readonly isTTY?: boolean;
}

/** Where log lines go, and how many were lost. */
interface LogDestination extends LogTarget {
  /** Lines that could not be written since the process began. */
  readonly lost: number;
}

/**
 * Where log lines go: plain JSON to files and pipes; on a terminal made readable by pino-pretty, which is loaded with the
 * first line, since most processes write none. A line that cannot be written is dropped and counted.
 */
export function logDestination(stream: LogStream = process.stderr): LogDestination {
  const guarded = guardLogStream(stream);
  return stream.isTTY === true ? prettyDestination(guarded) : guarded;
}

function prettyDestination(guarded: LogDestination): LogDestination {
  let pretty: ReturnType<typeof Pretty.prettyFactory> | undefined;
  return {
    get lost() {
      return guarded.lost;
    },
    write(line) {
      pretty ??= loadPretty();
      guarded.write(pretty(line) ?? line);
    },
  };
}

function loadPretty(): ReturnType<typeof Pretty.prettyFactory> {
  const { prettyFactory } = require("pino-pretty") as typeof Pretty;
  return prettyFactory({ messageKey: "event", colorize: true, translateTime: "SYS:HH:MM:ss", singleLine: true });
}

/** Buffer for a reader that has stopped reading; lines beyond it are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Lines for a stream that may break or be left unread at any time, which must never end or hold up the process: without
 * anybody who listens for its errors, a line that cannot be written would be an uncaught one, whose own line could not be
 * written either. Lost lines are counted, and logged once writing works again.
 */
function guardLogStream(stream: Writable): LogDestination {
  let lost = 0;
  let unreported = 0;
  // Each failure is counted where the line was written.
  stream.on("error", () => undefined);

  const send = (line: string, lines: number): void => {
    const fail = (): void => {
      lost += lines;
      unreported += 1;
    };
    if (stream.writableLength > MAX_WAITING_BYTES) return fail();
    stream.write(line, (error) => {
      if (error !== null && error !== undefined) return fail();
      reportLost();
    });
  };
  function reportLost(): void {
    if (unreported === 0) return;
    unreported = 0;
    const event: LogEvent = "log lines lost";
    send(`${JSON.stringify({ level: 40, time: new Date().toISOString(), lines: lost, event })}\n`, 0);
  }
  return {
    get lost() {
      return lost;
    },
    write: (line) => send(line, 1),
  };
}
