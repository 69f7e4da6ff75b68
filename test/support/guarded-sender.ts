import type { SendError } from "../../src/alerts/sender.ts";
import { FakeSender } from "./fake-sender.ts";

/** A platform that checks a token with each message, and can check it alone. */
export class GuardedSender extends FakeSender {
  /** The error for the token, everywhere. */
  refusal: SendError | undefined;
  /** The error for the token in sending alone. */
  sendRefusal: SendError | undefined;
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
    return this.refusal === undefined ? Promise.resolve() : Promise.reject(this.refusal);
  }

  #guard(): void {
    const refusal = this.refusal ?? this.sendRefusal;
    if (refusal === undefined) return;
    this.refusedTries += 1;
    throw refusal;
  }
}
