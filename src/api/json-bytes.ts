// The bytes of JSON that the two framings of an export are told apart by.

export const OPEN_BRACE = 0x7b;

/** White space between the parts of a JSON text; undefined, behind a chunk's end, is none. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
