import { afterEach, beforeEach } from "vitest";

/** Fails each test of the file that leaves a rejection which nobody handled. */
export function watchForRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(() => {
    process.off("unhandledRejection", note);
    if (unhandled.length > 0) throw new Error("a rejection was left unhandled", { cause: unhandled[0] });
  });
}
