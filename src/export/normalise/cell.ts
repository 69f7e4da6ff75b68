const COMMA = 0x2c;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const LOWER_X = 0x78;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
/** By byte: the hexadecimal digit in lower case; 0 for any other byte. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCodePoint(byte);
  return /[0-9a-f]/iu.test(character) && byte < 128 ? (character.toLowerCase().codePointAt(0) ?? 0) : 0;
});

const NUMBER = /^[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?$/u;

// Each function writes one cell of a CSV at a place in `out` and returns the place behind it. `out` has room for twice
// the cell's bytes and three more.

/** Writes a cell unchanged. */
export function writeBytes(out: Buffer, at: number, bytes: Uint8Array, start: number, end: number): number {
  for (let from = start; from < end; from += 1, at += 1) out[at] = bytes[from] as number;
  return at;
}

/** A new cell of text, as `writeText` writes it. */
export function textCell(text: string): Buffer {
  const bytes = Buffer.from(text);
  const cell = Buffer.alloc(2 * bytes.length + 3);
  return cell.subarray(0, writeText(cell, 0, bytes, 0, bytes.length));
}

/**
 * Writes text. Where a spreadsheet would run it as a formula, an apostrophe stands in front of it
 * (https://owasp.org/www-community/attacks/CSV_Injection); numbers are unchanged. Quotes where RFC 4180 needs them.
 */
export function writeText(out: Buffer, place: number, bytes: Buffer, start: number, end: number): number {
  let at = place;
  let quoted = false;
  for (let from = start; from < end && !quoted; from += 1) {
    const byte = bytes[from];
    quoted = byte === COMMA || byte === QUOTE || byte === LINE_FEED || byte === CARRIAGE_RETURN;
  }
  if (quoted) {
    out[at] = QUOTE;
    at += 1;
  }
  if (start < end && startsFormula(bytes[start] as number) && !NUMBER.test(bytes.toString("latin1", start, end))) {
    out[at] = APOSTROPHE;
    at += 1;
  }
  if (!quoted) return writeBytes(out, at, bytes, start, end);
  for (let from = start; from < end; from += 1) {
    const byte = bytes[from] as number;
    if (byte === QUOTE) {
      out[at] = QUOTE;
      at += 1;
    }
    out[at] = byte;
    at += 1;
  }
  out[at] = QUOTE;
  return at + 1;
}

/** Whether the byte is `=`, `+`, `-`, `@` or a control character. */
function startsFormula(byte: number): boolean {
  return byte === 0x3d || byte === 0x2b || byte === MINUS || byte === 0x40 || byte < 0x20 || byte === 0x7f;
}

/**
 * Writes an id: `\x<hex>` and `<HEX>` in plain lower-case hex, `\x` as an empty cell, the network's own party as
 * `network`; others as text.
 */
export function writeId(
  out: Buffer,
  place: number,
  bytes: Buffer,
  start: number,
  end: number,
  isParty: boolean,
): number {
  const escaped = end - start >= 2 && bytes[start] === BACKSLASH && bytes[start + 1] === LOWER_X;
  const from = escaped ? start + 2 : start;
  if (isParty && escaped && end - from === 2 && bytes[from] === ZERO && bytes[from + 1] === ZERO + 3) {
    return place + out.write("network", place, "latin1");
  }
  let at = place;
  for (let next = from; next < end; next += 1, at += 1) {
    const digit = HEX[bytes[next] as number] as number;
    if (digit === 0) return writeText(out, place, bytes, start, end);
    out[at] = digit;
  }
  return at;
}

/** Writes digits, `decimals` of them behind a point, with a minus in front where `negative`. */
export function writeAmount(
  out: Buffer,
  place: number,
  negative: boolean,
  bytes: Uint8Array,
  digits: { readonly start: number; readonly end: number },
  decimals: number,
): number {
  const { start, end } = digits;
  let at = place;
  if (negative) {
    out[at] = MINUS;
    at += 1;
  }
  if (decimals === 0) return writeBytes(out, at, bytes, start, end);
  const point = end - decimals;
  if (point > start) {
    at = writeBytes(out, at, bytes, start, point);
  } else {
    out[at] = ZERO;
    at += 1;
  }
  out[at] = POINT;
  at += 1;
  for (let missing = point; missing < start; missing += 1) {
    out[at] = ZERO;
    at += 1;
  }
  return writeBytes(out, at, bytes, Math.max(start, point), end);
}
