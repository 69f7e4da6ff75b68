import { formatLine } from "../../../bot/grammar/grammar.ts";
import { paragraph } from "../../../reply/block.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { commandLine, strong, text } from "../../../reply/text.ts";
import { discordPlatform } from "../platform.ts";

// The adapter's own texts.

/** For a button from another version, or one whose press is no longer stored. */
export function expiredNotice(command: string | undefined): Reply {
  const again = command === undefined ? text`Run the command again.` : text`Run ${commandLine(command)} again.`;
  return reply({ tone: "warning", title: "This button is too old", blocks: [paragraph(again)], failure: "caller" });
}

export function confirmNotice(question: string): Reply {
  return reply({ tone: "warning", title: question, blocks: [paragraph("Nothing happens unless you confirm.")] });
}

/** For an answer that Discord refused: a bug, with a remedy. */
export function refusedAnswerNotice(): Reply {
  return reply({
    tone: "bad",
    title: "The answer could not be shown here",
    blocks: [
      paragraph("Discord refused it; the operator finds the reason in the log. Ask for less at once, or try again."),
    ],
    failure: "bug",
  });
}

/** For a shared reply that did not arrive, as far as is known. */
export function shareFailedNotice(): Reply {
  return reply({
    tone: "warning",
    title: "This could not be shared here",
    blocks: [paragraph("Ask again in this channel without private: then everybody sees the answer.")],
    failure: "caller",
  });
}

/** For Share on an answer that is the asker's own business. */
export function notSharedNotice(command: string): Reply {
  return reply({
    tone: "warning",
    title: "Nothing was shared",
    blocks: [paragraph(text`The answer to ${commandLine(command)} is about you alone; no button shows it to others.`)],
    failure: "caller",
  });
}

/** For an interaction that could not be understood or answered. */
export function answerFailedNotice(): Reply {
  return reply({
    tone: "bad",
    title: "This could not be answered",
    blocks: [paragraph("The operator finds the reason in the log. Run the command again.")],
    failure: "bug",
  });
}

/** Shown when the answer will outlast the interaction's token; `reachable`: a direct message has just arrived. */
export function lateAnswerNotice(reachable: boolean): Reply {
  const title = "This takes longer than Discord keeps a reply open";
  if (reachable) {
    const promise = "The answer will come as a direct message. Nothing is lost; you may close this window.";
    return reply({ title, blocks: [paragraph(promise)] });
  }
  return reply({
    tone: "warning",
    title,
    blocks: [
      paragraph(
        `The answer would come as a direct message, and Discord took none to you just now. ${discordPlatform.directMessagesRemedy}; else ask again, for less.`,
      ),
    ],
  });
}

/** The direct message that shows that an answer can come as one. */
export function directMessageTestNotice(ask: Ask): Reply {
  return reply({
    title: "An answer may come here",
    blocks: [
      paragraph(
        text`${commandLine(formatLine(ask))} takes long: its answer comes here if its reply has closed by then.`,
      ),
    ],
  });
}

/** An answer as a direct message, below a line that names the command. */
export function asLateAnswer(given: Reply, ask: Ask): Reply {
  return {
    ...given,
    blocks: [paragraph(text`${strong("Your answer")} to ${commandLine(formatLine(ask))}`), ...given.blocks],
  };
}
