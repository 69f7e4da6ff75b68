import { LedgerFault } from "./decoder.ts";

/** Characters decoded at a time; a multiple of four. V8 collects strings of up to 128 KiB cheaply. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Decodes one base64 text after the other in chunks cut anywhere. Throws LedgerFault for invalid base64. */
export class Base64Decoder {
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
