import { setImmediate } from "node:timers/promises";

import type { LooksPart, ReadPast } from "../chart/thin.ts";
import { UserError } from "../errors.ts";
import type { Chunk } from "../looks/chunk.ts";
import type { Look } from "../looks/look.ts";
import { pageReader, readBlocks } from "../looks/read.ts";
import type { Store } from "../store/store.ts";
import { type Milliseconds, toMillis } from "../units/time.ts";
import { GAP_INTERVALS } from "../watchers/look-history.ts";

/** Pictures that are read at a time. */
const MAX_READING = 4;
/** What is kept of some months is read in this time. */
const LIMIT: Milliseconds = 10_000;

/** Reads kept looks for pictures: a chunk at a time, between which everything else goes on. A damaged row is left out. */
export function createPast(store: Pick<Store, "read">): ReadPast {
  const readPage = pageReader(store);
  let reading = 0;
  return async function* past(range, signal) {
    if (reading >= MAX_READING) {
      throw new UserError(`${MAX_READING} pictures are being read already.`, { remedy: "Ask again in ten seconds." });
    }
    reading += 1;
    const ends = performance.now() + LIMIT;
    try {
      for await (const block of readBlocks(readPage, range, () => undefined)) {
        signal.throwIfAborted();
        if (performance.now() > ends) {
          throw new UserError("So much is kept of that time that it cannot be drawn.", {
            option: "last",
            remedy: "Ask for less of it, as in last:30d.",
          });
        }
        const part = "read" in block ? block.read(partOfChunk) : partOfLook(block);
        if (part !== undefined) yield part;
        await setImmediate();
      }
    } finally {
      reading -= 1;
    }
  };
}

function partOfChunk(chunk: Chunk): LooksPart {
  const [at, every] = [chunk.column('["at"]'), chunk.column('["every"]')];
  const from = (look: number): Milliseconds => Math.floor(at.near(look) / 1e6);
  return {
    size: chunk.size,
    from,
    to: (look) => {
      const [next, interval] = [look + 1 < chunk.size ? from(look + 1) : Infinity, every.near(look)];
      return next - from(look) <= GAP_INTERVALS * interval ? next : from(look) + interval;
    },
    facts: (...place) => chunk.column(JSON.stringify(["seen", ...place])),
    run: chunk.column('["run"]').at,
  };
}

function partOfLook(look: Look): LooksPart {
  const from = toMillis(look.at);
  return {
    size: 1,
    from: () => from,
    to: () => from + look.every,
    facts: (...place) => {
      const found = place.reduce<unknown>(
        (inner, step) =>
          typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[step] : undefined,
        look.seen,
      );
      const isNumber = typeof found === "number" || (typeof found === "string" && /^-?\d+(?:\.\d+)?$/u.test(found));
      return { at: () => found, near: () => (isNumber ? Number(found) : Number.NaN) };
    },
    run: () => look.run,
  };
}
