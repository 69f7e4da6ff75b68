import { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import { cancelledReply } from "../../../bot/error-reply.ts";
import type { Invocation } from "../../../bot/invocation.ts";
import { disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { MAX_FILE_BYTES, MAX_FILES_PER_REPLY } from "../limits.ts";

/** What POST /api/invocations takes: a typed line, or what a button holds. */
export const Question = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    command: z.string().max(100),
    options: z.record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()])).default({}),
  }),
]);
export type Question = z.infer<typeof Question>;

/** What POST /api/completions takes. */
export const CompletionRequest = z.strictObject({ text: z.string() });

/** Who asks and where the answer goes. Whoever reaches the console runs the bot, so everything is allowed. */
export const CONSOLE_CONTEXT: Pick<Invocation, "here" | "caller"> = {
  here: { platform: "web", files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES_PER_REPLY } },
  caller: { id: "console", name: "console", mayManageChannel: true },
};

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
