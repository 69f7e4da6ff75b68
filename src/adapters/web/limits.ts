import type { Milliseconds } from "../../units/time.ts";

/** The default port; where it is taken, the next free one above it. */
export const FIRST_PORT = 8080;
/** The number of ports tried. */
export const PORTS_TRIED = 100;

/** The largest body of a request, far above any question. */
export const MAX_BODY_BYTES = 64 * 1024;
/** The largest request that a platform posts: a message of Discord's with all its components, a form of Slack's. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024;
/** Requests of platforms at one time; each is answered within moments. */
export const MAX_WEBHOOK_REQUESTS = 128;
/** Discord and Slack wait 3 s for an answer. */
export const WEBHOOK_TIMEOUT_MILLIS: Milliseconds = 3000;
/** The pages to which platforms send browsers: how long an answer may take, and how many a visitor gets in a minute. */
export const PAGE_TIMEOUT_MILLIS: Milliseconds = 15_000;
export const MAX_PAGES_PER_MINUTE = 20;
export const VISITOR_WINDOW_MILLIS: Milliseconds = 60_000;
/** The shortest interval between two lines of the log about refused signatures. */
export const REFUSED_LOG_INTERVAL_MILLIS: Milliseconds = 60_000;
/** Open connections, and those of one client; a browser holds up to six. */
export const MAX_CONNECTIONS = 512;
export const MAX_CONNECTIONS_PER_CLIENT = 256;
/** Open connections to the socket for `ask`; a terminal asks one question at a time. */
export const MAX_SOCKET_CONNECTIONS = 64;
/** Time limits for the headers, and for the body: for all of it, or of an upload for the next piece. */
export const HEADERS_TIMEOUT_MILLIS: Milliseconds = 15_000;
export const BODY_TIMEOUT_MILLIS: Milliseconds = 30_000;
/** How often that of the headers is applied: Node's default of 30 s would let a request take that much longer. */
export const TIMEOUT_CHECK_MILLIS: Milliseconds = 500;

/** Questions answered at one time: equal ones cost the node one request, so it need not be small. */
export const MAX_RUNNING = 256;
/** Files that are verified at one time. */
export const MAX_VERIFYING = 4;
/** The longest file that is verified: as long as the longest export, and its quotes. */
export const MAX_VERIFIED_BYTES = 16 * 1024 ** 3;
/** Completions answered at one time; each takes at most 1.5 s. */
export const MAX_COMPLETING = 64;
/** Looks that are read at one time, for the picture of a network, and how long a reader waits for them. */
export const MAX_READING_LOOKS = 3;
export const LOOKS_TIMEOUT_MILLIS: Milliseconds = 12_000;
/** The time limit of a question: a large export from a slow node. */
export const INVOCATION_TIMEOUT_MILLIS: Milliseconds = 30 * 60_000;
/** A job that takes longer goes on by itself. */
export const ANSWER_WITHIN_MILLIS: Milliseconds = INVOCATION_TIMEOUT_MILLIS - 60_000;
/** The time an aborted command has to end before it is answered as cancelled. */
export const ABORT_GRACE_MILLIS: Milliseconds = 3000;
/** The shortest interval between two progress reports. */
export const PROGRESS_INTERVAL_MILLIS: Milliseconds = 250;
/** The time limit of a readiness or metrics probe; a slower one fails. */
export const PROBE_TIMEOUT_MILLIS: Milliseconds = 5000;

/** Open streams of alerts; a page holds one. */
export const MAX_ALERT_STREAMS = 64;
/** Alerts sent first to a reader without a `Last-Event-ID`. */
export const INITIAL_ALERTS = 100;
/** Open alerts sent before those, from earlier times. */
export const INITIAL_OPEN_ALERTS = 50;
/** Alerts sent again to a reader whose last alert is no longer stored. */
export const MAX_REPLAYED_ALERTS = 1000;
/** Alerts read from the store at one time. */
export const ALERT_BATCH_SIZE = 50;
/** The interval of heartbeats on a quiet stream: proxies cut silent ones, some after 30 s. */
export const HEARTBEAT_INTERVAL_MILLIS: Milliseconds = 15_000;
/** A reader that reads nothing for this long is disconnected; it resumes with its last alert. */
export const READ_TIMEOUT_MILLIS: Milliseconds = 30_000;
/** The time after which a reader that lost the stream reconnects. */
export const RECONNECT_MILLIS: Milliseconds = 1000;

/** Files kept for download: their number, and their lifetime after the answer. */
export const MAX_FILES = 200;
export const FILE_LIFETIME_MILLIS: Milliseconds = 60 * 60_000;
/** The largest file offered for download; files are streamed from disk, so memory sets no bound. */
export const MAX_FILE_BYTES = 16 * 1024 ** 3;
/** Downloads by link at one time, each for as long as its reader takes. */
export const MAX_DOWNLOADS = 32;
/** The most files that one answer may carry. */
export const MAX_FILES_PER_REPLY = 50;

/** Shorter tokens could be guessed. */
export const MIN_TOKEN_LENGTH = 16;
/** How long a browser stays signed in. */
export const SESSION_LIFETIME_MILLIS: Milliseconds = 7 * 24 * 3_600_000;
/** Tokens of one client that wait to be compared, at the login and in headers each. */
export const MAX_WAITING_TRIES = 10;
/** The longest pause between two tokens of one client, and the number of wrong ones after which it is that long. */
export const MAX_TRY_PAUSE_MILLIS: Milliseconds = 10_000;
export const TRIES_TO_MAX_PAUSE = 20;
/** How long wrong tokens of a client count. */
export const TRIES_FORGOTTEN_MILLIS: Milliseconds = 10 * 60_000;

/** The time that a stop gives answers under way before it closes their connections. */
export const STOP_TIMEOUT_MILLIS: Milliseconds = 2000;

/**
 * A concurrency limit: work beyond it is refused, not queued. Takes a slot and returns the function that frees it;
 * undefined if none is free.
 */
export function createConcurrencyLimit(count: number): () => (() => void) | undefined {
  let free = count;
  return () => {
    if (free === 0) return undefined;
    free -= 1;
    let held = true;
    return () => {
      if (held) free += 1;
      held = false;
    };
  };
}
