import { formatDuration } from "../../units/duration.ts";
import type { AsOf, LedgerStream } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { CancelSignal } from "../cancellation.ts";
import type { HttpFault } from "../http/http-fault.ts";
import type { HttpHeaders, HttpSink, HttpStream } from "../http/http.ts";
import { failureOfFault, failureOfResponse, nodeFailure, type RequestTarget } from "../http/node-failure.ts";
import type { ClientContext, NodeEndpoint } from "../node/node.ts";
import { LedgerFault, type LedgerSink } from "./decoder.ts";
import { DetectingDecoder } from "./framing.ts";

/** Where a message says of what kind the file is only behind its data, so much data is waited for. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** An error's body is read no further than this. */
const MAX_ERROR_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
/** See LedgerStream. */
type Take = (bytes: Buffer) => Promise<void> | undefined;

/** One export as it comes in: from the connection through the framing to whoever takes it, at their pace. */
export class LedgerReceiver implements HttpSink, LedgerSink {
  /** Rejects with ApiError, or the signal's reason. */
  readonly opened: Promise<LedgerStream>;
  readonly #endpoint: NodeEndpoint;
  readonly #asked: RequestTarget;
  readonly #around: ClientContext;
  readonly #signal: CancelSignal | undefined;
  readonly #framing = new DetectingDecoder(this);
  readonly #connection: HttpStream;
  readonly #idle: NodeJS.Timeout;
  #resolve!: (stream: LedgerStream) => void;
  #reject!: (reason: unknown) => void;
  #status = 0;
  #headers: HttpHeaders = {};
  #asOf: AsOf | undefined;
  #errorBody: Buffer[] = [];
  #contentType = "text/csv";
  /** Chunks that came in so far. */
  #received = 0;
  /** Bytes handed on so far, and the last of them. */
  #given = 0;
  #last = LINE_FEED;
  #isOpen = false;
  /** The connection has no more to give, or is given up. */
  #done = false;
  /** The connection is held back. */
  #paused = false;
  #take: Take | undefined;
  /** How many promises that `take` gave are open. */
  #full = 0;
  /** Bytes are being read that may be handed over at once. */
  #flowing = false;
  /** Copies of bytes that came when nobody could take them. */
  readonly #kept: Buffer[] = [];
  #poured: { resolve(): void; reject(reason: unknown): void } | undefined;
  /** All is over: handed over as whole, or failed. */
  #outcome: "whole" | { readonly failure: unknown } | undefined;

