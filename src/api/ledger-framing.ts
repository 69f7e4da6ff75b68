import { isBlank, OPEN_BRACE } from "./json-bytes.ts";
import type { LedgerDecoder, LedgerSink } from "./ledger-decoder.ts";
import { MessageDecoder } from "./ledger-messages.ts";
import { RawDecoder } from "./ledger-raw.ts";

/**
 * Frees a ledger export from whichever framing it comes in: raw bytes, or JSON messages that carry them in base64.
 * The first byte that is not blank tells: `{` opens a message, anything else is the file itself.
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
      this.#decoder = chunk[first] === OPEN_BRACE ? new MessageDecoder(this.#sink) : new RawDecoder(this.#sink);
      for (const blank of this.#blanks.splice(0)) this.#decoder.push(blank);
    }
    this.#decoder.push(chunk);
  }

  end(): void {
    this.#decoder ??= new RawDecoder(this.#sink);
    for (const blank of this.#blanks.splice(0)) this.#decoder.push(blank);
    this.#decoder.end();
  }
}

function firstNonBlank(chunk: Buffer): number {
  return chunk.findIndex((byte) => !isBlank(byte));
}
