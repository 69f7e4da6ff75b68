import type { Nanoseconds } from "../units/nanoseconds.ts";

/** What the wording of a message may depend on besides what it says. */
export interface Wording {
  /** The trigger was never sent: the resolve says both. */
  readonly merged?: true;
  /** It may have been sent before. */
  readonly repeat?: true;
  /** When the trigger arrived here. */
  readonly told?: Nanoseconds;
}
