import type { Redact } from "../../units/redact.ts";
import { formatDuration } from "../../units/time.ts";
import { formatBytes } from "../../units/format-number.ts";
import type { AsOf, LedgerStream } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { HttpFault } from "../http/http-fault.ts";
import type { HttpHeaders, HttpSink, HttpStream } from "../http/http.ts";
import { detailsOf, failureOfFault, failureOfResponse, nodeFailure, type RequestTarget } from "../http/node-failure.ts";
import { BODY_BYTES } from "../limits.ts";
import type { ClientContext, NodeEndpoint } from "../node/node.ts";
import { measurePace } from "./pace.ts";
import { LedgerFault, type LedgerSink } from "./decoder.ts";
import { foreignContent, HEAD_BYTES } from "./foreign-content.ts";
import { DetectingDecoder } from "./framing.ts";

/**
 * At most this much data is buffered before the stream is opened: a message may give its content type after its data.
 */
const MAX_WAITING_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/** See LedgerStream. */
type Take = (bytes: Buffer) => Promise<void> | undefined;

/** Receives one export: from the connection through the framing to the consumer, with backpressure. */
export class LedgerReceiver implements HttpSink, LedgerSink {
  readonly #opening = Promise.withResolvers<LedgerStream>();
  /** Rejects with ApiError, or the signal's reason. */
  readonly opened = this.#opening.promise;
  readonly #endpoint: NodeEndpoint;
  readonly #target: RequestTarget;
  readonly #context: ClientContext;
  readonly #signal: AbortSignal | undefined;
  readonly #decoder = new DetectingDecoder(this);
  readonly #connection: HttpStream;
  readonly #idle: NodeJS.Timeout;
  #status = 0;
  #headers: HttpHeaders = {};
  #asOf: AsOf | undefined;
  #errorBody: Buffer[] = [];
  #contentType = "text/csv";
  /** Undefined before the first byte. */
  #pace: ReturnType<typeof measurePace> | undefined;
  /** Chunks received so far, and their bytes. */
  #received = 0;
  #receivedBytes = 0;
  /** Bytes decoded so far, and the last of them. */
  #decodedBytes = 0;
  #last = LINE_FEED;
  /** The first of them. */
  #head = Buffer.alloc(0);
  #isOpen = false;
  /** The connection has ended or was aborted. */
  #done = false;
  /** The connection is paused. */
  #paused = false;
  #take: Take | undefined;
  /** Open promises of `take`. */
  #openPromises = 0;
  /** The bytes that are being decoded may be delivered without a copy. */
  #mayDeliver = false;
  /** Copies of bytes that arrived while the consumer was not ready. */
  readonly #buffered: Buffer[] = [];
  #consumer: PromiseWithResolvers<void> | undefined;
  /** How it ended; undefined before the end. */
  #outcome: "whole" | { readonly failure: unknown } | undefined;

  constructor(
    endpoint: NodeEndpoint,
    path: string,
    target: RequestTarget,
    signal: AbortSignal | undefined,
    context: ClientContext,
  ) {
    this.#endpoint = endpoint;
    this.#target = target;
    this.#context = context;
    this.#signal = signal;
    this.#idle = setTimeout(() => {
      // If the event loop was blocked, bytes may have arrived unread.
      const before = this.#received;
      setImmediate(() => {
        if (this.#received === before) this.#timedOut();
      });
    }, context.limits.idleMillis);
    this.#connection = endpoint.http.stream(path, this);
    signal?.addEventListener("abort", this.#aborted, { once: true });
  }

  get redact(): Redact {
    return this.#endpoint.http.redact;
  }

  start(status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#endpoint.observeHeaders(headers);
    this.#asOf = this.#endpoint.asOf(headers);
    if (status === 200) this.#endpoint.recordBlock(this.#asOf);
  }

