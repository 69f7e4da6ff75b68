/** The bytes of JSON that structure is made of: https://www.rfc-editor.org/rfc/rfc8259#section-2 */
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Cuts `{"name": […]}`, and nothing else, between the items of its list: gives the text of pieces of at least that many
 * bytes, the last one excepted, each with whole items alone. Throws SyntaxError for a body of any other form; what stands
 * between the items is not checked.
 */
export function* splitList(body: Buffer, name: string, bytes: number): Generator<string> {
  let at = startOf(body, name);
  let begun = at;
  let depth = 0;
  for (; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
    else if (byte === CLOSING_BRACE || (byte === CLOSING_BRACKET && depth > 0)) depth -= 1;
    else if (byte === CLOSING_BRACKET) break;
    else if (byte === COMMA && depth === 0 && at - begun >= bytes) {
      yield body.toString("utf8", begun, at);
      begun = at + 1;
    }
  }
  if (!/^\s*\]\s*\}\s*$/u.test(body.toString("utf8", at, at + MAX_WRAPPER_BYTES)))
    throw new SyntaxError("not a list alone");
  yield body.toString("utf8", begun, at);
}

/** What may stand before the list and behind it, with room for white space. */
const MAX_WRAPPER_BYTES = 100;

function startOf(body: Buffer, name: string): number {
  const [start, key] = /^\s*\{\s*"([^"\\]*)"\s*:\s*\[/u.exec(body.toString("utf8", 0, MAX_WRAPPER_BYTES)) ?? [];
  if (start === undefined || key !== name) throw new SyntaxError("not a list of that name");
  return Buffer.byteLength(start);
}

/** Where the string ends that begins there. */
function endOfString(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}
