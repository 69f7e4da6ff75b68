import { StorageError } from "../errors.ts";
import { formatBytes } from "../units/format-number.ts";

/** One export's part of the bytes that all may take on disk. */
export interface DiskReservation {
  /** From now on it takes this many. Throws StorageError where all together would take more than they may. */
  hold(bytes: number): void;
  /** It takes none any more. Safe to call twice. */
  release(): void;
}

/** Bounds the bytes that all temporary files together take on disk. */
export class DiskBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  open(): DiskReservation {
    let held = 0;
    const hold = (bytes: number): void => {
      const used = this.#usedBytes - held + bytes;
      if (used > this.#maxBytes) {
        const title = `The bot's room for exports is full: all together may take ${formatBytes(this.#maxBytes)}`;
        throw new StorageError(`${title}.`, {
          title,
          remedy: "Ask for a shorter range, or again when other exports are done",
        });
      }
      this.#usedBytes = used;
      held = bytes;
    };
    return { hold, release: () => hold(0) };
  }
}
