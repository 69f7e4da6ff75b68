import { Base64Decoder } from "./base64.ts";
import { type LedgerDecoder, LedgerFault, type LedgerSink, reportedFault } from "./decoder.ts";

export const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The maximum size of a message without its data; real ones have some hundred bytes. */
const MAX_ENVELOPE_BYTES = 1024 * 1024;
const MAX_DEPTH = 100;

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
  #depth = 0;
  /** The message without its data. */
  #envelope = "";
  /** The start of the last string in the envelope, after its quote. */
  #stringAt = 0;
  /** The last string, while it may still be a key. */
  #lastString: string | undefined;
  /** The current key of each open object. */
  #keys: string[] = [];
  /** After a colon, before the value. */
  #valueNext = false;
  /** An odd number of backslashes stands before the next byte. */
  #escaped = false;
  #goodEnvelope: string | undefined;
  readonly #template = new MessageTemplate();
  /** The start of the message and of its data, for the template. */
  #start: { readonly chunk: Buffer; readonly at: number } | undefined;
  #data: { readonly chunk: Buffer; readonly from: number; to: number } | undefined;
  /** The characters after a backslash in the data so far. */
  #escape: string | undefined;
  #searched: Buffer | undefined;
  #backslashAt = -1;

  constructor(sink: LedgerSink) {
    this.#sink = sink;
    this.#base64 = new Base64Decoder((decoded) => sink.bytes(decoded));
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#mode === "between") at = this.#readKnown(chunk, at);
      if (at === chunk.length) return;
      if (this.#mode === "data") at = this.#readData(chunk, at);
      else if (this.#mode === "string") at = this.#readString(chunk, at);
      else at = this.#readStructure(chunk, at);
    }
  }

  end(): void {
    if (this.#mode !== "between") throw new LedgerFault("cut", "broke off in the middle of a message");
    if (this.#goodEnvelope === undefined) throw new LedgerFault("unreadable", "sent no message at all");
  }

  /** Reads messages that match the template, as many as are complete in the chunk, and blanks between them. */
  #readKnown(chunk: Buffer, from: number): number {
    let at = from;
    for (;;) {
      while (isBlank(chunk[at])) at += 1;
      const found = this.#template.find(chunk, at);
      if (found === undefined) return at;
      const backslash = this.#nextBackslash(chunk, found.from);
      if (backslash !== -1 && backslash < found.to) return at;
      this.#base64.push(chunk, found.from, found.to);
      this.#base64.end();
      at = found.end;
    }
  }

  #readStructure(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      switch (chunk[at]) {
        case QUOTE: {
          this.#addToEnvelope(chunk, from, at + 1);
          if (this.#mode === "between") throw notAMessage();
          const isData = this.#valueNext && this.#depth === 2 && this.#keys[0] === "result" && this.#keys[1] === "data";
          this.#valueNext = false;
          this.#mode = isData ? "data" : "string";
          this.#stringAt = this.#envelope.length;
          if (isData) {
            // A message with two data members makes no template.
            if (this.#data !== undefined) this.#start = undefined;
            this.#data = { chunk, from: at + 1, to: -1 };
          }
          return at + 1;
        }
        case COLON:
          this.#keys[this.#depth - 1] = this.#lastString ?? "";
          this.#valueNext = true;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (this.#mode === "between") {
            if (chunk[at] === OPEN_BRACKET) throw notAMessage();
            this.#start = { chunk, at };
            this.#mode = "structure";
          }
          this.#valueNext = false;
          this.#depth += 1;
          if (this.#depth > MAX_DEPTH) throw notAMessage();
          this.#keys[this.#depth - 1] = "";
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.#mode === "between") throw notAMessage();
          this.#valueNext = false;
          this.#depth -= 1;
          if (this.#depth === 0) {
            this.#addToEnvelope(chunk, from, at + 1);
            this.#finish();
            this.#learn(chunk, at + 1);
            return at + 1;
          }
          break;
        default:
          if (isBlank(chunk[at])) break;
          if (this.#mode === "between") throw notAMessage();
          this.#valueNext = false;
      }
    }
    if (this.#mode === "structure") this.#addToEnvelope(chunk, from, at);
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
    const backslash = this.#nextBackslash(chunk, from);
    if (backslash !== -1 && backslash < end) {
      this.#base64.push(chunk, from, backslash);
      this.#escape = "";
      return backslash + 1;
    }
    this.#base64.push(chunk, from, end);
    if (quote === -1) return end;
    this.#base64.end();
    if (this.#data?.chunk === chunk) this.#data.to = quote;
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

  /** Cached per chunk while there is none, since a chunk may hold many short messages. */
  #nextBackslash(chunk: Buffer, from: number): number {
    if (this.#searched !== chunk || (this.#backslashAt !== -1 && this.#backslashAt < from)) {
      this.#searched = chunk;
      this.#backslashAt = chunk.indexOf(BACKSLASH, from);
    }
    return this.#backslashAt;
  }

  #learn(chunk: Buffer, end: number): void {
    const data = this.#data;
    this.#data = undefined;
    if (this.#start?.chunk === chunk && data !== undefined && data.to !== -1) {
      this.#template.learn(chunk, this.#start.at, data, end);
    }
  }

  #addToEnvelope(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
    if (this.#envelope.length + to - from > MAX_ENVELOPE_BYTES) {
      throw new LedgerFault("unreadable", "sent a message of another kind than an export's");
    }
    // latin1 keeps the bytes, so that a character split between chunks is restored when the message is parsed.
    this.#envelope += chunk.toString("latin1", from, to);
  }

  #finish(): void {
    const envelope = this.#envelope;
    this.#envelope = "";
    this.#lastString = undefined;
    this.#mode = "between";
    // Messages usually differ only in their data: an envelope that was valid once is not parsed again.
    if (envelope === this.#goodEnvelope) return;
    const message = parseMessage(envelope);
    const reported = reportedFault(message, this.#sink.redact);
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

function parseMessage(envelope: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(envelope, "latin1").toString("utf8")) as Record<string, unknown>;
  } catch {
    throw notAMessage();
  }
}

function notAMessage(): LedgerFault {
  return new LedgerFault("unreadable", "sent something in the export that is no message of it");
}

/** The position of a message's data in a chunk, and the message's end. */
interface MessageBounds {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/**
 * The bytes around the data of the last message. Messages of one export usually differ only in their data, so a message
 * that is complete in its chunk can be matched by comparison, several times as fast as by parsing.
 */
class MessageTemplate {
  #before: Buffer | undefined;
  #behind: Buffer | undefined;

  /** Sets the template from a valid message. */
  learn(chunk: Buffer, start: number, data: { readonly from: number; readonly to: number }, end: number): void {
    const before = chunk.subarray(start, data.from);
    const behind = chunk.subarray(data.to, end);
    if (this.#before?.equals(before) === true && this.#behind?.equals(behind) === true) return;
    this.#before = Buffer.from(before);
    this.#behind = Buffer.from(behind);
  }

  /** Matches a message that begins here and ends in this chunk. */
  find(chunk: Buffer, at: number): MessageBounds | undefined {
    const before = this.#before;
    const behind = this.#behind;
    if (before === undefined || behind === undefined) return undefined;
    const from = at + before.length;
    if (from >= chunk.length || chunk.compare(before, 0, before.length, at, from) !== 0) return undefined;
    const to = chunk.indexOf(QUOTE, from);
    const end = to + behind.length;
    if (to === -1 || end > chunk.length) return undefined;
    return chunk.compare(behind, 0, behind.length, to, end) === 0 ? { from, to, end } : undefined;
  }
}
