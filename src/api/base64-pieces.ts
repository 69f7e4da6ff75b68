import { LedgerFault } from "./ledger-fault.ts";

/** Decodes one base64 text after the other as their pieces arrive, cut anywhere. Throws LedgerFault for what is no base64. */
export class Base64Pieces {
  readonly #give: (decoded: Buffer) => void;
  /** Up to three characters that wait for the rest of their four. */
  #rest = "";
  /** A padding has come: nothing may follow in this text. */
  #padded = false;

  constructor(give: (decoded: Buffer) => void) {
    this.#give = give;
  }

  push(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
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
    if (whole > at) this.#decode(chunk.toString("latin1", at, whole));
  }

  /** The text is whole. */
  end(): void {
    // Some encoders leave the padding out.
    if (this.#rest !== "") this.#decode(this.#rest.padEnd(4, "="));
    this.#rest = "";
    this.#padded = false;
  }

  #decode(text: string): void {
    if (this.#padded) throw notBase64();
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const decoded = Buffer.from(text, "base64");
    // The decoder passes over what it does not know, so a wrong character shows as a missing byte.
    if (decoded.length !== (text.length / 4) * 3 - padding) throw notBase64();
    this.#padded = padding > 0;
    this.#give(decoded);
  }
}

function notBase64(): LedgerFault {
  return new LedgerFault("unreadable", "sent data in the export that is no base64");
}
