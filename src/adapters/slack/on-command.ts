import type { SlashCommand } from "@slack/bolt";

import { parseLine } from "../../bot/grammar/grammar.ts";
import type { Ask } from "../../reply/reply.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { respond, respondWith } from "./answer-ask.ts";
import { callerOf } from "./caller.ts";
import { CommandResponder } from "./command-surface.ts";
import type { SlackContext } from "./desk.ts";
import { editableDirectMessage } from "./direct-message.ts";
import { missingOptions } from "./form.ts";
import { logFailure } from "./guarded.ts";
import { isShared, typedText } from "./input.ts";
import { openForm } from "./open-form.ts";
import type { RequestContext } from "./origin.ts";
import { commandOf, targetOf } from "./question.ts";
import { ResponseUrl } from "./response-url.ts";

/** Answers `/bell …`, which has been acknowledged. Never rejects. */
export async function handleCommand(desk: SlackContext, payload: SlashCommand): Promise<void> {
  await logFailure(desk, payload.command, async () => {
    const response = { url: payload.response_url, since: desk.now(), used: 0 };
    const shared = isShared(payload.channel_id, payload.channel_name === "directmessage");
    const url = new ResponseUrl(response, desk);
    const line = typedText(payload.text ?? "");
    const ask = parseTypedLine(desk, line);
    const asker = { id: payload.user_id, name: payload.user_name, workspace: payload.team_id };
    const origin: RequestContext = {
      caller: await callerOf(desk, asker, ask?.command),
      workspace: payload.team_id,
      channel: payload.channel_id,
      surface: new CommandResponder(url, { shared, note: editableDirectMessage(desk, payload.user_id) }),
    };
    if (ask === undefined) return respondToUnreadable(desk, line, origin);
    const command = commandOf(desk, ask);
    if (command !== undefined && missingOptions(command, ask).length > 0) {
      const place = { command: command.name, response, channel: payload.channel_id, shared };
      if (await openForm(desk, payload.trigger_id, ask, place, payload.team_id)) return;
    }
    await respond(desk, ask, origin);
  });
}

/** A typed line as a question; undefined where it cannot be read, which the bot then explains. */
export function parseTypedLine(desk: SlackContext, line: string): Ask | undefined {
  try {
    return parseLine(line, desk.bot.commands, fromMillis(desk.now()));
  } catch {
    return undefined;
  }
}

/** Says what is wrong with a line, and what would be right. */
export async function respondToUnreadable(desk: SlackContext, line: string, origin: RequestContext): Promise<void> {
  const { caller } = origin;
  const reply = await desk.bot.runLine(line, { here: targetOf(origin), caller, signal: desk.stopping });
  await respondWith(desk, reply, { command: "help", options: {} }, origin, "caller");
}
