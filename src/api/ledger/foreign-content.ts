/** So many bytes at the beginning tell what is no ledger. */
export const HEAD_BYTES = 64;

/**
 * What a node sent in place of a ledger, by its first bytes, as a clause that follows the node's name; `isAll`: no more
 * follow. Undefined where it may be a ledger.
 */
export function foreignContent(head: Buffer, isAll: boolean): string | undefined {
  const start = head.toString("hex", 0, 2);
  if (start === "1f8b") return "sent compressed bytes (gzip), although it was not asked to compress";
  if (/^(?:fffe|feff|00..|..00)/u.test(start)) return "sent its ledger in UTF-16, and only UTF-8 can be read";
  // Trimming takes a byte order mark away as well.
  const text = head.toString("utf8").trim();
  if (text.startsWith("<")) return "sent a web page instead of a ledger, such as one to sign in";
  if (text.startsWith("[")) return "sent a list in JSON ([]) instead of a ledger";
  return isAll && text === "null" ? "sent the word null instead of a ledger" : undefined;
}
