import { setImmediate } from "node:timers/promises";
import type { z } from "zod";

import type { Asked } from "./failure.ts";
import type { HttpReply } from "./http.ts";
import { listPieces } from "./list-pieces.ts";
import { readReply } from "./read-reply.ts";

/** Longer bodies are read in pieces, so long: some milliseconds' work each. */
const PIECE_BYTES = 256 * 1024;

/**
 * The same as readReply, of an answer that is one list under that name: a long one is read piece by piece, between which
 * others have their turn. Rejects with ApiError `unreadable` naming the path in the JSON.
 */
export async function readInPieces<T extends z.ZodType>(
  reply: HttpReply,
  schema: T,
  list: string,
  asked: Asked,
): Promise<z.output<T>> {
  if (reply.body.length <= 2 * PIECE_BYTES) return readReply(reply, schema, asked);
  const items: unknown[] = [];
  try {
    for (const piece of listPieces(reply.body, list, PIECE_BYTES)) {
      const part = { ...reply, body: Buffer.from(`{${JSON.stringify(list)}:[${piece}]}`) };
      const read = (readReply(part, schema, asked) as Readonly<Record<string, readonly unknown[] | undefined>>)[list];
      for (const item of read ?? []) items.push(item);
      await setImmediate();
    }
  } catch {
    // What is wrong, and where, is said of the whole.
    return readReply(reply, schema, asked);
  }
  return { [list]: items } as z.output<T>;
}
