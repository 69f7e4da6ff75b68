import type { SendError } from "../../alerts/sender.ts";
import type { Milliseconds } from "../../units/time.ts";

/** A refused token is not tried again sooner, unless it is asked about and accepted. */
const REFUSED_MILLIS: Milliseconds = 60_000;

/** Remembers that a platform refuses the token: waiting requests then fail unsent, since many refusals lead to a ban. */
export class RefusedToken {
  #refused: { readonly error: SendError; readonly until: Milliseconds } | undefined;

  /** Whether the platform refused the token when it was last asked. */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  accept(): void {
    this.#refused = undefined;
  }

  /** Gives the error back, to throw it. */
  note(error: SendError): SendError {
    if (error.kind === "refused") this.#refused = { error, until: performance.now() + REFUSED_MILLIS };
    return error;
  }

  throwWhileRefused(): void {
    if (this.#refused !== undefined && performance.now() < this.#refused.until) throw this.#refused.error;
  }
}