  constructor(
    endpoint: NodeEndpoint,
    path: string,
    asked: RequestTarget,
    signal: CancelSignal | undefined,
    around: ClientContext,
  ) {
    this.#endpoint = endpoint;
    this.#asked = asked;
    this.#around = around;
    this.#signal = signal;
    this.opened = new Promise<LedgerStream>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#idle = setTimeout(() => {
      // Where this process itself was held up, bytes may have come and only wait to be read.
      const before = this.#received;
      setImmediate(() => {
        if (this.#received === before) this.#timedOut();
        else this.#idle.refresh();
      });
    }, around.limits.idleMillis);
    this.#connection = endpoint.http.stream(path, this);
    signal?.addEventListener("abort", this.#aborted, { once: true });
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
    if (this.#status !== 200) {
      this.#collectError(chunk);
      return true;
    }
    this.#flowing = this.#take !== undefined && this.#full === 0 && this.#kept.length === 0;
    try {
      this.#framing.push(chunk);
    } catch (error) {
      this.#failFraming(error);
      return false;
    } finally {
      this.#flowing = false;
    }
    if (this.#given > MAX_WAITING_BYTES) this.#open();
    this.#paused = this.#isOpen && (this.#take === undefined || this.#full > 0);
    return !this.#paused;
  }

  end(): void {
    if (this.#status !== 200) {
      this.#failReply();
      return;
    }
    try {
      this.#framing.end();
      if (this.#last !== LINE_FEED && !saysItsEnd(this.#headers)) {
        throw new LedgerFault("cut", "closed the connection in the middle of a row");
      }
    } catch (error) {
      this.#failFraming(error);
      return;
    }
    this.#endpoint.breaker.recordSuccess();
    this.#finish();
    this.#open();
    this.#handOver();
  }

  fail(fault: HttpFault): void {
    if (this.#status !== 0 && this.#status !== 200) {
      this.#failReply();
      return;
    }
    const begun = this.#given > 0 || this.#isOpen;
    const error = begun
      ? nodeFailure("cut", "broke off in the middle of the export", this.#asked, {
          httpStatus: this.#status,
          cause: fault,
        })
      : failureOfFault(fault, this.#asked);
    this.#fail(error);
  }

  bytes(decoded: Buffer): void {
    if (decoded.length === 0) return;
    this.#given += decoded.length;
    this.#last = decoded[decoded.length - 1] ?? LINE_FEED;
    if (this.#outcome !== undefined) return;
    if (this.#take !== undefined && this.#flowing) this.#hand(this.#take, decoded);
    else this.#kept.push(Buffer.from(decoded));
  }

  onFirstMessage(contentType: string | undefined, extensions: readonly unknown[]): void {
    if (contentType !== undefined) this.#contentType = contentType;
    if (extensions.length > 0) {
      const { log } = this.#around;
      log.info({ node: this.#asked.node, extensions: extensions.slice(0, 10) }, "a ledger export came with extensions");
    }
    this.#open();
  }

  #open(): void {
    if (this.#isOpen || this.#asOf === undefined) return;
    this.#isOpen = true;
    this.#resolve({
      contentType: this.#contentType,
      asOf: this.#asOf,
      consume: (take) => this.#pour(take),
      cancel: () => this.#fail(new Error("the export was given up")),
    });
  }

  #pour(take: Take): Promise<void> {
    if (this.#take !== undefined) throw new Error("an export can be taken once only");
    this.#take = take;
    return new Promise((resolve, reject) => {
      this.#poured = { resolve, reject };
      this.#handOver();
    });
  }

  #hand(take: Take, bytes: Buffer): void {
    const room = take(bytes);
    if (room === undefined) return;
    this.#full += 1;
    void this.#waitFor(room);
  }

  async #waitFor(room: Promise<void>): Promise<void> {
    try {
      await room;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#full -= 1;
    this.#handOver();
  }

  /** What was kept, then what comes. */
  #handOver(): void {
    if (this.#take === undefined) return;
    try {
      while (this.#kept.length > 0 && this.#full === 0 && this.#outcome === undefined) {
        this.#hand(this.#take, this.#kept.shift() ?? Buffer.alloc(0));
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#outcome === undefined && this.#done && this.#full === 0) {
      this.#outcome = "whole";
      this.#signal?.removeEventListener("abort", this.#aborted);
    }
    if (this.#outcome === "whole") this.#poured?.resolve();
    else if (this.#outcome !== undefined) this.#poured?.reject(this.#outcome.failure);
    else if (this.#full === 0) this.#resume();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#idle.refresh();
    this.#connection.resume();
  }

  #collectError(chunk: Buffer): void {
    const size = this.#errorBody.reduce((sum, part) => sum + part.length, 0);
    if (size < MAX_ERROR_BYTES) this.#errorBody.push(Buffer.from(chunk));
    else this.#failReply();
  }

  #failReply(): void {
    const body = Buffer.concat(this.#errorBody);
    this.#fail(failureOfResponse({ status: this.#status, headers: this.#headers, body }, this.#asked));
  }

  #failFraming(error: unknown): void {
    if (!(error instanceof LedgerFault)) {
      this.#fail(error);
      return;
    }
    const begun = this.#given > 0;
    const kind = error.kind === "said" ? (begun ? "cut" : "server") : error.kind;
    const why = error.kind === "said" && begun ? `broke the export off: it ${error.message}` : error.message;
    this.#fail(
      nodeFailure(kind, why, this.#asked, {
        httpStatus: this.#status,
        code: error.body?.code,
        nodeMessage: error.body?.message,
        details: error.body?.details ?? [],
        innerWords: error.body?.innerWords,
      }),
    );
  }

  #timedOut(): void {
    if (this.#done) return;
    // Whoever takes the bytes may need as long as they like: that is not the node's silence.
    if (this.#paused) {
      this.#idle.refresh();
      return;
    }
    const why = `sent nothing for ${formatDuration(this.#around.limits.idleMillis)}`;
    const more = this.#status === 0 ? {} : { httpStatus: this.#status };
    this.#fail(nodeFailure(this.#isOpen ? "cut" : "timeout", why, this.#asked, more));
  }

  readonly #aborted = (): void => {
    this.#fail(this.#signal?.reason);
  };

  #fail(error: unknown): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = { failure: error };
    this.#kept.length = 0;
    this.#signal?.removeEventListener("abort", this.#aborted);
    if (!this.#done && error instanceof ApiError) this.#endpoint.recordFailure(error);
    this.#finish();
    this.#connection.abort();
    this.#reject(error);
    this.#handOver();
  }

  /** Frees the turn and stops the clock; once. */
  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#idle);
    this.#endpoint.exportSlot.release();
  }
}

/** An answer without a length or chunks ends with its connection, and one that breaks looks the same (RFC 9112, 6.3). */
function saysItsEnd(headers: HttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}
