import type { SlashCommand } from "@slack/bolt";

import { parseLine, QUESTION } from "../../../bot/grammar/grammar.ts";
import type { Ask } from "../../../reply/reply.ts";
import { fromMillis } from "../../../units/time.ts";
import type { SlackContext } from "../context.ts";
import { wantsForm } from "../render/form.ts";
import { logFailure } from "../transport/api-error.ts";
import { openForm } from "./form-handler.ts";
import { type Asker, callerOf, commandOf, invocationOf, isShared } from "./invocation.ts";
import type { RequestContext } from "./request-context.ts";
import { respond, respondAlone, respondWith } from "./respond.ts";
import { commandResponder, mentionResponder } from "./responders.ts";
import { resolveMention } from "./typed-mention.ts";

/** Answers `/bell …`, once acknowledged. Never rejects. */
export async function handleCommand(slack: SlackContext, payload: SlashCommand): Promise<void> {
  await logFailure(slack, payload.command, async () => {
    const response = { url: payload.response_url, since: slack.now(), used: 0 };
    const shared = isShared(payload.channel_id, payload.channel_name === "directmessage");
    const line = typedText(payload.text ?? "");
    const ask = parseTypedLine(slack, line);
    const workspace = slack.workspace ?? payload.team_id;
    const asker = { id: payload.user_id, name: payload.user_name, workspace };
    const request: RequestContext = {
      caller: await callerOf(slack, asker, ask?.command ?? QUESTION),
      workspace,
      channel: payload.channel_id,
      responder: commandResponder(slack, { address: response, user: payload.user_id, shared }),
    };
    const command = ask && commandOf(slack, ask);
    if (ask !== undefined && command !== undefined && wantsForm(command, ask)) {
      const metadata = { command: command.name, response, channel: payload.channel_id, shared };
      if (await openForm(slack, payload.trigger_id, ask, metadata, asker)) return;
    }
    await answerLine(slack, { ask, asker, line }, request);
  });
}

/** A typed line as an ask; undefined for a line that cannot be parsed, which the bot then explains. */
export function parseTypedLine(slack: SlackContext, line: string): Ask | undefined {
  try {
    return parseLine(line, slack.bot.commands, fromMillis(slack.now()), slack.bot.networks);
  } catch {
    return undefined;
  }
}

/** Answers a typed line, in which a user group may stand by its name; explains one that cannot be parsed. */
async function answerLine(
  slack: SlackContext,
  { ask, asker, line }: { readonly ask: Ask | undefined; readonly asker: Asker; readonly line: string },
  request: RequestContext,
): Promise<void> {
  if (ask === undefined) {
    // A line that is no command may be a question.
    const reply = await slack.bot.runLine(line, invocationOf(slack, { command: QUESTION, options: {} }, request));
    if (reply.alone !== undefined) return respondAlone(slack, reply.alone, request);
    const audience = request.openly === true ? "channel" : "caller";
    await respondWith(slack, reply, { command: "help", options: {} }, request, audience);
    return;
  }
  const resolved = await resolveMention(slack, ask, asker);
  if ("refusal" in resolved) await respondWith(slack, resolved.refusal, ask, request, "caller");
  else await respond(slack, resolved.ask, request);
}

/** The members of the event that are used: https://docs.slack.dev/reference/events/app_mention. */
interface Mention {
  readonly user?: string;
  readonly bot_id?: string;
  readonly text: string;
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  readonly team?: string;
}

/** Answers `@bellwether market list`, also in threads, where slash commands do not work. Never rejects. */
export async function handleMention(slack: SlackContext, event: Mention): Promise<void> {
  const { user, channel, ts: message, thread_ts: thread } = event;
  const team = slack.workspace ?? event.team;
  // Messages of other apps are ignored: two bots could answer each other for ever.
  if (user === undefined || event.bot_id !== undefined) return;
  await logFailure(slack, "mention", async () => {
    const line = textOfMention(event.text, slack.botUser());
    const ask = parseTypedLine(slack, line);
    const asker = { id: user, workspace: team };
    const request: RequestContext = {
      caller: await callerOf(slack, asker, ask?.command ?? QUESTION),
      workspace: team,
      channel,
      thread: thread ?? message,
      openly: true,
      responder: mentionResponder(slack, { channel, thread, message, user }),
    };
    await answerLine(slack, { ask, asker, line }, request);
  });
}

/** A person or a user group as an option's value, as in `mention:@ops`: its id counts there. */
const MENTION_VALUE = /(?<=(?:^|\s)(?:[a-z][a-z\d-]*:|--[a-z][a-z\d-]* ))<(?:@|!subteam\^)([A-Z0-9]+)(?:\|[^<>]*)?>/gu;

/**
 * The text as it was typed: with `should_escape`, Slack sends names, channels and addresses as
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
