import { StorageError } from "../errors.ts";
import { formatBytes } from "../units/format-number.ts";

/** The bytes that one export may take on disk. */
export type DiskReservation = ReturnType<ReturnType<typeof diskBudget>>;

/** Bounds the bytes that all temporary files together take on disk. Each call of the result begins a reservation. */
export function diskBudget(maxBytes: number) {
  let usedBytes = 0;
  return () => {
    let held = 0;
    /** Reserves so many bytes instead of those before. Throws StorageError where all exports together would take too many. */
    const hold = (bytes: number): void => {
      const used = usedBytes - held + bytes;
      if (used > maxBytes) {
        const title = `The bot's room for exports is full: all together may take ${formatBytes(maxBytes)}`;
        throw new StorageError(`${title}.`, {
          title,
          remote: true,
          remedy: "Ask for a shorter range, or again when other exports are done",
        });
      }
      usedBytes = used;
      held = bytes;
    };
    /** Gives all of them back. Safe to call twice. */
    const release = (): void => hold(0);
    return { hold, release };
  };
}
