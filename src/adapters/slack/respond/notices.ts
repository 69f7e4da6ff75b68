import { formatLine } from "../../../bot/grammar/grammar.ts";
import { paragraph } from "../../../reply/block.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { code, commandLine, strong, text, time } from "../../../reply/text.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { RESPONSE_URL_LIFETIME_MILLIS } from "../limits.ts";
import { renderText } from "../render/mrkdwn.ts";

// The adapter's own messages.

/** A button from another version, or one whose press is no longer stored. */
export function expiredNotice(command: string): Reply {
  return reply({
    tone: "warning",
    title: "This button is too old",
    blocks: [paragraph(text`Run it again: type ${code(command)} and what you want to know.`)],
    failure: "caller",
  });
}

/** A button whose press the store cannot read just now. */
export function unreadableNotice(): Reply {
  return reply({
    tone: "bad",
    title: "What this button means cannot be read just now",
    blocks: [paragraph("Press it again in a minute; the operator finds the reason in the log.")],
    failure: "bug",
  });
}

/** Share on a reply that is not kept: too long, or of an earlier version. */
export function notSharedNotice(command: string): Reply {
  return reply({
    tone: "warning",
    title: "This answer is not kept, so it cannot be shared",
    blocks: [
      paragraph(text`Ask again and add ${code("private:no")}: type ${code(command)} and what you want to know.`),
    ],
    failure: "caller",
  });
}

/**
 * Shown while an answer takes a while. Slack may leave it where it is, beside the answer: it says only what stays true.
 * `elsewhere`: further progress is shown in direct messages.
 */
export function workingNotice(ask: Ask, network: string, elsewhere: boolean): Reply {
  const line = text`${commandLine(formatLine(ask))}`;
  return reply({
    title: text`Asking ${network} …`,
    blocks: [
      paragraph(
        elsewhere ? text`${line}. Your direct messages with the app show its progress, if the app may send any.` : line,
      ),
    ],
  });
}

/** Shown while the files of an answer are uploaded. */
export function uploadingNotice(names: readonly string[]): Reply {
  const [only = ""] = names;
  return reply({
    title: names.length === 1 ? text`Sending ${code(only)} to Slack …` : text`Sending ${names.length} files to Slack …`,
    blocks: [paragraph("Large files take a while.")],
  });
}

/**
 * A footnote of every progress message, in mrkdwn: the message remains if the bot is killed, so it must not promise
 * anything.
 */
export function progressFootnote(askedMillis: number, nowMillis: number, expires: boolean): string {
  const clock = (millis: number): string => renderText([time(fromMillis(millis))], { max: 200 }).mrkdwn;
  const later = `What takes longer than until ${clock(askedMillis + RESPONSE_URL_LIFETIME_MILLIS)} comes as a direct message, where the app may send one. `;
  return `As of ${clock(nowMillis)}. ${expires ? later : ""}If the bot is restarted meanwhile, nothing comes: then ask again.`;
}

/** In mrkdwn, below the last progress message at a response_url. */
export const CONTINUES_IN_DIRECT_MESSAGES =
  "From here on, your direct messages with the app tell how far it is, where it may send any.";

/** For a request that the bot's stop interrupts. */
export function stoppingNotice(ask: Ask): Reply {
  return reply({
    tone: "warning",
    title: "The bot is being restarted",
    blocks: [paragraph(text`Your question was broken off: ${commandLine(formatLine(ask))}. Ask again in a minute.`)],
    failure: "network",
  });
}

/** In mrkdwn, on an answer that Slack may have taken before. */
export const POSSIBLE_DUPLICATE = "Slack did not say whether it took this answer before: you may see it twice.";

/** For an answer that Slack refused: a bug, with a remedy. */
export function refusedAnswerNotice(): Reply {
  return reply({
    tone: "bad",
    title: "The answer could not be shown here",
    blocks: [
      paragraph("Slack refused it; the operator finds the reason in the log. Ask for less at once, or try again."),
    ],
    failure: "bug",
  });
}

/** An answer sent by direct message, below its question. */
export function lateAnswer(given: Reply, command: string, ask: Ask): Reply {
  return {
    ...given,
    blocks: [paragraph(text`${strong("Your answer")} to ${code(`${command} ${formatLine(ask)}`)}`), ...given.blocks],
  };
}

/** Sent once Slack is available again, after the retries of an answer were exhausted. */
export function lostAnswerNotice(command: string, ask: Ask): Reply {
  return reply({
    tone: "warning",
    title: "An answer to you was lost",
    blocks: [
      paragraph(
        text`Slack took no messages when ${code(`${command} ${formatLine(ask)}`)} was answered, nor for long after. Ask again.`,
      ),
    ],
    failure: "network",
  });
}

/** A form could not be opened: Slack allows three seconds for that, from the press or the command on. */
export function formNotOpenedNotice(command: string, ask: Ask): Reply {
  return reply({
    tone: "warning",
    title: "The form could not be opened",
    blocks: [
      paragraph(
        text`Type the values instead: ${code(`${command} ${ask.command} …`)}. ${code(`${command} help ${ask.command}`)} explains them.`,
      ),
    ],
    failure: "caller",
  });
}

/** A channel is subscribed, and the bot is not in it. */
export function notInChannelNotice(botName: string): Reply {
  return reply({
    tone: "warning",
    title: "The bot is not in this channel",
    blocks: [paragraph(text`Type ${code(`/invite @${botName}`)} in it, then try again.`)],
    failure: "caller",
  });
}

/** The answer to "Send as file" where everything fits by now. */
export function fitsByNowNotice(): Reply {
  return reply({
    title: "Nothing is left out any more",
    blocks: [paragraph("The answer now fits into a message: ask again to see it.")],
  });
}
