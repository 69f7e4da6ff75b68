import { formatLine } from "../../../bot/grammar/grammar.ts";
import type { Block } from "../../../reply/block.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import { code, commandLine, text, toText } from "../../../reply/text.ts";
import { formatWholeDuration, type Milliseconds } from "../../../units/time.ts";
import { BUG, CALLERS, notice } from "../../chat/notices.ts";
import { discordPlatform } from "../platform.ts";

/** For a button from another version, or one whose press is no longer stored. */
export function expiredNotice(command: string | undefined): Reply {
  const again = command === undefined ? text`Run the command again.` : text`Run ${commandLine(command)} again.`;
  return notice("This button is too old", again, CALLERS);
}

/** For a form from another version, or one that stood open for too long: it says what was typed. */
export function expiredFormNotice(command: string | undefined, typed: Typed): Reply {
  const expired = expiredNotice(command);
  return {
    ...expired,
    title: toText("This form is too old, and nothing was done"),
    blocks: [...expired.blocks, ...typedBlock(typed)],
  };
}

/** For a form that could not be opened: the line says the same. */
export function formNotOpenedNotice(ask: Ask): Reply {
  return notice("The form could not be opened", text`Type it instead: ${commandLine(formatLine(ask))}.`, CALLERS);
}

/** For a question in a message that is not answered, since the same person has asked as many a moment ago. */
export function tooManyNotice(most: number, millis: Milliseconds): Reply {
  const words = `${most} in ${formatWholeDuration(millis)} are answered. Ask this one again in a moment.`;
  return notice("Too many questions at once", words, CALLERS);
}

/** What somebody sent in a form, by the names of its fields. */
type Typed = Readonly<Record<string, string>>;

function typedBlock(typed: Typed): Block[] {
  const filled = Object.entries(typed).filter(([, value]) => value !== "");
  if (filled.length === 0) return [];
  return [
    { kind: "list", title: text`You typed`, items: filled.map(([name, value]) => text`${name}: ${code(value)}`) },
  ];
}

export function confirmNotice(question: string): Reply {
  return notice(question, "Nothing happens unless you confirm.", { tone: "warning" });
}

/** For a shared reply that did not arrive, as far as is known. */
export function shareFailedNotice(): Reply {
  const words = "Ask again in this channel without private: then everybody sees the answer.";
  return notice("This could not be shared here", words, CALLERS);
}

/** For Share on an answer that is the asker's own business. */
export function notSharedNotice(command: string): Reply {
  const words = text`The answer to ${commandLine(command)} is about you alone; no button shows it to others.`;
  return notice("Nothing was shared", words, CALLERS);
}

/** For an interaction that could not be understood or answered. */
export function answerFailedNotice(typed: Typed = {}): Reply {
  const words = "The operator finds the reason in the log. Run the command again.";
  const failed = notice("This could not be answered", words, BUG);
  return { ...failed, blocks: [...failed.blocks, ...typedBlock(typed)] };
}

/** Shown when the answer will outlast the interaction's token; `reachable`: a direct message has just arrived. */
export function lateAnswerNotice(reachable: boolean): Reply {
  const title = "This takes longer than Discord keeps a reply open";
  if (reachable) {
    return notice(title, "The answer will come as a direct message. Nothing is lost; you may close this window.");
  }
  const words = `The answer would come as a direct message, and Discord took none to you just now. ${discordPlatform.directMessagesRemedy}; else ask again, for less.`;
  return notice(title, words, { tone: "warning" });
}

/** The direct message that shows that an answer can come as one. */
export function directMessageTestNotice(ask: Ask): Reply {
  const words = text`${commandLine(formatLine(ask))} takes long: its answer comes here if its reply has closed by then.`;
  return notice("An answer may come here", words);
}
