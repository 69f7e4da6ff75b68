import { Writable } from "node:stream";

/** The part of a terminal's stream that is needed here. */
export interface LogStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/**
 * Where log lines go: JSON as it is into files and pipes; on a terminal made readable by pino-pretty, which is loaded
 * with the first line. Lines that come before it is there wait for it, or are written as they are when the process ends.
 */
export function logDestination(stream: LogStream = process.stderr): NodeJS.WritableStream {
  if (stream.isTTY !== true) return stream;
  let waiting: string[] = [];
  let write: ((line: string) => void) | undefined;
  let loading: Promise<void> | undefined;
  const flush = (one: (line: string) => void): void => {
    const lines = waiting;
    waiting = [];
    for (const line of lines) one(line);
  };
  process.once("exit", () => flush((line) => stream.write(line)));
  const load = async (): Promise<void> => {
    const { prettyFactory } = await import("pino-pretty");
    const pretty = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss", singleLine: true });
    write = (line) => stream.write(pretty(line) ?? line);
    flush(write);
  };
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const line = chunk.toString();
      if (write === undefined) {
        waiting.push(line);
        loading ??= load();
      } else {
        write(line);
      }
      done();
    },
  });
}
