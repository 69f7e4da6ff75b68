import type { SendError } from "../../src/alerts/sender.ts";
import { FakeSender } from "./fake-sender.ts";

/** A platform that checks the token with each message, and can check it alone. */
export class GuardedSender extends FakeSender {
  /** The error of every call, as for a refused token. */
  tokenError: SendError | undefined;
  /** The error of sending alone. */
  sendTokenError: SendError | undefined;
  /** The errors of the tokens of single workspaces. */
  readonly refusedIn = new Map<string, SendError>();
  /** A check is answered once this has resolved. */
  answering: Promise<void> = Promise.resolve();
  checks = 0;
  refusedTries = 0;

  override async send(...given: Parameters<FakeSender["send"]>): ReturnType<FakeSender["send"]> {
    this.#guard(given[0].destination.workspace);
    return super.send(...given);
  }

  override async update(...given: Parameters<FakeSender["update"]>): Promise<void> {
    this.#guard(given[0].workspace);
    return super.update(...given);
  }

  async checkToken(_signal: AbortSignal, workspace = ""): Promise<void> {
    this.checks += 1;
    const error = this.tokenError ?? this.refusedIn.get(workspace);
    await this.answering;
    if (error !== undefined) throw error;
  }

  #guard(workspace = ""): void {
    const error = this.tokenError ?? this.sendTokenError ?? this.refusedIn.get(workspace);
    if (error === undefined) return;
    this.refusedTries += 1;
    throw error;
  }
}
