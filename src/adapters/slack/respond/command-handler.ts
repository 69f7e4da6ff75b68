import type { SlashCommand } from "@slack/bolt";

import { parseLine } from "../../../bot/grammar/grammar.ts";
import type { Ask } from "../../../reply/reply.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import type { SlackContext } from "../context.ts";
import { missingOptions } from "../render/form.ts";
import { logFailure } from "../transport/api-error.ts";
import { ResponseUrl } from "../transport/response-url.ts";
import { editableDirectMessage } from "./editable-message.ts";
import { openForm } from "./form-handler.ts";
import { callerOf, commandOf, targetOf } from "./invocation.ts";
import type { RequestContext } from "./request-context.ts";
import { respond, respondWith } from "./respond.ts";
import { CommandResponder, MentionResponder } from "./responders.ts";

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
function parseTypedLine(desk: SlackContext, line: string): Ask | undefined {
  try {
    return parseLine(line, desk.bot.commands, fromMillis(desk.now()));
  } catch {
    return undefined;
  }
}

/** Says what is wrong with a line, and what would be right. */
async function respondToUnreadable(desk: SlackContext, line: string, origin: RequestContext): Promise<void> {
  const { caller } = origin;
  const reply = await desk.bot.runLine(line, { here: targetOf(origin), caller, signal: desk.stopping });
  await respondWith(desk, reply, { command: "help", options: {} }, origin, "caller");
}

/** The parts of the event that answering takes: https://docs.slack.dev/reference/events/app_mention. */
interface Mention {
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

/** A person or a user group right behind an option's name, as in `mention:@ops`: its id is what counts there. */
const MENTION_VALUE = /(?<=(?:^|\s)(?:[a-z][a-z-]*:|--[a-z][a-z-]* ))<(?:@|!subteam\^)([A-Z0-9]+)(?:\|[^<>]*)?>/gu;

/**
 * What somebody typed, out of what Slack made of it: with `should_escape`, names, channels and addresses come as
 * `<@U1|ann>`, `<#C1|general>`, `<http://x.y|x.y>`, and three characters as entities
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export function typedText(given: string): string {
  return given
    .replaceAll(MENTION_VALUE, "$1")
    .replaceAll(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/gu, (_all, sign: string, target: string, label?: string) => {
      if (sign === "!" && label !== undefined) return label;
      const shown = label === undefined || label === "" ? target.replace(/^mailto:/u, "") : label;
      return sign === "@" || sign === "#" ? `${sign}${shown}` : `${sign === "!" ? "@" : ""}${shown}`;
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The same without the mention of the bot, which may stand anywhere; without its id, the first mention goes. */
export function textOfMention(given: string, botUserId: string | undefined): string {
  const mention =
    botUserId === undefined ? /<@[A-Z0-9]+(?:\|[^<>]*)?>/u : new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`, "u");
  return typedText(given.replace(mention, " "))
    .replace(/^[\s:,]+/u, "")
    .trim();
}

/** Whether others could see a message there: not in direct messages with the app. */
export function isShared(channel: string | undefined, directMessages: boolean): boolean {
  return channel !== undefined && !directMessages;
}
