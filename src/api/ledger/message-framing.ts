import type { Redact } from "../../units/redact.ts";
import { type LedgerDecoder, LedgerFault, type LedgerSink, reportedFault } from "./decoder.ts";

export const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The maximum size of a message without its data; real ones have some hundred bytes. */
const MAX_ENVELOPE_BYTES = 1024 * 1024;
const MAX_DEPTH = 100;

/** Characters decoded at a time; a multiple of four. V8 collects strings of up to 128 KiB cheaply. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Whether a byte is JSON white space; false for undefined, at the end of a chunk. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

type Mode = "between" | "structure" | "string" | "data";

/**
 * Decodes JSON messages `{"result":{"contentType","data","extensions"}}` or `{"error":…}`, line by line or
 * concatenated, split into chunks anywhere. The base64 of `result.data` is decoded as it arrives, in constant memory;
 * the rest of a message is parsed when the message ends.
 */
export class MessageDecoder implements LedgerDecoder {
  readonly #sink: LedgerSink;
  readonly #base64: Base64Decoder;
  #mode: Mode = "between";
  /** The message without its data. */
  #envelope = "";
  /** The start of the last string in the envelope, after its quote. */
  #stringAt = 0;
  /** The last string, which may be a key. */
  #lastString = "";
  /** The key whose value is next, of each open object; empty where none is. */
  readonly #keys: string[] = [];
  /** The next byte is escaped: an odd number of backslashes stands before it. */
  #escaped = false;
  /** The last message without its data that was valid. */
  #goodEnvelope: string | undefined;
  /** The characters after a backslash in the data so far. */
  #escape: string | undefined;

  constructor(sink: LedgerSink) {
    this.#sink = sink;
    this.#base64 = new Base64Decoder((decoded) => sink.bytes(decoded));
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#mode === "between") at = this.#readBetween(chunk, at);
      else if (this.#mode === "data") at = this.#readData(chunk, at);
      else if (this.#mode === "string") at = this.#readString(chunk, at);
      else at = this.#readStructure(chunk, at);
    }
  }

  end(): void {
    if (this.#mode !== "between") throw new LedgerFault("cut", "broke off in the middle of a message");
  }

  /** Reads blanks, up to the brace that opens a message or the end of the chunk. */
  #readBetween(chunk: Buffer, from: number): number {
    let at = from;
    while (isBlank(chunk[at])) at += 1;
    if (at === chunk.length) return at;
    if (chunk[at] !== OPEN_BRACE) throw notAMessage();
    this.#mode = "structure";
    return at;
  }

  #readStructure(chunk: Buffer, from: number): number {
    const keys = this.#keys;
    let at = from;
    for (; at < chunk.length; at += 1) {
      switch (chunk[at]) {
        case QUOTE: {
          this.#addToEnvelope(chunk, from, at + 1);
          const isData = keys.length === 2 && keys[0] === "result" && keys[1] === "data";
          this.#mode = isData ? "data" : "string";
          this.#stringAt = this.#envelope.length;
          return at + 1;
        }
        case COLON:
          keys[keys.length - 1] = this.#lastString;
          break;
        case COMMA:
          keys[keys.length - 1] = "";
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          keys.push("");
          if (keys.length > MAX_DEPTH) throw notAMessage();
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          keys.pop();
          if (keys.length === 0) {
            this.#addToEnvelope(chunk, from, at + 1);
            this.#finish();
            return at + 1;
          }
          break;
        default: // Blanks, numbers and words, which JSON.parse checks.
      }
    }
    this.#addToEnvelope(chunk, from, at);
    return at;
  }

