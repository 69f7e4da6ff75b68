// HTTP to one base URL: the only importer of undici. It is independent of the data node's API, and never retries.
// Read next: http-fault.ts (why an exchange failed), parse-response.ts (a 200's body by its schema), node-failure.ts
// (any failure as an ApiError for people).

import { type OnReadOpts, Socket } from "node:net";

import type { Dispatcher } from "undici";
// The package's index loads its caches, mocks and interceptors, too.
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import Pool from "undici/lib/dispatcher/pool.js";

import type { Redact } from "../../units/redact.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
import { formatBytes } from "../../units/format-number.ts";
import { BODY_BYTES } from "../limits.ts";
import type { BaseUrl } from "./base-url.ts";
import { bodyBudget, BodyMemory, type HeldBody } from "./body-memory.ts";
import { HttpFault, httpFault } from "./http-fault.ts";
import { ReceiveBuffers } from "./receive-buffers.ts";
import { skipContinue } from "./skip-continue.ts";

/** Replaces the connection pool in tests. */
export type HttpDispatcher = Dispatcher;

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A complete response of any status. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The body, without a byte order mark and without secrets; of any status but 200 the first 64 KiB. */
  readonly text: string;
}

/** Receives the chunks of a streamed response in order; nothing follows `end` or `fail`. */
export interface HttpSink {
  start(status: number, headers: HttpHeaders): void;
  /** False = pause until `resume`. The bytes are valid only until this returns. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(fault: HttpFault): void;
}

export interface HttpStream {
  resume(): void;
  /** Drops the connection; the sink is not called again. */
  abort(): void;
}

/** One base URL. */
export type HttpClient = ReturnType<typeof openHttp>;

/** Connections to one node; the rate limit makes more pointless. */
const CONNECTIONS = 16;
/** Longer than the time between two polls, so that these share a connection. A node's own Keep-Alive header prevails. */
const KEEP_ALIVE_MILLIS = 30_000;
const CONNECT_MILLIS = 5000;

/** Opens a keep-alive connection pool; a given dispatcher replaces it, and its owner closes that. */
export function openHttp(base: BaseUrl, options: { dispatcher?: HttpDispatcher } = {}) {
  const pool =
    options.dispatcher ??
    new Pool(base.origin, {
      connections: CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      connect: connector({}),
    });
  const headers = {
    accept: "application/json",
    "user-agent": "bellwether",
    ...(base.authorization === undefined ? {} : { authorization: base.authorization }),
  };
  const streams = new Set<Client>();
  const dispatch = (through: Dispatcher, path: string, handler: Dispatcher.DispatchHandler): void => {
    try {
      through.dispatch({ origin: base.origin, path: base.join(path), method: "GET", headers }, handler);
    } catch (error) {
      queueMicrotask(() => handler.onResponseError?.(inertController, error as Error));
    }
  };
  return {
    /** For what a stream gives: removes secrets, since a node or a proxy may repeat the request. */
    redact: base.redact,
    /** The response rejects with HttpFault, or with the reason given to `cancel`. */
    get(path: string, limits: { timeoutMillis: Milliseconds; maxBytes: number }) {
      const response = new BufferedResponse(limits.timeoutMillis, limits.maxBytes, base.redact);
      dispatch(pool, path, response);
      return response;
    },
    /** Uses a connection of its own and no time-outs; the caller sets those. */
    stream(path: string, sink: HttpSink): HttpStream {
      if (options.dispatcher !== undefined) {
        const streamed = new StreamedResponse(sink);
        dispatch(options.dispatcher, path, streamed);
        return streamed;
      }
      const memory = new ReceiveBuffers();
      const client = streamClient(base, memory);
      streams.add(client);
      const streamed = new StreamedResponse(sink, {
        started: () => memory.startReuse(),
        ended: () => {
          streams.delete(client);
          client.destroy().catch(() => undefined);
        },
      });
      dispatch(client, path, streamed);
      return streamed;
    },
    close: async () => {
      if (options.dispatcher !== undefined) return;
      await Promise.all([pool, ...streams].map((each) => each.destroy()));
    },
  };
}

/** A client with one connection for one large response. */
function streamClient(base: BaseUrl, memory: ReceiveBuffers): Client {
  const plain = base.origin.startsWith("http:");
  return new Client(base.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: connector(plain ? { onread: memory.onread } : {}, (socket) => memory.attach(socket)),
  });
}

/** Opens connections without HTTP/2, whose sockets do not show `100 Continue`. */
function connector(
  more: { readonly onread?: OnReadOpts },
  onSocket: (socket: Socket) => void = () => undefined,
): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MILLIS, allowH2: false, ...more });
  return (target, done) => {
    const socket: unknown = connect(target, done);
    if (!(socket instanceof Socket)) return;
    skipContinue(socket);
    onSocket(socket);
  };
}