  data(chunk: Buffer): boolean {
    this.#idle.refresh();
    this.#received += 1;
    this.#receivedBytes += chunk.length;
    this.#pace ??= measurePace(this.#context.limits, this.#headers, {
      isPaused: () => this.#paused,
      crawls: (bytes) => this.#crawls(bytes),
    });
    this.#pace.add(chunk.length);
    if (this.#status !== 200) {
      this.#collectError(chunk);
      return true;
    }
    this.#mayDeliver = this.#take !== undefined && this.#openPromises === 0 && this.#buffered.length === 0;
    try {
      this.#decoder.push(chunk);
    } catch (error) {
      this.#failFraming(error);
      return false;
    } finally {
      this.#mayDeliver = false;
    }
    if (this.#decodedBytes > MAX_WAITING_BYTES) this.#open();
    this.#paused = this.#isOpen && (this.#take === undefined || this.#openPromises > 0);
    return !this.#paused;
  }

  end(): void {
    if (this.#status !== 200) {
      this.#failResponse();
      return;
    }
    try {
      this.#checkHead(true);
      this.#decoder.end();
      // Every node ends its last row, so a file that stops within a row is cut, although the answer ended properly.
      if (this.#last !== LINE_FEED) throw new LedgerFault("cut", "ended the export in the middle of a row");
    } catch (error) {
      this.#failFraming(error);
      return;
    }
    this.#endpoint.breaker.recordSuccess();
    this.#finish();
    this.#open();
    this.#flush();
  }

  fail(fault: HttpFault): void {
    if (this.#status !== 0 && this.#status !== 200) {
      this.#failResponse();
      return;
    }
    const started = this.#decodedBytes > 0 || this.#isOpen;
    const error = started
      ? nodeFailure("cut", "broke off in the middle of the export", this.#target, {
          httpStatus: this.#status,
          cause: fault,
        })
      : failureOfFault(fault, this.#target);
    this.#fail(error);
  }

  bytes(decoded: Buffer): void {
    if (decoded.length === 0) return;
    this.#decodedBytes += decoded.length;
    this.#last = decoded[decoded.length - 1] ?? LINE_FEED;
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, decoded.subarray(0, HEAD_BYTES - this.#head.length)]);
      this.#checkHead(false);
    }
    if (this.#outcome !== undefined) return;
    if (this.#take !== undefined && this.#mayDeliver) this.#deliver(this.#take, decoded);
    else this.#buffered.push(Buffer.from(decoded));
  }

  #checkHead(isAll: boolean): void {
    const why = foreignContent(this.#head, isAll);
    if (why !== undefined) throw new LedgerFault("foreign", why);
  }

  onFirstMessage(contentType: string | undefined, extensions: readonly unknown[]): void {
    if (contentType !== undefined) this.#contentType = contentType;
    if (extensions.length > 0) {
      const { log } = this.#context;
      log.info({ node: this.#target.node, extensions: extensions.slice(0, 10) }, "export extensions ignored");
    }
    this.#open();
  }

  #open(): void {
    if (this.#isOpen || this.#asOf === undefined) return;
    this.#isOpen = true;
    const { ledgerDays } = this.#endpoint;
    this.#opening.resolve({
      contentType: this.#contentType,
      endIsProven: saysItsEnd(this.#headers),
      asOf: this.#asOf,
      ...(ledgerDays === undefined ? {} : { ledgerDays }),
      share: () => {
        const length = Number(this.#headers["content-length"] ?? 0);
        return length > 0 ? this.#receivedBytes / length : undefined;
      },
      consume: (take) => this.#consume(take),
      failed: [],
      cancel: (failure) => {
        if (failure !== undefined) this.#endpoint.recordFailure(failure);
        this.#fail(new Error("the export was given up"));
      },
    });
  }

  #consume(take: Take): Promise<void> {
    if (this.#take !== undefined) throw new Error("an export can be taken once only");
    this.#take = take;
    this.#consumer = Promise.withResolvers();
    this.#flush();
    return this.#consumer.promise;
  }

  #deliver(take: Take, bytes: Buffer): void {
    const taken = take(bytes);
    if (taken === undefined) return;
    this.#openPromises += 1;
    void this.#waitUntilTaken(taken);
  }

  async #waitUntilTaken(taken: Promise<void>): Promise<void> {
    try {
      await taken;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#openPromises -= 1;
    this.#flush();
  }

  /** Delivers the buffered bytes, then resumes the connection or ends. */
  #flush(): void {
    if (this.#take === undefined) return;
    try {
      while (this.#buffered.length > 0 && this.#openPromises === 0 && this.#outcome === undefined) {
        this.#deliver(this.#take, this.#buffered.shift() ?? Buffer.alloc(0));
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#outcome === undefined && this.#done && this.#openPromises === 0) {
      this.#outcome = "whole";
      this.#signal?.removeEventListener("abort", this.#aborted);
    }
    if (this.#outcome === "whole") this.#consumer?.resolve();
    else if (this.#outcome !== undefined) this.#consumer?.reject(this.#outcome.failure);
    else if (this.#openPromises === 0) this.#resume();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#idle.refresh();
    this.#connection.resume();
  }

  #collectError(chunk: Buffer): void {
    const size = this.#errorBody.reduce((sum, part) => sum + part.length, 0);
    if (size < BODY_BYTES.error) this.#errorBody.push(Buffer.from(chunk));
    else this.#failResponse();
  }

  #failResponse(): void {
    const text = this.redact(Buffer.concat(this.#errorBody).toString("utf8", 0, BODY_BYTES.error));
    this.#fail(failureOfResponse({ status: this.#status, headers: this.#headers, text }, this.#target));
  }

  #failFraming(error: unknown): void {
    if (!(error instanceof LedgerFault)) {
      this.#fail(error);
      return;
    }
    const started = this.#decodedBytes > 0;
    const foreign = error.kind === "foreign";
    const kind = error.kind === "said" ? (started ? "cut" : "server") : foreign ? "unreadable" : error.kind;
    const why = error.kind === "said" && started ? `broke the export off: it ${error.message}` : error.message;
    this.#fail(
      nodeFailure(kind, why, this.#target, {
        httpStatus: this.#status,
        foreign,
        ...(error.body === undefined ? {} : detailsOf(error.body)),
      }),
    );
  }

  #timedOut(): void {
    // While the consumer pauses the connection, the node is not idle; `#resume` restarts the timer.
    if (this.#done || this.#paused) return;
    const why = `sent nothing for ${formatDuration(this.#context.limits.idleMillis)}`;
    const more = this.#status === 0 ? {} : { httpStatus: this.#status };
    this.#fail(nodeFailure(this.#isOpen ? "cut" : "timeout", why, this.#target, more));
  }

  #crawls(bytes: number): void {
    const more = { httpStatus: this.#status };
    const within = formatDuration(this.#context.limits.crawlMillis);
    const why = `was given up: it sent no more than ${formatBytes(bytes)} within ${within}, and its end is not in sight`;
    this.#fail(nodeFailure(this.#isOpen ? "cut" : "timeout", why, this.#target, more));
  }

  readonly #aborted = (): void => {
    this.#fail(this.#signal?.reason);
  };

  #fail(error: unknown): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = { failure: error };
    this.#buffered.length = 0;
    this.#signal?.removeEventListener("abort", this.#aborted);
    if (!this.#done && error instanceof ApiError) this.#endpoint.recordFailure(error, error.kind === "server");
    this.#finish();
    this.#connection.abort();
    this.#opening.reject(error);
    this.#flush();
  }

  /** Releases the export slot and stops the idle timer; once. */
  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#idle);
    this.#pace?.stop();
    this.#endpoint.exportSlot.release();
  }
}

/**
 * Whether the answer's framing marks its end. Without a length and without chunks, an answer ends with its connection,
 * so that a broken one looks complete (RFC 9112, 6.3); so does one whose last transfer coding is not chunked.
 */
function saysItsEnd(headers: HttpHeaders): boolean {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) return /(?:^|,)\s*chunked\s*$/iu.test(String(coding));
  return headers["content-length"] !== undefined;
}
