import type { Redact } from "../../units/redact.ts";
import { type LedgerDecoder, LedgerFault, type LedgerSink, reportedFault } from "./decoder.ts";
import { isBlank, MessageDecoder, OPEN_BRACE } from "./message-framing.ts";

/**
 * Decodes a ledger export in either framing: raw bytes, or JSON messages with base64. The first byte behind blanks and
 * a byte order mark decides: `{` begins a message, anything else is raw.
 */
export class DetectingDecoder implements LedgerDecoder {
  readonly #sink: LedgerSink;
  #decoder: LedgerDecoder | undefined;
  #blanks: Buffer[] = [];

  constructor(sink: LedgerSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    if (this.#decoder === undefined) {
      const first = firstNonBlank(chunk);
      if (first === -1) {
        this.#blanks.push(Buffer.from(chunk));
        return;
      }
      const blanks = this.#blanks.splice(0);
      if (chunk[first] === OPEN_BRACE) {
        this.#decoder = new MessageDecoder(this.#sink);
        this.#decoder.push(chunk.subarray(first));
        return;
      }
      this.#decoder = new RawDecoder(this.#sink);
      for (const blank of blanks) this.#decoder.push(blank);
    }
    this.#decoder.push(chunk);
  }

  end(): void {
    this.#decoder ??= new RawDecoder(this.#sink);
    for (const blank of this.#blanks.splice(0)) this.#decoder.push(blank);
    this.#decoder.end();
  }
}

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

function firstNonBlank(chunk: Buffer): number {
  return chunk.findIndex((byte) => !isBlank(byte) && !BYTE_ORDER_MARK.includes(byte));
}

/**
 * The beginning of an error that a failing node appends. Valid CSV cannot contain it: quotes inside a field are
 * doubled.
 */
const ERROR_START = /^\{[ \t\r\n]*"error"/u;
/** The beginning of an error is shorter than this. */
const LONGEST_START = 64;
const MAX_ERROR_BYTES = 64 * 1024;

/** Passes raw bytes on; fails if the node appends `{"error":…}`. */
class RawDecoder implements LedgerDecoder {
  readonly #sink: LedgerSink;
  #began = false;
  /** The last bytes, from a `{` on, which may be the beginning of an error. */
  #held: Buffer | undefined;
  /** The error's text, once detected. */
  #error: Buffer | undefined;

  constructor(sink: LedgerSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    if (this.#error !== undefined) {
      if (this.#error.length < MAX_ERROR_BYTES) this.#error = Buffer.concat([this.#error, chunk]);
      return;
    }
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    for (let brace = bytes.indexOf(OPEN_BRACE); brace !== -1; brace = bytes.indexOf(OPEN_BRACE, brace + 1)) {
      const start = bytes.toString("latin1", brace, Math.min(bytes.length, brace + LONGEST_START));
      if (ERROR_START.test(start)) {
        this.#give(bytes.subarray(0, brace));
        this.#error = Buffer.from(bytes.subarray(brace));
        return;
      }
      if (mayBecomeError(start)) {
        this.#give(bytes.subarray(0, brace));
        this.#held = Buffer.from(bytes.subarray(brace));
        return;
      }
    }
    this.#give(bytes);
  }

  end(): void {
    if (this.#error !== undefined) throw faultOf(this.#error, this.#sink.redact);
    if (this.#held !== undefined) this.#give(this.#held);
    this.#held = undefined;
    if (!this.#began) throw new LedgerFault("unreadable", "sent an empty file, without even a header row");
  }

  #give(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#began) {
      this.#began = true;
      this.#sink.onFirstMessage(undefined, []);
    }
    this.#sink.bytes(bytes);
  }
}

/** Whether a text is too short to tell if it begins an error. */
function mayBecomeError(start: string): boolean {
  return start.length < LONGEST_START && '{"error"'.startsWith(start.replaceAll(/[ \t\r\n]/gu, ""));
}

function faultOf(error: Buffer, redact: Redact = (text) => text): LedgerFault {
  const text = redact(error.toString("utf8")).trim();
  try {
    const reported = reportedFault(JSON.parse(text));
    if (reported !== undefined) return reported;
  } catch {
    // Incomplete JSON is an error, too.
  }
  return new LedgerFault("cut", "broke the export off with an error that cannot be read");
}
