import { setImmediate } from "node:timers/promises";
import type { z } from "zod";

import type { RequestTarget } from "./failure.ts";
import type { HttpResponse } from "./http.ts";
import { splitList } from "./list-pieces.ts";
import { parseResponse } from "./read-reply.ts";

/** Longer bodies are read in pieces, so long: some milliseconds' work each. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The same as readReply, of an answer that is one list under that name: a long one is read piece by piece, between which
 * others have their turn. Rejects with ApiError `unreadable` naming the path in the JSON.
 */
export async function parseLongList<T extends z.ZodType>(
  reply: HttpResponse,
  schema: T,
  list: string,
  asked: RequestTarget,
): Promise<z.output<T>> {
  if (reply.body.length <= 2 * CHUNK_BYTES) return parseResponse(reply, schema, asked);
  const items: unknown[] = [];
  try {
    for (const piece of splitList(reply.body, list, CHUNK_BYTES)) {
      const part = { ...reply, body: Buffer.from(`{${JSON.stringify(list)}:[${piece}]}`) };
      const read = (parseResponse(part, schema, asked) as Readonly<Record<string, readonly unknown[] | undefined>>)[
        list
      ];
      for (const item of read ?? []) items.push(item);
      await setImmediate();
    }
  } catch {
    // What is wrong, and where, is said of the whole.
    return parseResponse(reply, schema, asked);
  }
  return { [list]: items } as z.output<T>;
}
