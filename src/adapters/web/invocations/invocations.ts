// Commands as JSON over HTTP: POST /invocations and /completions, answered at once or as a stream of lines with progress.
// The console serves them below /api, the socket for `ask` as they are. Read next: question.ts (the console's request,
// and how it is run within time limits), ../socket.ts.

import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import type { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import type { LineCompletion } from "../../../bot/grammar/complete-line.ts";
import { parseLine } from "../../../bot/grammar/grammar.ts";
import type { Log } from "../../../log.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { Milliseconds, Nanoseconds } from "../../../units/time.ts";
import type { AnswerAudience } from "../../adapter.ts";
import { Progress } from "../../progress.ts";
import { refuse } from "../access/guard.ts";
import { createConcurrencyLimit, MAX_COMPLETING, MAX_RUNNING, PROGRESS_INTERVAL_MILLIS } from "../limits.ts";
import { type Answer, render, type RenderDependencies } from "../render.ts";
import {
  CompletionRequest,
  CONSOLE_CONTEXT,
  disposeAnswer,
  Question,
  type QuestionTimeouts,
  type Refusal,
  runQuestion,
} from "./question.ts";

export interface InvocationDependencies extends RenderDependencies {
  readonly bot: Bot;
  readonly timeouts: QuestionTimeouts;
  readonly now: () => Nanoseconds;
  /** Fires when the adapter stops. */
  readonly stopping: AbortSignal;
}

/** Who answers the questions of a server, and how. */
export interface Answering<Q> {
  readonly question: z.ZodType<Q>;
  /** Examples of the body of a question. */
  readonly usage: string;
  /** `signal` fires when nobody waits for the answer any more. */
  run(question: Q, how: { signal: AbortSignal; progress?: (reply: Reply) => void }): Promise<Reply | Refusal>;
  complete(text: string, signal: AbortSignal): Promise<readonly LineCompletion[]>;
  /** Takes over the files of the reply. `previewed`: the question, where the answer comes with previews. */
  render(reply: Reply, previewed?: Q): Answer;
  /** How often a stream has a line `{"alive":true}`; left out = never. */
  readonly aliveMillis?: Milliseconds;
  readonly log: Log;
  /** Fires when the server stops. */
  readonly stopping: AbortSignal;
}

/** Questions to the console, with the previews of other platforms. */
export function consoleAnswering(dependencies: InvocationDependencies): Answering<Question> {
  const { bot, timeouts, now, log, stopping } = dependencies;
  return {
    question: Question,
    usage: '{"text":"market list"}, or {"command":"market show","options":{"market":"BTC/USDT"}}',
    run: (question, { signal: gone, ...how }) => runQuestion(bot, question, { ...how, gone, timeouts }),
    complete: (text, signal) => bot.completions(text, { ...CONSOLE_CONTEXT, signal }),
    render: (answer, previewed) =>
      render(answer, dependencies, previewed && answerAudience(bot, previewed, answer, now())),
    log,
    stopping,
  };
}

/**
 * Runs and completes commands. Any answer of the bot has status 200, failures too: `failure` in the reply says who can
 * act on it. Other statuses are about the request itself.
 */
export function invocationRoutes<Q>(answering: Answering<Q>): Hono {
  const app = new Hono();
  const takeRunningSlot = createConcurrencyLimit(MAX_RUNNING);
  const takeCompletingSlot = createConcurrencyLimit(MAX_COMPLETING);

  app.post("/invocations", async (c) => {
    const question = await readBody(c, answering.question);
    if (question === undefined) return refuse(c, 400, `Send ${answering.usage}; nothing else.`);
    const release = takeRunningSlot();
    if (release === undefined) {
      return refuse(c, 503, `${MAX_RUNNING} questions are being answered already: try again in a moment.`, 5);
    }
    const previewed = c.req.query("previews") === "1" ? question : undefined;
    const gone = AbortSignal.any([c.req.raw.signal, answering.stopping]);
    if (wantsNdjson(c)) return streamed(c, question, { gone, previewed, release });
    try {
      const answer = await answering.run(question, { signal: gone });
      if (c.req.raw.signal.aborted) {
        await disposeAnswer(answer);
        return c.body(null);
      }
      return c.json("faults" in answer ? answer : answering.render(answer, previewed));
    } finally {
      release();
    }
  });

  /**
   * One JSON object a line: `{"progress": Reply}` for each step, if there are steps, then `{"reply": Reply}`; a second one
   * is what the first has become. Of a form that has faults, `{"faults": [Fault]}`.
   */
  function streamed(
    c: Context,
    question: Q,
    context: { gone: AbortSignal; previewed: Q | undefined; release: () => void },
  ): Response {
    c.header("Content-Type", "application/x-ndjson; charset=utf-8");
    // Buffering proxies would hold progress back.
    c.header("X-Accel-Buffering", "no");
    return stream(c, async (out) => {
      // The request's signal fires when the client disconnects; the stream's also when it stops reading.
      const unread = new AbortController();
      out.onAbort(() => unread.abort());
      const gone = AbortSignal.any([context.gone, unread.signal]);
      const alive =
        answering.aliveMillis && setInterval(() => void out.writeln('{"alive":true}'), answering.aliveMillis);
      const progress = new Progress(
        () => PROGRESS_INTERVAL_MILLIS,
        async (latest) => {
          await out.writeln(JSON.stringify({ progress: answering.render(latest) }));
          return true;
        },
      );
      try {
        const answer = await answering.run(question, { signal: gone, progress: (latest) => progress.update(latest) });
        // A slow reader must not occupy a slot of the running questions.
        context.release();
        await progress.stop();
        if (unread.signal.aborted || c.req.raw.signal.aborted) await disposeAnswer(answer);
        else if ("faults" in answer) await out.writeln(JSON.stringify(answer));
        else await out.writeln(JSON.stringify({ reply: answering.render(answer, context.previewed) }));
        const amendment = "faults" in answer ? undefined : await answer.later?.(gone);
        if (amendment !== undefined && !gone.aborted)
          await out.writeln(JSON.stringify({ reply: answering.render(amendment, context.previewed) }));
      } catch (thrown) {
        answering.log.error({ err: thrown }, "answer failed");
      } finally {
        clearInterval(alive);
        context.release();
      }
    });
  }

  app.post("/completions", async (c) => {
    const beginning = await readBody(c, CompletionRequest);
    if (beginning === undefined) return refuse(c, 400, 'Send {"text":"market sh"}; nothing else.');
    const release = takeCompletingSlot();
    if (release === undefined) return c.json({ lines: [], labels: [] });
    try {
      const signal = AbortSignal.any([c.req.raw.signal, answering.stopping]);
      const offered = await answering.complete(beginning.text, signal);
      return c.json({
        lines: offered.map(({ line }) => line),
        labels: offered.map(({ label }) => label ?? null),
      });
    } finally {
      release();
    }
  });

  return app;
}

/** The body of a request as JSON; undefined for anything else. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.safeParse(JSON.parse(await c.req.text())).data;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function wantsNdjson(c: Context): boolean {
  return /\bapplication\/x-ndjson\b/iu.test(c.req.header("accept") ?? "");
}

const ASKER_ONLY: AnswerAudience = { visibility: "caller", isDefault: true };

/** The audience of the same question in a channel; a failure is for the asker only. */
function answerAudience(bot: Bot, question: Question, answer: Reply, now: Nanoseconds): AnswerAudience {
  if (answer.failure !== undefined) return ASKER_ONLY;
  const ask = askOf(bot, question, now);
  if (ask === undefined) return ASKER_ONLY;
  const prepared = bot.prepare({ ...CONSOLE_CONTEXT, ...ask, signal: AbortSignal.abort() });
  if (!prepared.ok) return ASKER_ONLY;
  const isChosen = "private" in ask.options || bot.audience(ask.command, CONSOLE_CONTEXT.here) !== undefined;
  const { refresh, share } = bot.commonButtons(ask.command);
  const again = refresh ? { ask: { command: ask.command, options: ask.options } } : {};
  return { visibility: prepared.visibility, isDefault: !isChosen, ...(share ? {} : { personal: true }), ...again };
}

function askOf(bot: Bot, question: Question, now: Nanoseconds): Ask | undefined {
  if ("command" in question) return { command: question.command, options: question.options };
  try {
    return parseLine(question.text, bot.commands, now, bot.networks);
  } catch {
    // A line that cannot be parsed has been answered with its mistake.
    return undefined;
  }
}
