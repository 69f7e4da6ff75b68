/** Writes integers of any size as few bytes: seven bits each, the sign in the lowest bit of all. */
export class IntegerWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Zero or more, and safe. */
  count(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#push(rest);
  }

  integer(value: bigint): void {
    const folded = value < 0n ? -value * 2n - 1n : value * 2n;
    if (folded <= SAFE) return this.count(Number(folded));
    let rest = folded;
    while (rest >= 128n) {
      this.#push(Number(rest % 128n) + 128);
      rest /= 128n;
    }
    this.#push(Number(rest));
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** How many bytes a writer takes for an integer. */
export function sizeOf(value: bigint): number {
  const folded = value < 0n ? -value * 2n - 1n : value * 2n;
  if (folded > SAFE) return Math.ceil(folded.toString(2).length / 7);
  let size = 1;
  for (let rest = Number(folded); rest >= 128; rest /= 128) size += 1;
  return size;
}

/** Reads what a writer wrote. Throws RangeError beyond the end. */
export class IntegerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  count(): number {
    const first = this.#next();
    // True of most.
    if (first < 128) return first;
    let value = first & 127;
    let factor = 128;
    for (;;) {
      const byte = this.#next();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  integer(): bigint {
    const began = this.#at;
    const folded = this.count();
    if (folded <= Number.MAX_SAFE_INTEGER) {
      return BigInt(folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2);
    }
    let [exact, shift] = [0n, 0n];
    for (const byte of this.#bytes.subarray(began, this.#at)) {
      exact |= BigInt(byte & 127) << shift;
      shift += 7n;
    }
    return exact % 2n === 0n ? exact / 2n : -(exact + 1n) / 2n;
  }

  /** So many numbers: 0, and the nearest ones to the integers that follow. */
  nearest(length: number): Float64Array {
    const [bytes, numbers] = [this.#bytes, new Float64Array(length)];
    let at = this.#at;
    for (let index = 1; index < length; index += 1) {
      let byte = bytes[at] ?? 0;
      at += 1;
      const isNegative = (byte & 1) === 1;
      let folded = byte & 127;
      for (let factor = 128; byte >= 128; factor *= 128) {
        byte = bytes[at] ?? 0;
        at += 1;
        folded += (byte & 127) * factor;
      }
      numbers[index] = isNegative ? -(folded + 1) / 2 : folded / 2;
    }
    if (at > bytes.length) throw endsEarly();
    this.#at = at;
    return numbers;
  }

  /** The bytes behind what was read. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw endsEarly();
    this.#at += 1;
    return byte;
  }
}

function endsEarly(): RangeError {
  return new RangeError("a column ends before its last value");
}
