import { randomBytes } from "node:crypto";

import type { Attachment } from "../reply/attachment.ts";
import type { Milliseconds } from "../units/duration.ts";

/** How long a file waits to be fetched, from its reply or the end of its last reading on. */
const KEEP_MILLIS: Milliseconds = 600_000;
/** How many wait at most; the oldest go. */
const MAX_KEPT = 100;

/** The files of answers given over the socket, until they are fetched or too old. */
export interface HolderFiles {
  /** Takes a file over; the id is a secret of whoever asked. */
  keep(attachment: Attachment): string;
  /** Reads a file, which stays until that is over; false when there is none of that id. */
  use(id: string, read: (attachment: Attachment) => Promise<void>): Promise<boolean>;
  drop(id: string): Promise<void>;
  close(): Promise<void>;
}

interface Kept {
  readonly attachment: Attachment;
  readonly timer: NodeJS.Timeout;
  readers: number;
  dropped: boolean;
}

export function createHolderFiles(): HolderFiles {
  // In the order of arrival.
  const kept = new Map<string, Kept>();

  async function drop(id: string): Promise<void> {
    const one = kept.get(id);
    if (one === undefined) return;
    kept.delete(id);
    clearTimeout(one.timer);
    one.dropped = true;
    if (one.readers === 0) await one.attachment.dispose();
  }

  return {
    keep(attachment) {
      const id = randomBytes(16).toString("hex");
      const timer = setTimeout(() => void drop(id), KEEP_MILLIS).unref();
      kept.set(id, { attachment, timer, readers: 0, dropped: false });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) void drop(oldest);
      return id;
    },
    async use(id, read) {
      const one = kept.get(id);
      if (one === undefined) return false;
      one.readers += 1;
      try {
        await read(one.attachment);
      } finally {
        one.readers -= 1;
        one.timer.refresh();
        if (one.dropped && one.readers === 0) await one.attachment.dispose();
      }
      return true;
    },
    drop,
    async close() {
      await Promise.allSettled([...kept.keys()].map(drop));
    },
  };
}