  /** Reads a string other than the data, to its closing quote or the end of the chunk. */
  #readString(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#addToEnvelope(chunk, from, at);
        this.#lastString = this.#envelope.slice(this.#stringAt);
        this.#envelope += '"';
        this.#mode = "structure";
        return at + 1;
      }
    }
    this.#addToEnvelope(chunk, from, at);
    return at;
  }

  /** Reads the data, to its closing quote, the next escape or the end of the chunk. */
  #readData(chunk: Buffer, from: number): number {
    if (this.#escape !== undefined) return this.#readEscape(chunk, from);
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote === -1 ? chunk.length : quote;
    const backslash = chunk.subarray(from, end).indexOf(BACKSLASH);
    if (backslash !== -1) {
      this.#base64.push(chunk, from, from + backslash);
      this.#escape = "";
      return from + backslash + 1;
    }
    this.#base64.push(chunk, from, end);
    if (quote === -1) return end;
    this.#base64.end();
    this.#envelope += '"';
    this.#mode = "structure";
    return quote + 1;
  }

  /** JSON may write the `/` and `+` of base64 as escapes. */
  #readEscape(chunk: Buffer, from: number): number {
    this.#escape += chunk.toString("latin1", from, from + 1);
    const { length } = this.#escape ?? "";
    if (!this.#escape?.startsWith("u") || length === 5) {
      const character = Buffer.from(unescape(this.#escape ?? ""), "utf8");
      this.#base64.push(character, 0, character.length);
      this.#escape = undefined;
    }
    return from + 1;
  }

  #addToEnvelope(chunk: Buffer, from: number, to: number): void {
    // latin1 keeps the bytes, so that a character split between chunks is restored when the message is parsed.
    this.#envelope += chunk.toString("latin1", from, to);
    if (this.#envelope.length > MAX_ENVELOPE_BYTES) {
      throw new LedgerFault("unreadable", "sent a message of another kind than an export's");
    }
  }

  #finish(): void {
    const envelope = this.#envelope;
    this.#envelope = "";
    this.#mode = "between";
    // Messages usually differ only in their data, so the same envelope is not parsed again.
    if (envelope === this.#goodEnvelope) return;
    const message = parseMessage(envelope, this.#sink.redact);
    const reported = reportedFault(message);
    if (reported !== undefined) throw reported;
    const result = message["result"];
    if (typeof result !== "object" || result === null || Array.isArray(result)) throw notAMessage();
    const { contentType, data, extensions } = result as Record<string, unknown>;
    if (data !== undefined && data !== null && data !== "") throw notAMessage();
    const isFirst = this.#goodEnvelope === undefined;
    this.#goodEnvelope = envelope;
    if (!isFirst) return;
    this.#sink.onFirstMessage(
      typeof contentType === "string" && contentType !== "" ? contentType : undefined,
      Array.isArray(extensions) ? extensions : [],
    );
  }
}

function unescape(behindBackslash: string): string {
  try {
    return JSON.parse(`"\\${behindBackslash}"`) as string;
  } catch {
    throw notAMessage();
  }
}

function parseMessage(envelope: string, redact: Redact = (text) => text): Record<string, unknown> {
  try {
    return JSON.parse(redact(Buffer.from(envelope, "latin1").toString("utf8"))) as Record<string, unknown>;
  } catch {
    throw notAMessage();
  }
}

function notAMessage(): LedgerFault {
  return new LedgerFault("unreadable", "sent something in the export that is no message of it");
}

/** Decodes one base64 text after the other in chunks cut anywhere. Throws LedgerFault for invalid base64. */
class Base64Decoder {
  readonly #give: (decoded: Buffer) => void;
  /** Up to three characters whose group of four is not complete. */
  #rest = "";
  /** The last decoded chunk; the next one overwrites it. */
  readonly #decoded = Buffer.allocUnsafeSlow((CHUNK_CHARACTERS / 4) * 3);
  /** Padding has been read, after which nothing may follow in this text. */
  #padded = false;

  /** Each chunk is valid only until `give` returns. */
  constructor(give: (decoded: Buffer) => void) {
    this.#give = give;
  }

  push(chunk: Buffer, from: number, to: number): void {
    let at = from;
    if (this.#rest !== "") {
      at = Math.min(to, from + 4 - this.#rest.length);
      this.#rest += chunk.toString("latin1", from, at);
      if (this.#rest.length < 4) return;
      const four = this.#rest;
      this.#rest = "";
      this.#decode(four);
    }
    const whole = at + (to - at) - ((to - at) % 4);
    this.#rest = chunk.toString("latin1", whole, to);
    for (; at < whole; at += CHUNK_CHARACTERS)
      this.#decode(chunk.toString("latin1", at, Math.min(whole, at + CHUNK_CHARACTERS)));
  }

  /** Decodes the last characters of a text; the next `push` begins another one. */
  end(): void {
    // Some encoders leave the padding out.
    if (this.#rest !== "") this.#decode(this.#rest.padEnd(4, "="));
    this.#rest = "";
    this.#padded = false;
  }

  #decode(text: string): void {
    if (this.#padded) throw notBase64();
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const length = this.#decoded.write(text, 0, "base64");
    // The decoder skips invalid characters, so each of them shows as a missing byte.
    if (length !== (text.length / 4) * 3 - padding) throw notBase64();
    this.#padded = padding > 0;
    this.#give(this.#decoded.subarray(0, length));
  }
}

function notBase64(): LedgerFault {
  return new LedgerFault("unreadable", "sent data in the export that is no base64");
}
