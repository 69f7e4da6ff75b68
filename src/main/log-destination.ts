import { createRequire } from "node:module";
import type { Writable } from "node:stream";

import type * as Pretty from "pino-pretty";

import type { LogTarget } from "../log.ts";

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
  let pretty: ReturnType<typeof Pretty.prettyFactory> | undefined;
  const format = (line: string): string => {
    pretty ??= loadPretty();
    return pretty(line) ?? line;
  };
  return guardLogStream(stream, stream.isTTY === true ? format : (line) => line);
}

function loadPretty(): ReturnType<typeof Pretty.prettyFactory> {
  const { prettyFactory } = require("pino-pretty") as typeof Pretty;
  return prettyFactory({ messageKey: "event", colorize: true, translateTime: "SYS:HH:MM:ss", singleLine: true });
}

/** The bytes that are buffered while nobody reads; lines beyond them are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Writes lines to a stream that may break, or that nobody may read, without ending or blocking the process. An error of
 * the stream without a listener would be uncaught, and the line about it could not be written either. Lost lines are
 * counted, and logged once writing works again.
 */
function guardLogStream(stream: Writable, format: (line: string) => string): LogDestination {
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
    const event = "log lines lost";
    send(`${JSON.stringify({ level: 40, time: new Date().toISOString(), lines: lost, event })}\n`, 0);
  }
  return {
    get lost() {
      return lost;
    },
    write: (line) => send(format(line), 1),
  };
}
