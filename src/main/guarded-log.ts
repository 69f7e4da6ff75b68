import type { Writable } from "node:stream";

/** What may wait for a reader who has stopped reading; what comes beyond it is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface GuardedLog {
  write(line: string): void;
  /** Lines that could not be written since the process began. */
  readonly lost: number;
}

/**
 * Lines for a stream that may break or be left unread at any time, which must never end or hold up the process: without
 * anybody who listens for its errors, a line that cannot be written would be an uncaught one, whose own line could not be
 * written either. What does not get through is counted, and said in the log as soon as something gets through again.
 */
export function guardLogStream(stream: Writable): GuardedLog {
  let lost = 0;
  let untold = 0;
  // Each failure is counted where the line was written.
  stream.on("error", () => undefined);

  const send = (line: string, lines: number): void => {
    const fail = (): void => {
      lost += lines;
      untold += 1;
    };
    if (stream.writableLength > MAX_WAITING_BYTES) return fail();
    stream.write(line, (error) => {
      if (error !== null && error !== undefined) return fail();
      tell();
    });
  };
  const tell = (): void => {
    if (untold === 0) return;
    untold = 0;
    const msg = "this many log lines could not be written since the process began";
    send(`${JSON.stringify({ level: 40, time: new Date().toISOString(), lines: lost, msg })}\n`, 0);
  };
  return {
    get lost() {
      return lost;
    },
    write: (line) => send(line, 1),
  };
}
