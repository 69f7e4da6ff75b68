import type { Writable } from "node:stream";

import type { LogTarget } from "../log.ts";
import { guardLogStream, type GuardedLog } from "./guarded-log.ts";

/** The part of a terminal's stream that is needed here. */
export interface LogStream extends Writable {
  readonly isTTY?: boolean;
}

/** Where log lines go, and how many never got there. */
export interface LogDestination extends LogTarget {
  /** Lines that could not be written since the process began. */
  readonly lost: number;
}

/**
 * Where log lines go: JSON as it is into files and pipes; on a terminal made readable by pino-pretty, which is loaded
 * with the first line. Lines that come before it is there wait for it, or are written as they are when the process ends.
 * A line that cannot be written is dropped and counted.
 */
export function logDestination(stream: LogStream = process.stderr): LogDestination {
  const guarded = guardLogStream(stream);
  return stream.isTTY === true ? prettyDestination(guarded) : guarded;
}

function prettyDestination(guarded: GuardedLog): LogDestination {
  let waiting: string[] = [];
  let write: ((line: string) => void) | undefined;
  let loading: Promise<void> | undefined;
  const flush = (one: (line: string) => void): void => {
    const lines = waiting;
    waiting = [];
    for (const line of lines) one(line);
  };
  process.once("exit", () => flush((line) => guarded.write(line)));
  const load = async (): Promise<void> => {
    const { prettyFactory } = await import("pino-pretty");
    const pretty = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss", singleLine: true });
    write = (line) => guarded.write(pretty(line) ?? line);
    flush(write);
  };
  return {
    get lost() {
      return guarded.lost;
    },
    write(line) {
      if (write === undefined) {
        waiting.push(line);
        loading ??= load();
      } else {
        write(line);
      }
    },
  };
}
