import type { LineRunner } from "../adapters/terminal/line-runner.ts";
import { disposeReply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/duration.ts";

export interface HandOverParts {
  /** Answers as long as the database is free. */
  readonly own: LineRunner;
  /** True once after each time that another process was found to hold the database. */
  readonly wasInUse: () => boolean;
  /** Whoever holds it by now; undefined where nobody does any more. */
  readonly findHolder: () => Promise<LineRunner | undefined>;
}

/** How long two processes may go on taking the database in turns before the question fails for it. */
const GIVE_UP_MILLIS: Milliseconds = 5000;

/**
 * Answers in this process, and hands a question over that failed because another process took the database after this
 * one had looked for a holder.
 */
export function handingOver({ own, wasInUse, findHolder }: HandOverParts): LineRunner {
  return {
    ...own,
    async run(line, options) {
      const deadline = performance.now() + GIVE_UP_MILLIS;
      for (;;) {
        wasInUse();
        const reply = await own.run(line, options);
        // What failed needed the database and did not get it: nothing of it is done yet.
        const refused = reply.failure === "caller" && wasInUse();
        if (!refused || options.signal.aborted || performance.now() >= deadline) return reply;
        await disposeReply(reply);
        const holder = await findHolder();
        if (holder !== undefined) return holder.run(line, options);
      }
    },
  };
}
