import { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import { cancelledReply } from "../../../bot/error-reply.ts";
import type { Fault, Invocation } from "../../../bot/invocation.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import { UserError } from "../../../errors.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import { disposeReply, type Reply } from "../../../reply/reply.ts";
import { ANSWER_WITHIN_MILLIS, MAX_FILE_BYTES, MAX_FILES_PER_REPLY } from "../limits.ts";

/** The asker's time zone, by its name in the tz database; `again`: an address asks, which may not change anything. */
const asker = { zone: z.string().max(100).exactOptional(), again: z.literal(true).exactOptional() };

/** The invocation of a button; `form`: its form, filled in. */
export const ButtonQuestion = z.strictObject({
  ...asker,
  form: z.literal(true).exactOptional(),
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

/** What is wrong in a form that was sent: nothing was done. */
export interface Refusal {
  readonly faults: readonly Fault[];
}

async function submit(bot: Bot, form: Invocation): Promise<Reply | Refusal> {
  const submitted = await bot.submit(form);
  if (!submitted.ok) return { faults: submitted.faults };
  const { faults, reply } = await submitted.run();
  return faults.length > 0 ? { faults } : reply;
}

/** Releases the files of an answer that nobody gets. */
export async function disposeAnswer(answer: Reply | Refusal): Promise<void> {
  if (!("faults" in answer)) await disposeReply(answer);
}

/**
 * Runs a question within its time limits: a command that goes on after its abort is abandoned, and its late answer
 * disposed of.
 */
export async function runQuestion(
  bot: Bot,
  { zone, again, ...question }: Question,
  context: { gone: AbortSignal; timeouts: QuestionTimeouts; progress?: (reply: Reply) => void },
): Promise<Reply | Refusal> {
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
  const ask = async (): Promise<Reply | Refusal> => {
    if ("text" in question) return bot.runLine(question.text, rest);
    const asked = { ...rest, ...question };
    return question.form === true ? submit(bot, asked) : bot.run(asked);
  };
  const answer = ask();
  return inTime(answer, { signal, graceMillis: timeouts.graceMillis }, () => {
    void answer.then(disposeAnswer);
    return cancelledReply(signal.reason);
  });
}
