const ZERO = 0x30;
const MINUS = 0x2d;
/** The largest power of ten of which two are exact in a double. */
const LIMB_DIGITS = 15;
const LIMB = 10 ** LIMB_DIGITS;

/** An exact sum of decimal integers in bytes. Adding one bigint a row takes several times as long. */
export class DecimalSum {
  /**
   * The sum is that of these three: the lowest digits, the next ones, and all higher ones with all negative numbers.
   */
  #low = 0;
  #high = 0;
  #rest = 0n;

  /** Adds the integer whose decimal digits these bytes are. */
  add(bytes: Buffer, start: number, end: number): void {
    if (end - start > 2 * LIMB_DIGITS || bytes[start] === MINUS) {
      this.#rest += BigInt(bytes.toString("latin1", start, end));
      return;
    }
    const middle = Math.max(start, end - LIMB_DIGITS);
    this.#low += numberAt(bytes, middle, end);
    if (this.#low >= LIMB) {
      this.#low -= LIMB;
      this.#high += 1;
    }
    this.#high += numberAt(bytes, start, middle);
    if (this.#high >= LIMB) {
      this.#high -= LIMB;
      this.#rest += BigInt(LIMB) * BigInt(LIMB);
    }
  }

  get value(): bigint {
    return this.#rest + BigInt(this.#high) * BigInt(LIMB) + BigInt(this.#low);
  }
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] as number) - ZERO;
  return value;
}
