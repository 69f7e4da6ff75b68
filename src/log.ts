import { pino, type Logger } from "pino";

export type Log = Logger;

/** Keys whose values never reach a log line, at any of the first three depths. */
const SECRET_KEYS = [
  "token",
  "authorization",
  "password",
  "secret",
  "cookie",
  "set-cookie",
  "signingSecret",
  "clientSecret",
];

/** The names pino knows, and `silent`. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes whole log lines; must never throw. */
export interface LogTarget {
  write(line: string): void;
}

/** A log of JSON lines, each written at once. */
export function createLog(level: LogLevel, destination: LogTarget): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]),
        censor: "[redacted]",
      },
    },
    destination,
  );
}

/** A log without output, for tests and one-shot commands. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}
