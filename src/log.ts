import { pino } from "pino";

import { redact } from "./units/redact.ts";

/** Writes a line: the name of an event, which docs/logs.md explains, and its details as fields. */
type WriteLine = (fields: Fields, event: string) => void;
/** The log itself writes `event`, `level` and `time`. */
type Fields = Readonly<Record<string, unknown> & { event?: never; level?: never; time?: never }>;

/** A line is one event. Never throws. */
export interface Log {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  readonly fatal: WriteLine;
}

/** Keys whose values never reach a log line, at any of the first four depths. */
const SECRET_KEYS = [
  "token",
  "appToken",
  "botToken",
  "urls",
  "coreUrl",
  "deadmanUrl",
  "authorization",
  "Authorization",
  "password",
  "secret",
  "cookie",
  "set-cookie",
  "signingSecret",
  "clientSecret",
  "secretKeys",
  "refreshToken",
  "access_token",
  "refresh_token",
  "client_secret",
  "sealed",
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
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          ...["", "*", "*.*", "*.*.*"].flatMap((above) => SECRET_KEYS.map((key) => `${above}["${key}"]`)),
          // The address of a failed request to Discord holds the interaction's token.
          "*.url",
        ],
        censor: "[redacted]",
      },
    },
    { write: (line: string) => destination.write(redact(line)) },
  );
}

/** A log without output, for tests and one-shot commands. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}
