import { setTimeout as sleep } from "node:timers/promises";

import type { App, Receiver, ReceiverEvent } from "@slack/bolt";

import type { Log } from "../../../log.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { describeError, isTokenRefused } from "./api-error.ts";
import { guardSocketMessages, SocketModeReceiver } from "./bolt.ts";
import { libraryLogger, webClientOptions } from "./web-api.ts";

interface ConnectionOptions {
  readonly appToken: string;
  readonly apiUrl?: string | undefined;
  readonly log: Log;
  /** The shortest wait before another try; it doubles up to a minute. */
  readonly backoffMillis?: number | undefined;
  /** The wait after what only a person can mend. */
  readonly failedMillis?: number | undefined;
  /** How long a connection may take until Slack greets. */
  readonly greetMillis?: number | undefined;
}

/** Slack sends each command over one of the sockets: while one is renewed, the other hears. */
const SOCKETS = 2;
const BACKOFF_MAX_MILLIS = 60_000;
/** Slack lets a socket live for about an hour. */
const SHORT_SESSION_MILLIS = 10_000;

interface SessionEnd {
  readonly why: string;
  readonly wasUp: boolean;
  readonly refused: boolean;
}

/**
 * Keeps Socket Mode sessions for as long as they are wanted: two lines, each renewed the moment Slack asks for it.
 * The library's own reconnection is switched off, since it waits 5 s and ends the process when a token is revoked.
 * Nothing here rejects.
 */
export class Connection implements Receiver {
  readonly #parts: ConnectionOptions;
  readonly #stopping = new AbortController();
  readonly #lines: AdapterHealth[] = Array.from({ length: SOCKETS }, () => ({ state: "starting" }));
  readonly #seen = new RecentKeys();
  #app: App | undefined;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(parts: ConnectionOptions) {
    this.#parts = parts;
  }

  /** The best of its lines. */
  get health(): AdapterHealth {
    const order = ["up", "starting", "down", "failed"];
    const [best] = this.#lines.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    return best ?? { state: "down" };
  }

  init(app: App): void {
    this.#app = app;
  }

  start(): Promise<void> {
    this.#loops = Promise.all(this.#lines.map((_health, line) => this.#supervise(line)));
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loops;
  }

  async #supervise(line: number): Promise<void> {
    const { backoffMillis = 1000, failedMillis = 600_000, log } = this.#parts;
    const { signal } = this.#stopping;
    let wait = backoffMillis;
    while (!signal.aborted) {
      const began = performance.now();
      const end = await this.#session(line);
      if (signal.aborted) return;
      this.#lines[line] = { state: end.refused ? "failed" : "down", why: end.why };
      if (end.wasUp) {
        wait = backoffMillis;
        log.info({ platform: "slack", line, why: end.why }, "socket ended, a new one is made");
        // Where sockets end as soon as they stand, something is wrong: not too many are asked for then.
        const short = performance.now() - began < SHORT_SESSION_MILLIS;
        if (short) await sleep(backoffMillis, undefined, { signal, ref: false }).catch(() => undefined);
        continue;
      }
      wait = Math.min(wait * 2, BACKOFF_MAX_MILLIS);
      const pause = end.refused ? failedMillis : wait * (0.5 + Math.random() / 2);
      const level = end.refused ? "error" : "warn";
      log[level]({ platform: "slack", line, why: end.why, againInMillis: Math.round(pause) }, "no socket");
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** One socket from its first call until Slack ends it or asks for another. */
  async #session(line: number): Promise<SessionEnd> {
    const { apiUrl, appToken, greetMillis = 15_000, log } = this.#parts;
    const { signal } = this.#stopping;
    const receiver = new SocketModeReceiver({
      appToken,
      logger: libraryLogger(log),
      autoReconnectEnabled: false,
      installerOptions: { clientOptions: webClientOptions({ apiUrl, log }) },
      processEventErrorHandler: ({ error }) => {
        log.warn({ platform: "slack", why: describeError(error) }, "an event could not be handled");
        return Promise.resolve(false);
      },
    });
    receiver.init({ processEvent: (event: ReceiverEvent) => this.#process(event) } as App);
    const { client } = receiver;
    guardSocketMessages(client, (why) =>
      log.warn({ platform: "slack", line, why }, "a message of the socket is passed over"),
    );
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    client.on("disconnected", () => end("the socket closed"));
    client.on("ws_message", (data: unknown) => {
      // Slack says some seconds before it closes a socket; the next one is made at once.
      const reason = refreshReason(data);
      if (reason !== undefined) end(`Slack asks for a new socket (${reason})`);
    });
    const stopped = (): void => end("stopped");
    signal.addEventListener("abort", stopped, { once: true });
    const late = setTimeout(() => end("Slack did not greet in time"), greetMillis);
    try {
      let wasUp = false;
      let refused = false;
      const started = client.start().then(
        () => {
          wasUp = true;
          clearTimeout(late);
          this.#lines[line] = { state: "up" };
          log.info({ platform: "slack", line }, "socket ready");
          return undefined;
        },
        (error: unknown) => {
          refused = isTokenRefused(error);
          end(
            refused
              ? "Slack refuses the app token"
              : `no socket: ${error === undefined ? "it closed" : describeError(error)}`,
          );
        },
      );
      const why = await Promise.race([ended, started.then(() => ended)]);
      return { why, wasUp, refused };
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", stopped);
      // It closes in its own time; nobody waits for it.
      client.disconnect().catch(() => undefined);
    }
  }

  /** Hands an envelope on once, and acknowledges it whatever becomes of it. */
  async #process(event: ReceiverEvent): Promise<void> {
    let acknowledged = false;
    const ack: ReceiverEvent["ack"] = async (response) => {
      if (acknowledged) return;
      acknowledged = true;
      try {
        await event.ack(response);
      } catch (error) {
        // The socket closed in between; what Slack repeats, it repeats on the other one.
        this.#parts.log.warn({ platform: "slack", why: describeError(error) }, "an acknowledgement did not go out");
      }
    };
    // Before anything else is waited for: the socket may be asked to close right behind this envelope.
    if (!wantsAnswer(event.body)) void ack();
    const key = keyOf(event.body);
    if (key !== undefined && !this.#seen.add(key)) {
      await ack();
      return;
    }
    try {
      await this.#app?.processEvent({ ...event, ack });
    } catch (error) {
      this.#parts.log.error({ platform: "slack", err: error }, "an event could not be handled");
    } finally {
      await ack();
    }
  }
}

/** Whether the acknowledgement itself carries something: errors at a form's fields, or values to choose from. */
function wantsAnswer(body: Readonly<Record<string, unknown>>): boolean {
  return body["type"] === "view_submission" || body["type"] === "block_suggestion";
}

/** What names an envelope over all its deliveries. */
function keyOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const key = body["event_id"] ?? body["trigger_id"];
  return typeof key === "string" && key !== "" ? key : undefined;
}

function refreshReason(data: unknown): string | undefined {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return undefined;
  try {
    const message = JSON.parse(data) as { type?: unknown; reason?: unknown };
    return message.type === "disconnect" ? String(message.reason) : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers what was seen last, so that what Slack delivers twice is done once. */
export class RecentKeys {
  readonly #kept = new Set<string>();
  readonly #most: number;

  constructor(most = 5000) {
    this.#most = most;
  }

  /** True for a key that has not been seen. */
  add(key: string): boolean {
    if (this.#kept.has(key)) return false;
    this.#kept.add(key);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return true;
  }
}
