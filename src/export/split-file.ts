import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import { type Attachment, MAX_NAME_CHARACTERS, safeFileName } from "../reply/reply.ts";
import { CsvSplitter } from "./csv-splitter.ts";

/** Bytes on disk, of which any part can be read. */
export interface Stored {
  open(from?: number, to?: number): Readable;
}

/**
 * Splits a CSV file between rows into numbered parts of at most so many bytes, each with the header. The parts read the
 * stored bytes; none is copied. Rejects with RangeError where the header and one row are longer, and with the reader's
 * error.
 */
export async function splitFile(
  stored: Stored,
  { name, mediaType }: Pick<Attachment, "name" | "mediaType">,
  maxBytes: number,
): Promise<readonly Attachment[]> {
  const { header, ends } = await rowEnds(stored, maxBytes);
  const parts: Attachment[] = [];
  for (const [index, to] of ends.entries()) {
    const from = ends[index - 1] ?? header.length;
    const open = (): Readable => Readable.from(headed(header, stored.open(from, to)), { objectMode: false });
    const hash = createHash("sha256");
    for await (const piece of open()) hash.update(piece as Buffer);
    parts.push({
      name: partName(name, index + 1, ends.length),
      mediaType,
      sizeBytes: header.length + to - from,
      sha256: hash.digest("hex"),
      open,
      dispose: async () => {},
    });
  }
  return parts;
}

async function* headed(header: Buffer, rows: Readable): AsyncGenerator<Buffer> {
  yield header;
  yield* rows as AsyncIterable<Buffer>;
}

/** The header, and where each part ends. */
async function rowEnds(stored: Stored, maxBytes: number): Promise<{ header: Buffer; ends: readonly number[] }> {
  let header: Buffer | undefined;
  let position = 0;
  let from = 0;
  const ends: number[] = [];
  const splitter = new CsvSplitter(({ bytes, start, next }) => {
    const rowFrom = position;
    position += next - start;
    if (header === undefined) {
      header = Buffer.from(bytes.subarray(start, next));
      from = position;
      return;
    }
    if (header.length + position - from > maxBytes && rowFrom > from) {
      ends.push(rowFrom);
      from = rowFrom;
    }
    if (header.length + position - from > maxBytes) {
      throw new RangeError(`the header and one row are longer than ${maxBytes} bytes`);
    }
  });
  for await (const piece of stored.open()) splitter.push(piece as Buffer);
  splitter.end();
  ends.push(position);
  return { header: header ?? Buffer.alloc(0), ends };
}

/** `ledger.part-2-of-3.csv`. */
function partName(name: string, part: number, parts: number): string {
  const [, stem = name, extension = ""] = /^(.*)(\.[a-z]{1,8})$/u.exec(name) ?? [];
  const end = `.part-${part}-of-${parts}${extension}`;
  return safeFileName(`${stem.slice(0, MAX_NAME_CHARACTERS - end.length)}${end}`);
}
