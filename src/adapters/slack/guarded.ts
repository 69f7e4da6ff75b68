import type { Log } from "../../log.ts";
import { describeError } from "./slack-fault.ts";

/** Does something for a person; what fails is for the log, since there is nobody left to tell. */
export async function logFailure(
  { log }: { readonly log: Log },
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ platform: "slack", what, err: error, why: describeError(error) }, "a person went without an answer");
  }
}
