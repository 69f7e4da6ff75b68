import { respond } from "./answer-ask.ts";
import { callerOf } from "./caller.ts";
import type { SlackContext } from "./desk.ts";
import { logFailure } from "./guarded.ts";
import { textOfMention } from "./input.ts";
import { MentionResponder } from "./mention-surface.ts";
import { respondToUnreadable, parseTypedLine } from "./on-command.ts";
import type { RequestContext } from "./origin.ts";

/** The parts of the event that answering takes: https://docs.slack.dev/reference/events/app_mention. */
export interface Mention {
  readonly user?: string;
  readonly bot_id?: string;
  readonly text: string;
  readonly channel: string;
  readonly thread_ts?: string;
  readonly team?: string;
}

/** Answers `@bellwether market list`, in threads, too, where slash commands do not work. Never rejects. */
export async function handleMention(desk: SlackContext, event: Mention, botUserId: string | undefined): Promise<void> {
  const { user, channel, thread_ts: thread, team } = event;
  // Another app's messages are no questions: two bots could keep each other talking.
  if (user === undefined || event.bot_id !== undefined) return;
  await logFailure(desk, "mention", async () => {
    const line = textOfMention(event.text, botUserId);
    const ask = parseTypedLine(desk, line);
    const origin: RequestContext = {
      caller: await callerOf(desk, { id: user, workspace: team }, ask?.command),
      workspace: team,
      channel,
      thread,
      surface: new MentionResponder(desk, { channel, thread, user }),
    };
    if (ask === undefined) return respondToUnreadable(desk, line, origin);
    await respond(desk, ask, origin);
  });
}
