import { formatLine } from "../../../bot/grammar/grammar.ts";
import { paragraph } from "../../../reply/block.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { code, strong, text } from "../../../reply/text.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { RESPONSE_URL_LIFETIME_MILLIS } from "../limits.ts";
import { renderText } from "../render/mrkdwn.ts";

// What the adapter itself has to say.

/** A button from another version, or one whose meaning is no longer kept. */
export function expiredNotice(command: string): Reply {
  return reply({
    tone: "warning",
    title: "This button is too old",
    blocks: [paragraph(text`Run it again: type ${code(command)} and what you want to know.`)],
    failure: "caller",
  });
}

/** A button whose meaning the store does not give just now. */
export function unreadableNotice(): Reply {
  return reply({
    tone: "bad",
    title: "What this button means cannot be read just now",
    blocks: [paragraph("Press it again in a minute; the operator finds the reason in the log.")],
    failure: "bug",
  });
}

/** Said while a question takes a while. */
export function workingNotice(ask: Ask, inPlace: boolean): Reply {
  return reply({
    title: text`Asking: ${formatLine(ask)}`,
    blocks: [
      paragraph(
        inPlace
          ? "The answer takes this message's place."
          : "The answer follows here; how far it is, your direct messages with the app tell meanwhile.",
      ),
    ],
  });
}

/**
 * What stands below everything that only tells how far something is, in mrkdwn: it stays when the bot is killed in the
 * middle, and must not promise anything then.
 */
export function progressFootnote(askedMillis: number, nowMillis: number, expires: boolean): string {
  const time = (millis: number): string =>
    renderText([{ kind: "time", at: fromMillis(millis), style: "absolute" }], { max: 200 }).mrkdwn;
  const later = `What takes longer than until ${time(askedMillis + RESPONSE_URL_LIFETIME_MILLIS)} comes as a direct message. `;
  return `As of ${time(nowMillis)}. ${expires ? later : ""}If the bot is restarted meanwhile, nothing comes: then ask again.`;
}

/** In mrkdwn, below what told for the last time where it stands how far something is. */
export const CONTINUES_IN_DIRECT_MESSAGES = "From here on, your direct messages with the app tell how far it is.";

/** Said to whoever waits while the bot stops. */
export function stoppingNotice(ask: Ask): Reply {
  return reply({
    tone: "warning",
    title: "The bot is being restarted",
    blocks: [paragraph(text`Your question was broken off: ${code(formatLine(ask))}. Ask again in a minute.`)],
    failure: "network",
  });
}

/** In mrkdwn: an answer that Slack may have taken already. */
export const POSSIBLE_DUPLICATE = "Slack did not say whether it took this answer before: you may see it twice.";

/** An answer that the platform refused to show: a fault of ours, with what can be done. */
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

/** What stands above an answer that had to become a direct message. */
export function lateAnswer(given: Reply, command: string, ask: Ask): Reply {
  return {
    ...given,
    blocks: [paragraph(text`${strong("Your answer")} to ${code(`${command} ${formatLine(ask)}`)}`), ...given.blocks],
  };
}

/** Sent once Slack is back, where it was away for longer than an answer is kept. */
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

/** A form could not be opened: Slack gives three seconds for that, from the press or the command on. */
export function formNotOpenedNotice(command: string, ask: Ask): Reply {
  return reply({
    tone: "warning",
    title: "The form could not be opened",
    blocks: [
      paragraph(
        text`Type the values instead: ${code(`${command} ${ask.command} …`)}. What they are, says ${code(`${command} help ${ask.command}`)}.`,
      ),
    ],
    failure: "caller",
  });
}

/** A channel is to be told something, and the bot is not in it. */
export function notInChannelNotice(botName: string): Reply {
  return reply({
    tone: "warning",
    title: "The bot is not in this channel",
    blocks: [
      paragraph(
        text`So nothing can be told here. Type ${code(`/invite @${botName}`)} in it, then do again what you have just done.`,
      ),
    ],
    failure: "caller",
  });
}

/** The answer to "Send as file" where everything fits after all. */
export function nothingLeftOutNotice(): Reply {
  return reply({
    title: "Nothing is left out any more",
    blocks: [paragraph("The answer now fits into a message: ask again to see it.")],
  });
}
