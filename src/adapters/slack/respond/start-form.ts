import type { Fault, Submitted } from "../../../bot/invocation.ts";
import { inTime } from "../../../units/time.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { SlackContext } from "../context.ts";
import { invocationOf } from "./invocation.ts";
import type { RequestContext, StartedCommand } from "./request-context.ts";

/** What came of a form: its faults, of which nothing was kept, or its command, which runs. */
export type StartedForm =
  | { readonly faults: readonly Fault[]; readonly reply?: Reply }
  | { readonly started: StartedCommand };

/**
 * Starts the command of a form, and waits for it as long as Slack leaves the form open: what it refuses can then be named at
 * its field. A command that shows progress has taken its values. `since`: when Slack began to wait, by performance.now().
 */
export async function startForm(
  slack: SlackContext,
  ask: Ask,
  request: RequestContext,
  since: number,
): Promise<StartedForm> {
  const working = Promise.withResolvers<undefined>();
  let latest: Reply | undefined;
  let follower: ((latest: Reply) => void) | undefined;
  const invocation = invocationOf(slack, ask, request, (reply) => {
    if (follower === undefined) latest = reply;
    else follower(reply);
    working.resolve(undefined);
  });
  const submitted: Submitted = await slack.bot.submit(invocation);
  if (!submitted.ok) return submitted;
  const outcome = submitted.run();
  const millis = Math.max(0, slack.formMillis - (performance.now() - since));
  const early = await inTime(Promise.race([outcome, working.promise]), { millis }, () => undefined);
  if (early !== undefined && early.faults.length > 0) {
    await disposeReply(early.reply);
    return early;
  }
  const { visibility } = submitted;
  return {
    started: {
      prepared: { ok: true, visibility, run: async () => (await outcome).reply },
      follow(progress) {
        follower = progress;
        if (latest !== undefined) progress(latest);
      },
    },
  };
}
