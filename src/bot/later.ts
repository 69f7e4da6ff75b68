import { UserError } from "../errors.ts";
import { inTime } from "../in-time.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/duration.ts";

/** What is added to an answer comes within this time, or not at all. */
const LATER: Milliseconds = 10_000;

/** An answer whose amendment ends in time and never rejects. */
export function inLimit(answer: Reply, log: Log): Reply {
  const { later } = answer;
  if (later === undefined) return answer;
  const bounded = async (stop: AbortSignal): Promise<Reply | undefined> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(LATER)]);
    if (signal.aborted) return undefined;
    try {
      return await inTime(later(signal), { signal }, () => undefined);
    } catch (error) {
      if (!(error instanceof UserError) && !signal.aborted) log.warn({ err: error }, "answer not amended");
      return undefined;
    }
  };
  return { ...answer, later: bounded };
}
