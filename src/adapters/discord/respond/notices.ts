import { paragraph } from "../../../reply/block.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { code, strong, text } from "../../../reply/text.ts";
import { commandLine } from "../render/buttons.ts";

// What the adapter itself has to say.

/** A button from another version, or one whose meaning is no longer kept. */
export function expiredNotice(command: string | undefined): Reply {
  const again = command === undefined ? text`Run the command again.` : text`Run ${code(`/${command}`)} again.`;
  return reply({ tone: "warning", title: "This button is too old", blocks: [paragraph(again)], failure: "caller" });
}

export function confirmNotice(question: string): Reply {
  return reply({ tone: "warning", title: question, blocks: [paragraph("Nothing happens unless you confirm.")] });
}

/** An answer that the platform refused to show: a fault of ours, with what can be done. */
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

/** What was shared did not arrive, as far as is known. */
export function shareFailedNotice(): Reply {
  return reply({
    tone: "warning",
    title: "This could not be shared here",
    blocks: [paragraph("Ask again in this channel without private: then everybody sees the answer.")],
    failure: "caller",
  });
}

/** Something came from Discord that nobody here understands, or that broke on the way. */
export function answerFailedNotice(): Reply {
  return reply({
    tone: "bad",
    title: "This could not be answered",
    blocks: [paragraph("The operator finds the reason in the log. Run the command again.")],
    failure: "bug",
  });
}

/** Said when the answer will come too late for Discord's window. */
export function lateAnswerNotice(): Reply {
  return reply({
    title: "This takes longer than Discord keeps a reply open",
    blocks: [paragraph("The answer will come as a direct message. Nothing is lost; leave this window as you like.")],
  });
}

/** An answer that had to become a direct message, below a line that says to what. */
export function asLateAnswer(given: Reply, ask: Ask): Reply {
  return {
    ...given,
    blocks: [paragraph(text`${strong("Your answer")} to ${code(commandLine(ask))}`), ...given.blocks],
  };
}
