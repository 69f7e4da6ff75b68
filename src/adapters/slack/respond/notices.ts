import { formatLine } from "../../../bot/grammar/grammar.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import { code, commandLine, text, time } from "../../../reply/text.ts";
import { fromMillis } from "../../../units/time.ts";
import { BUG, CALLERS, notice } from "../../chat/notices.ts";
import { readPress, type ReadPress } from "../../chat/press.ts";
import type { SlackContext } from "../context.ts";
import { RESPONSE_URL_LIFETIME_MILLIS } from "../limits.ts";
import { renderText } from "../render/mrkdwn.ts";
import { decodePress } from "../render/press.ts";

/** A button from another version, or one whose press is no longer stored. */
export function expiredNotice(command: string): Reply {
  const again = text`Run it again: type ${code(command)} and what you want to know.`;
  return notice("This button is too old", again, CALLERS);
}

/** A button whose press the store cannot read just now. */
export function unreadableNotice(): Reply {
  const words = "Press it again in a minute; the operator finds the reason in the log.";
  return notice("What this button means cannot be read just now", words, BUG);
}

/** Share on a reply that is too long to keep. */
export function notSharedNotice(command: string): Reply {
  const words = text`Ask again and add ${code("private:no")}: type ${code(command)} and what you want to know.`;
  return notice("This answer is not kept, so it cannot be shared", words, CALLERS);
}

/**
 * Shown while an answer takes a while. Slack may leave it beside the answer, so it says only what stays true.
 * `elsewhere`: further progress is shown in direct messages.
 */
export function workingNotice(ask: Ask, network: string, elsewhere: boolean): Reply {
  const line = text`${commandLine(formatLine(ask))}`;
  const words = text`${line}. Your direct messages with the app show its progress, if the app may send any.`;
  return notice(text`Asking ${network} …`, elsewhere ? words : line);
}

/** Shown while the files of an answer are uploaded. */
export function uploadingNotice(names: readonly string[]): Reply {
  const [only = ""] = names;
  const title =
    names.length === 1 ? text`Sending ${code(only)} to Slack …` : text`Sending ${names.length} files to Slack …`;
  return notice(title, "Large files take a while.");
}

/**
 * A footnote of every progress message, in mrkdwn: the message may remain if the bot is killed, so it must not promise
 * anything.
 */
export function progressFootnote(askedMillis: number, nowMillis: number, expires: boolean): string {
  const clock = (millis: number): string => renderText([time(fromMillis(millis))], { max: 200 }).mrkdwn;
  const later = `What takes longer than until ${clock(askedMillis + RESPONSE_URL_LIFETIME_MILLIS)} comes as a direct message, where the app may send one. `;
  return `As of ${clock(nowMillis)}. ${expires ? later : ""}If the bot is restarted meanwhile, ask again.`;
}

/** In mrkdwn, below the last progress message at a response_url. */
export const CONTINUES_IN_DIRECT_MESSAGES =
  "From here on, your direct messages with the app tell how far it is, where it may send any.";

/** For a request that the bot's stop interrupts. */
export function stoppingNotice(ask: Ask): Reply {
  const words = text`Your question was broken off: ${commandLine(formatLine(ask))}. Ask again in a minute.`;
  return notice("The bot is being restarted", words, { tone: "warning", failure: "network" });
}

/** In mrkdwn, on an answer that Slack may have taken before. */
export const POSSIBLE_DUPLICATE = "Slack did not say whether it took this answer before: you may see it twice.";

/** In mrkdwn, beside files that did not arrive. `shownBy` shows what the command changes, if it does. */
export function missingLine(command: string, ask: Ask, shownBy = formatLine(ask)): string {
  return renderText(text`${code(`${command} ${shownBy}`)} shows what is missing.`, { max: 1000 }).mrkdwn;
}

/** Sent once Slack is available again, after the retries of an answer were exhausted. */
export function lostAnswerNotice(command: string, ask: Ask): Reply {
  const line = code(`${command} ${formatLine(ask)}`);
  const words = text`Slack took no messages when ${line} was answered, nor for long after. Ask again.`;
  return notice("An answer to you was lost", words, { tone: "warning", failure: "network" });
}

/** A form could not be opened: Slack allows three seconds for that, from the press or the command on. */
export function formNotOpenedNotice(command: string, ask: Ask): Reply {
  const line = code(`${command} ${ask.command} …`);
  const help = code(`${command} help ${ask.command}`);
  return notice(
    "The form could not be opened",
    text`Type the values instead: ${line}. ${help} explains them.`,
    CALLERS,
  );
}

/** A channel is subscribed, and the bot is not in it. */
export function notInChannelNotice(botName: string): Reply {
  const words = text`Type ${code(`/invite @${botName}`)} in it, then try again.`;
  return notice("The bot is not in this channel", words, CALLERS);
}

/** The answer to "Send as file" where everything fits by now. */
export function fitsByNowNotice(): Reply {
  return notice("Nothing is left out any more", "The answer now fits into a message: ask again to see it.");
}

/** The press of a button, or a notice where it cannot be read. */
export async function readValue(slack: SlackContext, value: string | undefined): Promise<ReadPress | Reply> {
  try {
    return (await readPress(slack.payloads, decodePress(value))) ?? expiredNotice(slack.command);
  } catch (error) {
    slack.log.error({ platform: "slack", err: error }, "button unreadable");
    return unreadableNotice();
  }
}
