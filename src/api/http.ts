import { Pool, type Dispatcher } from "undici";

import { formatDuration, type Milliseconds } from "../units/duration.ts";
import type { BaseUrl } from "./base-url.ts";
import { HttpFault, httpFault } from "./http-fault.ts";

/** What takes the place of the connection pool in tests. */
export type HttpDispatcher = Dispatcher;

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A whole answer, whatever its status. */
export interface HttpReply {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

/** A question under way. */
interface HttpExchange<T> {
  /** Rejects with HttpFault, or with the reason given to `cancel`. */
  readonly reply: Promise<T>;
  cancel(reason: unknown): void;
}

/** Where the pieces of a streamed answer go, in order; after `end` or `fail` nothing more comes. */
export interface HttpSink {
  start(status: number, headers: HttpHeaders): void;
  /** False = hold back until `resume`. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(fault: HttpFault): void;
}

export interface HttpStream {
  resume(): void;
  /** Drops the connection; the sink hears nothing more. */
  abort(): void;
}

/** One base URL: the only door to the network. */
export interface HttpDoor {
  get(path: string, limits: { timeoutMillis: Milliseconds; maxBytes: number }): HttpExchange<HttpReply>;
  /** Without time-outs of its own: the sink's owner keeps the time. */
  stream(path: string, sink: HttpSink): HttpStream;
  close(): Promise<void>;
}

/** How many connections one process holds to one node; the rate limit makes more pointless. */
const CONNECTIONS = 16;
/** Longer than the time between two polls, so that these share a connection. A node's own Keep-Alive header prevails. */
const KEEP_ALIVE_MILLIS = 30_000;

/** A pool of kept connections to one base URL; a dispatcher handed in replaces the pool and stays its owner's to close. */
export function openHttp(base: BaseUrl, options: { dispatcher?: HttpDispatcher } = {}): HttpDoor {
  const pool =
    options.dispatcher ??
    new Pool(base.origin, {
      connections: CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
      connectTimeout: 5000,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  const headers = {
    accept: "application/json",
    "user-agent": "bellwether",
    ...(base.authorization === undefined ? {} : { authorization: base.authorization }),
  };
  const dispatch = (path: string, handler: Dispatcher.DispatchHandler): void => {
    try {
      pool.dispatch({ origin: base.origin, path: base.join(path), method: "GET", headers }, handler);
    } catch (error) {
      queueMicrotask(() => handler.onResponseError?.(neverStarted, error as Error));
    }
  };
  return {
    get(path, limits) {
      const whole = new WholeReply(limits.timeoutMillis, limits.maxBytes);
      dispatch(path, whole);
      return whole;
    },
    stream(path, sink) {
      const streamed = new StreamedReply(sink);
      dispatch(path, streamed);
      return streamed;
    },
    close: async () => {
      if (options.dispatcher === undefined) await pool.destroy();
    },
  };
}

/** Stands in where the pool refused the request outright. */
const neverStarted: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** Collects one answer. Written against undici's dispatch itself, which spares a stream and an AbortSignal per request. */
class WholeReply implements Dispatcher.DispatchHandler, HttpExchange<HttpReply> {
  readonly reply: Promise<HttpReply>;
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  #resolve!: (reply: HttpReply) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;
  #status = 0;
  #headers: HttpHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(timeoutMillis: Milliseconds, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.reply = new Promise<HttpReply>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      // Where this process itself was held up, the answer may have come and only wait to be read.
      setImmediate(() => {
        const clause = `did not answer within ${formatDuration(timeoutMillis)}`;
        this.cancel(new HttpFault("timeout", clause, this.#controller !== undefined));
      });
    }, timeoutMillis);
  }

  cancel(reason: unknown): void {
    if (!this.#settle()) return;
    this.#controller?.abort(new Error("cancelled"));
    this.#reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done) controller.abort(new Error("cancelled"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const announced = Number(headers["content-length"] ?? 0);
    if (announced > this.#maxBytes) this.#tooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#tooLarge();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settle()) this.#reject(httpFault(error, this.#controller !== undefined, this.#status !== 0));
  }

  #tooLarge(): void {
    const clause = `sent more than ${this.#maxBytes} bytes, which is the limit`;
    this.cancel(new HttpFault("too-large", clause, true));
  }

  /** False when it was settled before. */
  #settle(): boolean {
    if (this.#done) return false;
    this.#done = true;
    clearTimeout(this.#timer);
    return true;
  }
}

class StreamedReply implements Dispatcher.DispatchHandler, HttpStream {
  readonly #sink: HttpSink;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;
  #began = false;

  constructor(sink: HttpSink) {
    this.#sink = sink;
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#done) return;
    this.#done = true;
    this.#controller?.abort(new Error("cancelled"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done) controller.abort(new Error("cancelled"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status < 200 || this.#done) return;
    this.#began = true;
    this.#sink.start(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done && !this.#sink.data(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#done) return;
    this.#done = true;
    this.#sink.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#done) return;
    this.#done = true;
    this.#sink.fail(httpFault(error, this.#controller !== undefined, this.#began));
  }
}
