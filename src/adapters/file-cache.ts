import { randomBytes } from "node:crypto";

import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Attachment } from "../reply/attachment.ts";
import type { Milliseconds } from "../units/duration.ts";
import { type Nanoseconds, toMillis } from "../units/nanoseconds.ts";

/** The files of answers, kept to be fetched until they are too old or too many. */
export interface FileCache {
  /** Takes a file over, to be disposed of here; gives the id under which it can be had, a secret of whoever asked. */
  keep(attachment: Attachment): string;
  /** The file and its bytes, or undefined when it is unknown or expired. A broken-off reading frees its source. */
  read(id: string): { attachment: Attachment; bytes: AsyncGenerator<Uint8Array, void> } | undefined;
  drop(id: string): Promise<void>;
  /** Gives up everything. */
  close(): Promise<void>;
}

interface CachedFile {
  readonly attachment: Attachment;
  /** Unix milliseconds. */
  readonly expires: number;
  readers: number;
  dropped: boolean;
}

export interface FileCacheOptions {
  /** How many are kept; the oldest go. */
  readonly maxFiles: number;
  /** For how long, from the answer they came with on. */
  readonly keepMillis: Milliseconds;
  readonly log: Log;
  readonly now: () => Nanoseconds;
}

/** What expires while nobody asks is given up within a minute. */
const SWEEP_MILLIS: Milliseconds = 60_000;

export function createFileCache(parts: FileCacheOptions): FileCache {
  // A Map keeps the order of arrival, which is the order of expiry.
  const kept = new Map<string, CachedFile>();

  async function dispose(one: CachedFile): Promise<void> {
    try {
      await one.attachment.dispose();
    } catch (thrown) {
      parts.log.warn({ file: one.attachment.name, why: messageOf(thrown) }, "a file could not be disposed of");
    }
  }

  /** A file that is being read is disposed of by its last reader. */
  async function drop(id: string, one: CachedFile): Promise<void> {
    kept.delete(id);
    one.dropped = true;
    if (one.readers === 0) await dispose(one);
  }

  function sweep(): void {
    const at = toMillis(parts.now());
    for (const [id, one] of kept) {
      if (one.expires <= at || kept.size > parts.maxFiles) void drop(id, one);
    }
  }
  const sweeper = setInterval(sweep, SWEEP_MILLIS).unref();

  async function* bytesOf(one: CachedFile): AsyncGenerator<Uint8Array, void> {
    const { attachment } = one;
    one.readers += 1;
    try {
      let count = 0;
      for await (const chunk of attachment.open()) {
        const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
        count += bytes.byteLength;
        yield bytes;
      }
      // Content-Length has promised the size; fewer bytes would leave the browser waiting for the rest.
      if (count !== attachment.sizeBytes) throw new Error(`has ${count} bytes instead of ${attachment.sizeBytes}`);
    } catch (thrown) {
      parts.log.error({ file: attachment.name, why: messageOf(thrown) }, "a download broke off");
      throw thrown;
    } finally {
      one.readers -= 1;
      if (one.dropped && one.readers === 0) await dispose(one);
    }
  }

  return {
    keep: (attachment) => {
      const id = randomBytes(16).toString("hex");
      kept.set(id, { attachment, expires: toMillis(parts.now()) + parts.keepMillis, readers: 0, dropped: false });
      sweep();
      return id;
    },
    read: (id) => {
      sweep();
      const one = kept.get(id);
      return one === undefined ? undefined : { attachment: one.attachment, bytes: bytesOf(one) };
    },
    drop: async (id) => {
      const one = kept.get(id);
      if (one !== undefined) await drop(id, one);
    },
    close: async () => {
      clearInterval(sweeper);
      await Promise.all([...kept].map(([id, one]) => drop(id, one)));
    },
  };
}
