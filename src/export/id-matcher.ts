const BACKSLASH = 0x5c;
const LOWER_X = 0x78;
const QUOTE = 0x22;
/** The bit that makes `a` of `A`; digits have it, too. */
const LOWER_CASE = 0x20;

/** The network's own party as later releases write it, and the byte that earlier ones write instead. */
const NETWORK_PARTY = "network";
const NETWORK_BYTE = "03";

/** Whether these bytes are the id, with or without `\x` and quotes, in upper or lower case. */
export type IdMatcher = (bytes: Uint8Array, start: number, end: number) => boolean;

/** Matches the id of a party or an asset, as people and nodes write it. */
export function idMatcher(id: string): IdMatcher {
  const plain = id.toLowerCase().replace(/^\\x/u, "");
  const isNetwork = plain === NETWORK_PARTY || (plain === NETWORK_BYTE && plain !== id);
  const bare = spelling(isNetwork ? NETWORK_PARTY : plain, false);
  const escaped = spelling(isNetwork ? NETWORK_BYTE : plain, true);
  return (bytes, start, end) => bare(bytes, start, end) || escaped(bytes, start, end);
}

function spelling(text: string, escaped: boolean): IdMatcher {
  const wanted = Buffer.from(text);
  const { length } = wanted;
  const prefix = escaped ? 2 : 0;
  return (bytes, start, end) => {
    let at = start;
    let size = end - start;
    if (size === length + prefix + 2 && bytes[start] === QUOTE && bytes[end - 1] === QUOTE) {
      at += 1;
      size -= 2;
    }
    if (size !== length + prefix) return false;
    if (escaped && (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_X)) return false;
    at += prefix;
    for (let index = 0; index < length; index += 1) {
      if (((bytes[at + index] as number) | LOWER_CASE) !== ((wanted[index] as number) | LOWER_CASE)) return false;
    }
    return true;
  };
}
