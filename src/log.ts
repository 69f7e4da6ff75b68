import { pino } from "pino";

import { redact } from "./units/redact.ts";

/** The values of the field `event` of a log line; docs/logs.md explains each. */
export const LOG_EVENTS = [
  "acknowledgement failed",
  "alert files not sent",
  "alert not rendered",
  "alert stream failed",
  "answer dropped",
  "answer failed",
  "answer not amended",
  "answer refused",
  "answer retried",
  "apology failed",
  "app installed",
  "app not installed",
  "app permissions revoked",
  "app uninstalled",
  "button not stored",
  "button unreadable",
  "circuit open",
  "close failed",
  "command failed",
  "command registration failed",
  "commands registered",
  "completion failed",
  "compression failed",
  "configuration hint",
  "connection refused",
  "console request failed",
  "console server error",
  "database back",
  "database begun anew",
  "database claimed",
  "database gone back",
  "database lost",
  "database set aside",
  "database unusable",
  "dead man's switch ended",
  "dead man's switch not pinged",
  "dead man's switch pinged again",
  "delivery dead-lettered",
  "delivery refused",
  "destination lost",
  "destination resumed",
  "destination suspended",
  "dispatch failed",
  "download failed",
  "downtime not stored",
  "downtime unknown",
  "drill step failed",
  "duty failed",
  "duty lost",
  "duty taken",
  "event failed",
  "export extensions ignored",
  "export failed",
  "export finished",
  "export files not swept",
  "export not recorded",
  "export queue unknown",
  "export slot not given back",
  "file not removed",
  "file not checked",
  "file not sent",
  "form not opened",
  "gateway close failed",
  "gateway closed",
  "gateway error",
  "gateway ready",
  "gateway reconnecting",
  "gateway session resumed",
  "heartbeat failed",
  "history not saved",
  "home tab incomplete",
  "home tabs not renewed",
  "installation unreadable",
  "installations not looked after",
  "installations sealed anew",
  "interactions endpoint not entered",
  "interactions ready",
  "interactions unavailable",
  "interrupted exports unknown",
  "library message",
  "listener failed",
  "log lines lost",
  "look not kept",
  "look unreadable",
  "looks dropped",
  "looks not packed",
  "markets without looks",
  "metrics failed",
  "observation failed",
  "observation not stored",
  "observation unanswered",
  "open answer closed",
  "open answer not closed",
  "open answer not noted",
  "operator channel unusable",
  "picture not added",
  "picture not drawn",
  "platform resumed",
  "platform suspended",
  "preview failed",
  "progress not shown",
  "readiness failed",
  "receipts not stored",
  "repeats not recognised",
  "row damaged",
  "row readable again",
  "seen ids unavailable",
  "share failed",
  "share without files",
  "sign-outs unavailable",
  "signature refused",
  "simulator ready",
  "simulator request failed",
  "socket error",
  "socket message ignored",
  "socket mode ready",
  "socket mode reconnecting",
  "socket mode unavailable",
  "socket not opened",
  "socket request aborted",
  "socket unavailable",
  "stop failed",
  "stop timed out",
  "stopping",
  "stopping at once",
  "thread not created",
  "thread not renamed",
  "token check unanswered",
  "token not refreshed",
  "token refused",
  "uncaught error",
  "upkeep failed",
  "user lookup failed",
  "watcher ended",
  "workspace deleted",
  "workspace not served",
] as const;
export type LogEvent = (typeof LOG_EVENTS)[number];

/** Writes a line: the name of an event, and its details as fields. */
type WriteLine = (fields: Fields, event: LogEvent) => void;
/** The log itself writes `event`, `level` and `time`. */
type Fields = Readonly<Record<string, unknown> & { event?: never; level?: never; time?: never }>;

/** A line is one event of LOG_EVENTS. Never throws. */
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
