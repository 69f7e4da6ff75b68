// The connection to Slack: here over Socket Mode, in endpoint.ts over HTTP. Both hand what comes to intake.ts.
// Next: bolt.ts (the parts of Bolt in use), web-api.ts (the client and its rate limits), api-error.ts (errors of a call),
// response-url.ts (answers without a permission), identity.ts (the bot's user and its token).

import type { App, Receiver, ReceiverEvent } from "@slack/bolt";

import type { AdapterHealth } from "../../adapter.ts";
import { parseJson } from "../../chat/parse-json.ts";
import { Backoff, jittered, Supervision } from "../../chat/supervision.ts";
import { describeError, isTokenRefused } from "./api-error.ts";
import { guardSocketMessages, SocketModeReceiver } from "./bolt.ts";
import { createIntake, type Intake, type IntakeOptions } from "./intake.ts";
import { libraryLogger, webClientOptions } from "./web-api.ts";
import type { SlackTiming } from "../context.ts";

interface ConnectionOptions extends IntakeOptions {
  readonly appToken: string;
  readonly apiUrl?: string | undefined;
  /** How many processes share the sockets that Slack allows; 1 or more. */
  readonly processes: () => number;
  readonly timing: SlackTiming;
}

/**
 * Slack sends each command over one of the sockets: while one is renewed, the other receives. With more processes than
 * this, each has one, since Slack allows ten: https://docs.slack.dev/apis/events-api/using-socket-mode#multiple.
 */
const SOCKETS = 2;
const MAX_PROCESSES_WITH_TWO = 5;
/** A session shorter than this is followed by a pause; Slack closes each socket after about an hour. */
const SHORT_SESSION_MILLIS = 10_000;

/**
 * Keeps its Socket Mode sessions open until stopped, and renews each as soon as Slack asks for it. The library's
 * reconnection is disabled, since it waits 5 s and ends the process when a token is revoked. No method rejects.
 */
export class Connection implements Receiver {
  readonly #options: ConnectionOptions;
  readonly #sockets: AdapterHealth[] = Array.from({ length: SOCKETS }, () => ({ state: "starting" }));
  readonly #intake: Intake;
  readonly #supervisions = this.#sockets.map(() => new Supervision());

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#intake = createIntake(options);
  }

  /** The health of its best socket. */
  get health(): AdapterHealth {
    const order = ["up", "starting", "down", "failed"];
    const [best] = this.#sockets.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    return best ?? { state: "down" };
  }

  init(app: App): void {
    this.#intake.init(app);
  }

  async start(): Promise<void> {
    for (const [socket, supervision] of this.#supervisions.entries()) this.#supervise(socket, supervision);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#supervisions.map((supervision) => supervision.stop()));
  }

  /** How many sockets this process may have. */
  get #wanted(): number {
    return this.#options.processes() > MAX_PROCESSES_WITH_TWO ? 1 : SOCKETS;
  }

  #supervise(socket: number, supervision: Supervision): void {
    const { log, timing } = this.#options;
    const backoff = new Backoff(timing.backoffMillis);
    supervision.start(async () => {
      if (socket >= this.#wanted) return timing.countMillis;
      const began = performance.now();
      const { refused, wasUp, why } = await this.#session(socket, supervision.signal);
      if (supervision.signal.aborted) return undefined;
      this.#sockets[socket] = { state: refused ? "failed" : "down", why };
      if (wasUp) {
        log.info({ platform: "slack", socket, why }, "socket mode reconnecting");
        const pause = backoff.reset();
        // Sockets that end at once indicate a failure: the next one is delayed.
        return performance.now() - began < SHORT_SESSION_MILLIS ? pause : 0;
      }
      const wait = backoff.next();
      const pause = refused ? timing.failedMillis : jittered(wait);
      const level = refused ? "error" : "warn";
      log[level]({ platform: "slack", socket, why, againInMillis: pause }, "socket mode unavailable");
      return pause;
    });
  }

  /** One socket, from its first call until Slack ends it or asks for another. */
  async #session(socket: number, signal: AbortSignal) {
    const { apiUrl, appToken, log, timing } = this.#options;
    const receiver = new SocketModeReceiver({
      appToken,
      logger: libraryLogger(log),
      autoReconnectEnabled: false,
      installerOptions: { clientOptions: webClientOptions({ apiUrl, log }) },
      processEventErrorHandler: async ({ error }) => {
        log.warn({ platform: "slack", why: describeError(error) }, "event failed");
        return false;
      },
    });
    receiver.init({ processEvent: (event: ReceiverEvent) => this.#intake.process(event) } as App);
    const { client } = receiver;
    guardSocketMessages(client, (why) => log.warn({ platform: "slack", socket, why }, "socket message ignored"));
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    client.on("disconnected", () => end("the socket closed"));
    client.on("ws_message", (data: unknown) => {
      // Slack announces a close some seconds ahead; the next socket is opened at once.
      const reason = refreshReason(data);
      if (reason !== undefined) end(`Slack asks for a new socket (${reason})`);
    });
    const stopped = (): void => end("stopped");
    signal.addEventListener("abort", stopped, { once: true });
    const count = setInterval(() => {
      if (socket >= this.#wanted) end("more processes share the sockets");
    }, timing.countMillis);
    const late = setTimeout(() => end("Slack did not greet in time"), timing.greetMillis);
    const starting = client.start();
    try {
      let wasUp = false;
      let refused = false;
      const started = starting.then(
        () => {
          wasUp = true;
          clearTimeout(late);
          this.#sockets[socket] = { state: "up" };
          log.info({ platform: "slack", socket }, "socket mode ready");
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
      clearInterval(count);
      signal.removeEventListener("abort", stopped);
      // The library cannot stop a start that is under way: its socket is closed once it is open.
      const close = (): void => void client.disconnect().catch(() => undefined);
      close();
      starting.then(close, () => undefined);
    }
  }
}

function refreshReason(data: unknown): string | undefined {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return undefined;
  const message = parseJson(data) as { type?: unknown; reason?: unknown } | null | undefined;
  return message?.type === "disconnect" ? String(message.reason) : undefined;
}
