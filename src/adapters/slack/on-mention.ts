import { answerAsk } from "./answer-ask.ts";
import { callerOf } from "./caller.ts";
import type { Desk } from "./desk.ts";
import { guarded } from "./guarded.ts";
import { textOfMention } from "./input.ts";
import { MentionSurface } from "./mention-surface.ts";
import { answerUnread, readLine } from "./on-command.ts";
import type { Origin } from "./origin.ts";

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
export async function onMention(desk: Desk, event: Mention, botUserId: string | undefined): Promise<void> {
  const { user, channel, thread_ts: thread, team } = event;
  // Another app's messages are no questions: two bots could keep each other talking.
  if (user === undefined || event.bot_id !== undefined) return;
  await guarded(desk, "mention", async () => {
    const line = textOfMention(event.text, botUserId);
    const ask = readLine(desk, line);
    const origin: Origin = {
      caller: await callerOf(desk, { id: user, workspace: team }, ask?.command),
      workspace: team,
      channel,
      thread,
      surface: new MentionSurface(desk, { channel, thread, user }),
    };
    if (ask === undefined) return answerUnread(desk, line, origin);
    await answerAsk(desk, ask, origin);
  });
}
