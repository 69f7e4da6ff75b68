import { randomBytes } from "node:crypto";

import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Attachment } from "../reply/reply.ts";
import { type Milliseconds, type Nanoseconds, toMillis } from "../units/time.ts";

interface CachedFile {
  readonly attachment: Attachment;
  /** Unix milliseconds. */
  readonly expires: number;
  readers: number;
  dropped: boolean;
}

interface FileCacheOptions {
  /** Beyond this number, the oldest file is dropped. */
  readonly maxFiles: number;
  /** The lifetime of a file, from its answer on. */
  readonly ttlMillis: Milliseconds;
  readonly log: Log;
  readonly now: () => Nanoseconds;
}

export type FileCache = ReturnType<typeof createFileCache>;

/** An expired file is disposed of within this time. */
const SWEEP_MILLIS: Milliseconds = 60_000;

/** Files of answers for download, limited in age and number. */
export function createFileCache(options: FileCacheOptions) {
  // A Map iterates in order of insertion, which is the order of expiry.
  const files = new Map<string, CachedFile>();

  async function dispose(file: CachedFile): Promise<void> {
    try {
      await file.attachment.dispose();
    } catch (thrown) {
      options.log.warn({ file: file.attachment.name, why: messageOf(thrown) }, "file not removed");
    }
  }

  /** A file that is being read is disposed of by its last reader. */
  async function drop(id: string, file: CachedFile): Promise<void> {
    files.delete(id);
    file.dropped = true;
    if (file.readers === 0) await dispose(file);
  }

  function sweep(): void {
    const at = toMillis(options.now());
    for (const [id, file] of files) {
      if (file.expires <= at || files.size > options.maxFiles) void drop(id, file);
    }
  }
  const sweeper = setInterval(sweep, SWEEP_MILLIS).unref();

  async function* bytesOf(file: CachedFile): AsyncGenerator<Uint8Array, void> {
    const { attachment } = file;
    file.readers += 1;
    try {
      let count = 0;
      for await (const chunk of attachment.open()) {
        const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
        count += bytes.byteLength;
        yield bytes;
      }
      // Content-Length was sent already: with fewer bytes the browser would wait for more.
      if (count !== attachment.sizeBytes) throw new Error(`has ${count} bytes instead of ${attachment.sizeBytes}`);
    } catch (thrown) {
      options.log.error({ file: attachment.name, why: messageOf(thrown) }, "download failed");
      throw thrown;
    } finally {
      file.readers -= 1;
      if (file.dropped && file.readers === 0) await dispose(file);
    }
  }

  return {
    /** Adds a file and takes over its disposal; returns its id, a secret of the asker. */
    add(attachment: Attachment): string {
      const id = randomBytes(16).toString("hex");
      files.set(id, { attachment, expires: toMillis(options.now()) + options.ttlMillis, readers: 0, dropped: false });
      sweep();
      return id;
    },
    /** The file and its bytes; undefined if unknown or expired. A reader that stops early releases the source. */
    read(id: string) {
      sweep();
      const file = files.get(id);
      return file && { attachment: file.attachment, bytes: bytesOf(file) };
    },
    async drop(id: string): Promise<void> {
      const file = files.get(id);
      if (file !== undefined) await drop(id, file);
    },
    /** Disposes of all files. */
    async close(): Promise<void> {
      clearInterval(sweeper);
      await Promise.all([...files].map(([id, file]) => drop(id, file)));
    },
  };
}
