import { paragraph } from "../../reply/block.ts";
import { fullText } from "../../reply/full-text.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { commandLine, type Inline, strong, text, type TextPart } from "../../reply/text.ts";

/** A message of an adapter's own: a title and one paragraph. */
export function notice(title: TextPart, words: TextPart, more: Partial<Pick<Reply, "tone" | "failure">> = {}): Reply {
  return reply({ title, blocks: [paragraph(words)], ...more });
}

/** For a mistake that only the caller can change. */
export const CALLERS = { tone: "warning", failure: "caller" } as const;
/** For a failure that the operator finds in the log. */
export const BUG = { tone: "bad", failure: "bug" } as const;

/** What takes the place of an answer that the platform refused, one after the other: its text and files, then less. */
export function refusedAnswerNotices(platform: string, given: Reply): readonly Reply[] {
  const bare = refusedAnswerNotice(platform);
  const parts = fullText(given).split("\n\n");
  const blocks = [...bare.blocks, ...parts.map((part) => paragraph(part))];
  return [{ ...bare, blocks, attachments: given.attachments }, bare];
}

/** For an answer that the platform refused: a bug, with a remedy. */
export function refusedAnswerNotice(platform: string): Reply {
  const words = `${platform} refused it; the operator finds the reason in the log. Ask for less at once, or try again.`;
  return notice("The answer could not be shown here", words, BUG);
}

/** An answer as a direct message, below a line that names its question. */
export function lateAnswer(given: Reply, question: Inline): Reply {
  return { ...given, blocks: [paragraph(text`${strong("Your answer")} to ${question}`), ...given.blocks] };
}

/** Closes an answer that a process left open when it died. `shownBy` shows what the command changes, if it does. */
export function restartedNotice(question: Inline, shownBy: string | undefined, isUncertain: boolean): Reply {
  const title =
    shownBy === undefined
      ? `Bellwether restarted. ${isUncertain ? "If the answer is missing, ask" : "Ask"} again`
      : text`Bellwether restarted. It may have been done; look with ${commandLine(shownBy)}`;
  return notice(title, text`This was broken off: ${question}.`, { tone: "warning", failure: "network" });
}
