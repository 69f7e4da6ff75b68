import type { Bot } from "../../bot/bot.ts";
import { parseLine } from "../../bot/grammar/grammar.ts";
import type { Ask, Reply } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import type { AnswerAudience } from "../adapter.ts";
import { CONSOLE_CONTEXT, type Question } from "./input.ts";

const ASKER_ONLY: AnswerAudience = { visibility: "caller", isDefault: true };

/** Who would see the answer in a channel where the same is asked; what failed is the asker's alone. */
export function answerAudience(bot: Bot, question: Question, answer: Reply, now: Nanoseconds): AnswerAudience {
  if (answer.failure !== undefined) return ASKER_ONLY;
  const ask = askOf(bot, question, now);
  if (ask === undefined) return ASKER_ONLY;
  const prepared = bot.prepare({ ...CONSOLE_CONTEXT, ...ask, signal: AbortSignal.abort() });
  if (!prepared.ok) return ASKER_ONLY;
  const settled = "private" in ask.options || bot.audience(ask.command, CONSOLE_CONTEXT.here) !== undefined;
  return { visibility: prepared.visibility, isDefault: !settled };
}

function askOf(bot: Bot, question: Question, now: Nanoseconds): Ask | undefined {
  if ("command" in question) return question;
  try {
    return parseLine(question.text, bot.commands, now);
  } catch {
    // What cannot be read has been answered by saying so.
    return undefined;
  }
}
