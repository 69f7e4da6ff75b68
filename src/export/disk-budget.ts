import { StorageError } from "../errors.ts";
import { formatBytes } from "../units/format-number.ts";

/** The bytes that one export may take on disk. */
export interface DiskReservation {
  /**
   * Reserves so many bytes instead of those before. Throws StorageError where all exports together would take too many.
   */
  hold(bytes: number): void;
  /** Gives all of them back. Safe to call twice. */
  release(): void;
}

/** Bounds the bytes that all temporary files together take on disk. Each call of the result begins a reservation. */
export function diskBudget(maxBytes: number): () => DiskReservation {
  let usedBytes = 0;
  return () => {
    let held = 0;
    const hold = (bytes: number): void => {
      const used = usedBytes - held + bytes;
      if (used > maxBytes) {
        const title = `The bot's room for exports is full: all together may take ${formatBytes(maxBytes)}`;
        throw new StorageError(`${title}.`, {
          title,
          remedy: "Ask for a shorter range, or again when other exports are done",
        });
      }
      usedBytes = used;
      held = bytes;
    };
    return { hold, release: () => hold(0) };
  };
}
