import type { Bot } from "../../bot/bot.ts";
import { cancelledReply } from "../../bot/error-reply.ts";
import { disposeReply, type Reply } from "../../reply/reply.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { CONSOLE_CONTEXT, type Question } from "./input.ts";

/** What a question may take. */
export interface QuestionTimeouts {
  readonly wholeMillis: Milliseconds;
  /** What a command gets to stop in once it has been told to. */
  readonly graceMillis: Milliseconds;
}

/**
 * Asks the bot, and never waits longer than `patience` allows: a command that goes on after its signal fired is left
 * behind, and what it answers later is disposed of. Never rejects.
 */
export async function runQuestion(
  bot: Bot,
  question: Question,
  context: { gone: AbortSignal; patience: QuestionTimeouts; progress?: (reply: Reply) => void },
): Promise<Reply> {
  const { gone, patience, progress } = context;
  const signal = AbortSignal.any([gone, AbortSignal.timeout(patience.wholeMillis)]);
  const rest = { ...CONSOLE_CONTEXT, signal, ...(progress === undefined ? {} : { progress }) };
  const answer = "text" in question ? bot.runLine(question.text, rest) : bot.run({ ...rest, ...question });

  const { promise: givenUp, resolve } = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const stopped = (): void => {
    timer = setTimeout(() => resolve(undefined), patience.graceMillis);
  };
  if (signal.aborted) stopped();
  else signal.addEventListener("abort", stopped, { once: true });
  try {
    const first = await Promise.race([answer, givenUp]);
    if (first !== undefined) return first;
    void answer.then(disposeReply);
    return cancelledReply(signal.reason);
  } finally {
    signal.removeEventListener("abort", stopped);
    clearTimeout(timer);
  }
}
