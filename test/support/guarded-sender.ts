import type { SendError } from "../../src/alerts/sender.ts";
import { FakeSender } from "./fake-sender.ts";

/** A platform that checks the token with each message, and can check it alone. */
export class GuardedSender extends FakeSender {
  /** The error of every call, as for a refused token. */
  tokenError: SendError | undefined;
  /** The error of sending alone. */
  sendTokenError: SendError | undefined;
  checks = 0;
  refusedTries = 0;

  override async send(...given: Parameters<FakeSender["send"]>): ReturnType<FakeSender["send"]> {
    this.#guard();
    return super.send(...given);
  }

  override async update(...given: Parameters<FakeSender["update"]>): Promise<void> {
    this.#guard();
    return super.update(...given);
  }

  checkToken(): Promise<void> {
    this.checks += 1;
    return this.tokenError === undefined ? Promise.resolve() : Promise.reject(this.tokenError);
  }

  #guard(): void {
    const error = this.tokenError ?? this.sendTokenError;
    if (error === undefined) return;
    this.refusedTries += 1;
    throw error;
  }
}
