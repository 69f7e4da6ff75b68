import { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import { cancelledReply } from "../../../bot/error-reply.ts";
import type { Invocation } from "../../../bot/invocation.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import { UserError } from "../../../errors.ts";
import { inTime } from "../../../in-time.ts";
import { disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { ANSWER_WITHIN_MILLIS, MAX_FILE_BYTES, MAX_FILES_PER_REPLY } from "../limits.ts";

/** The asker's time zone, by its name in the tz database; `again`: an address asks, which may not change anything. */
const asker = { zone: z.string().max(100).exactOptional(), again: z.literal(true).exactOptional() };

/** The invocation of a button. */
export const ButtonQuestion = z.strictObject({
  ...asker,
  command: z.string().max(100),
  options: z.record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

/** The body of POST /api/invocations: a typed line, or the invocation of a button. */
export const Question = z.union([z.strictObject({ ...asker, text: z.string() }), ButtonQuestion]);
export type Question = z.infer<typeof Question>;
export type ButtonQuestion = z.infer<typeof ButtonQuestion>;

/** The body of POST /api/completions. */
export const CompletionRequest = z.strictObject({ text: z.string() });

/** The caller and the target of every question: everything is allowed to users of the console. */
export const CONSOLE_CONTEXT: Pick<Invocation, "here" | "caller"> = {
  here: {
    platform: "web",
    files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES_PER_REPLY },
    answerWithin: ANSWER_WITHIN_MILLIS,
  },
  caller: { id: "console", name: "console", mayManageChannel: true },
};

/** The time limits of a question. */
export interface QuestionTimeouts {
  readonly totalMillis: Milliseconds;
  readonly graceMillis: Milliseconds;
}

/** The console cannot open a file by its path: the page has a button that sends a file. */
function refuseTypedFile(typed: string): never {
  throw new UserError(`A page cannot open ${quoteTyped(typed)}.`, {
    option: "file",
    remedy: "Choose the file, or drop it anywhere on this page. Its SHA-256 does as well, as sha256:….",
  });
}

/**
 * Runs a question within its time limits: a command that goes on after its abort is abandoned, and its late answer
 * disposed of. Never rejects.
 */
export async function runQuestion(
  bot: Bot,
  { zone, again, ...question }: Question,
  context: { gone: AbortSignal; timeouts: QuestionTimeouts; progress?: (reply: Reply) => void },
): Promise<Reply> {
  const { gone, timeouts, progress } = context;
  const signal = AbortSignal.any([gone, AbortSignal.timeout(timeouts.totalMillis)]);
  const rest = {
    ...CONSOLE_CONTEXT,
    openFile: refuseTypedFile,
    signal,
    zone: () => Promise.resolve(zone),
    ...(again === undefined ? {} : { again }),
    ...(progress === undefined ? {} : { progress }),
  };
  const answer = "text" in question ? bot.runLine(question.text, rest) : bot.run({ ...rest, ...question });

  return inTime(answer, { signal, graceMillis: timeouts.graceMillis }, () => {
    void answer.then(disposeReply);
    return cancelledReply(signal.reason);
  });
}
