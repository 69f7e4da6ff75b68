import type { Milliseconds } from "../../units/duration.ts";

/** Where the console listens unless told otherwise; busy ones are passed over, upwards. */
export const FIRST_PORT = 8080;
/** How many ports are tried from there on. */
export const PORTS_TRIED = 100;

/** No question comes near this size; a larger body is refused before it is read. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Open connections; a browser holds up to six. */
export const MAX_CONNECTIONS = 512;
/** Headers must have come within this time, and the whole request within the next. */
export const HEADERS_TIMEOUT_MILLIS: Milliseconds = 15_000;
export const REQUEST_TIMEOUT_MILLIS: Milliseconds = 30_000;

/** Questions answered at one time: a crowd that asks the same costs the node one request, so it need not be small. */
export const MAX_RUNNING = 256;
/** Completions answered at one time; each takes at most 1.5 s. */
export const MAX_COMPLETING = 64;
/** The longest a question may take: a large export from a slow node. */
export const INVOCATION_TIMEOUT_MILLIS: Milliseconds = 30 * 60_000;
/** How long a command may go on after it has been told to stop before its answer is given up. */
export const ABORT_GRACE_MILLIS: Milliseconds = 3000;
/** At most this often is progress shown. */
export const PROGRESS_INTERVAL_MILLIS: Milliseconds = 250;
/** Readiness and metrics are asked every few seconds; what takes longer than this counts as a no. */
export const PROBE_TIMEOUT_MILLIS: Milliseconds = 5000;

/** Open streams of alerts; a page holds one. */
export const MAX_ALERT_STREAMS = 64;
/** How many alerts a reader that says nothing of where it stood is shown at first. */
export const INITIAL_ALERTS = 100;
/** How many more of what is not over, from before those. */
export const INITIAL_OPEN_ALERTS = 50;
/** How many one is sent again whose last alert is not known any more. */
export const MAX_REPLAYED_ALERTS = 1000;
/** How many are read at once. */
export const ALERT_BATCH_SIZE = 50;
/** A stream on which nothing happens says so at this interval: proxies cut silent ones, some after 30 s. */
export const HEARTBEAT_INTERVAL_MILLIS: Milliseconds = 15_000;
/** A reader that takes nothing for so long is cut off; it resumes where it stood. */
export const READ_TIMEOUT_MILLIS: Milliseconds = 30_000;
/** After so long a reader that lost the stream connects again. */
export const RECONNECT_MILLIS: Milliseconds = 1000;

/** Files kept for download: how many, and for how long after the answer they came with. */
export const MAX_FILES = 200;
export const FILE_LIFETIME_MILLIS: Milliseconds = 60 * 60_000;
/** The largest file that a browser is offered; they are streamed from disk, so memory sets no bound. */
export const MAX_FILE_BYTES = 16 * 1024 ** 3;
/** The most files that one answer may carry. */
export const MAX_FILES_PER_REPLY = 50;

/** Shorter tokens could be guessed. */
export const MIN_TOKEN_LENGTH = 16;
/** How long a browser stays signed in. */
export const SESSION_LIFETIME_MILLIS: Milliseconds = 7 * 24 * 3_600_000;
/** Wrong tokens that one address may send within a minute, and all addresses together. */
export const MAX_FAILED_ATTEMPTS = 5;
export const MAX_FAILED_ATTEMPTS_OF_ALL = 100;
export const ATTEMPT_WINDOW_MILLIS: Milliseconds = 60_000;

/** What a stop waits for answers under way before it cuts their connections. */
export const STOP_TIMEOUT_MILLIS: Milliseconds = 2000;

/** A bound on how many things go on at one time; who finds none free is refused, not queued. */
interface ConcurrencyLimit {
  /** Takes a slot and gives the function that frees it, or undefined when all are taken. */
  tryAcquire(): (() => void) | undefined;
}

export function createConcurrencyLimit(count: number): ConcurrencyLimit {
  let free = count;
  return {
    tryAcquire: () => {
      if (free === 0) return undefined;
      free -= 1;
      let held = true;
      return () => {
        if (held) free += 1;
        held = false;
      };
    },
  };
}
