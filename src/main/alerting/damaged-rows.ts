import { DamagedRow, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";

/** The damaged rows for which parts of this process stand still. */
export class DamagedRows {
  readonly #log: Log;
  /** The sentence by the part that needs the row. */
  readonly #parts = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Each sentence once. */
  get sentences(): readonly string[] {
    return [...new Set(this.#parts.values())];
  }

  /** Notes why a part stands still. False where that is no damaged row. A row that several parts need is logged once. */
  note(part: string, thrown: unknown): boolean {
    if (!(thrown instanceof DamagedRow)) return false;
    const why = messageOf(thrown);
    if (!this.sentences.includes(why)) this.#log.error({ why }, "row damaged");
    this.#parts.set(part, why);
    return true;
  }

  /** A part goes on, or has ended. */
  clear(part: string): void {
    const why = this.#parts.get(part);
    if (why === undefined) return;
    this.#parts.delete(part);
    if (!this.sentences.includes(why)) this.#log.info({ was: why }, "row readable again");
  }
}