/** For a request that the pool rejected before dispatch. */
const inertController: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** Buffers one response. As a dispatch handler, it saves a stream and an AbortSignal per request. */
class BufferedResponse implements Dispatcher.DispatchHandler, HeldBody {
  readonly response: Promise<HttpResponse>;
  #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  #resolve!: (reply: HttpResponse) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;
  /** Paused until there is room in the memory that all bodies share. */
  #waits = false;
  #status = 0;
  #headers: HttpHeaders = {};
  readonly #body: BodyMemory;
  readonly #redact: Redact;

  constructor(timeoutMillis: Milliseconds, maxBytes: number, redact: Redact) {
    this.#maxBytes = maxBytes;
    this.#redact = redact;
    this.#body = new BodyMemory(Math.max(maxBytes, BODY_BYTES.error));
    this.response = new Promise<HttpResponse>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      // If the event loop was blocked, the response may already be in the socket: it is read first.
      setImmediate(() => {
        const within = `within ${formatDuration(timeoutMillis)}`;
        const clause = this.#waits
          ? `could not be read to the end ${within}, since other long answers came in`
          : `did not answer ${within}`;
        this.cancel(new HttpFault("timeout", clause, this.#controller !== undefined));
      });
    }, timeoutMillis).unref();
  }

  cancel(reason: unknown): void {
    if (!this.#settle()) return;
    this.#body.free();
    this.#controller?.abort(new Error("cancelled"));
    this.#reject(reason);
  }

  resume(): void {
    this.#waits = false;
    // Later, since the parser may still be at work on the body whose end made the room.
    setImmediate(() => this.#controller?.resume());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done) controller.abort(new Error("cancelled"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status !== 200) this.#maxBytes = BODY_BYTES.error;
    else if (Number(headers["content-length"] ?? 0) > this.#maxBytes) this.#tooLarge();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    const room = this.#maxBytes - this.#body.length;
    if (chunk.length <= room) {
      this.#body.add(chunk);
      if (bodyBudget.grow(this, chunk.length)) return;
      this.#waits = true;
      controller.pause();
    } else if (this.#status === 200) {
      this.#tooLarge();
    } else {
      this.#body.add(chunk.subarray(0, room));
      this.onResponseEnd();
      controller.abort(new Error("enough"));
    }
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    this.#resolve({ status: this.#status, headers: this.#headers, text: this.#redact(this.#body.takeText()) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#settle()) return;
    this.#body.free();
    this.#reject(httpFault(error, this.#controller !== undefined, this.#status !== 0));
  }

  #tooLarge(): void {
    const clause = `sent more than ${formatBytes(this.#maxBytes)}, the most that is read of such an answer`;
    this.cancel(new HttpFault("too-large", clause, true));
  }

  /** False when it was settled before. */
  #settle(): boolean {
    if (this.#done) return false;
    this.#done = true;
    clearTimeout(this.#timer);
    bodyBudget.release(this);
    return true;
  }
}

/** Called when the response body begins, and when it has ended. */
interface StreamHooks {
  started(): void;
  ended(): void;
}

class StreamedResponse implements Dispatcher.DispatchHandler, HttpStream {
  readonly #sink: HttpSink;
  readonly #hooks: StreamHooks | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;
  #began = false;
  /** Bytes still to come by the announced length; NaN where none is announced. */
  #bytesLeft = Number.NaN;

  constructor(sink: HttpSink, hooks?: StreamHooks) {
    this.#sink = sink;
    this.#hooks = hooks;
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (!this.#settle()) return;
    this.#controller?.abort(new Error("cancelled"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done) controller.abort(new Error("cancelled"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status < 200 || this.#done) return;
    this.#began = true;
    this.#bytesLeft = Number(headers["content-length"] ?? Number.NaN);
    this.#hooks?.started();
    this.#sink.start(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytesLeft -= chunk.length;
    if (!this.#done && !this.#sink.data(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#settle()) this.#sink.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#settle()) return;
    // A node may close the connection after the last byte, while the sink has paused: the body is complete.
    if (this.#bytesLeft === 0) this.#sink.end();
    else this.#sink.fail(httpFault(error, this.#controller !== undefined, this.#began));
  }

  /** False when it was settled before. */
  #settle(): boolean {
    if (this.#done) return false;
    this.#done = true;
    // Later, since the connection is still at work.
    setImmediate(() => this.#hooks?.ended());
    return true;
  }
}
