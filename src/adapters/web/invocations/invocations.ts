// Commands from the page: POST /api/invocations and /api/completions, as JSON or as a stream of lines with progress.
// Read next: question.ts (the request's schema, and how it is run within time limits).

import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import type { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import { parseLine } from "../../../bot/grammar/grammar.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Nanoseconds } from "../../../units/nanoseconds.ts";
import type { AnswerAudience } from "../../adapter.ts";
import { Progress } from "../../progress.ts";
import { refuse } from "../access/guard.ts";
import { createConcurrencyLimit, MAX_COMPLETING, MAX_RUNNING, PROGRESS_INTERVAL_MILLIS } from "../limits.ts";
import { render, type RenderDependencies } from "../render.ts";
import { CompletionRequest, CONSOLE_CONTEXT, Question, type QuestionTimeouts, runQuestion } from "./question.ts";

export interface InvocationDependencies extends RenderDependencies {
  readonly bot: () => Bot;
  readonly timeouts: QuestionTimeouts;
  readonly now: () => Nanoseconds;
  /** Fires when the adapter stops. */
  readonly stopping: AbortSignal;
}

/**
 * Runs and completes commands. Any answer of the bot has status 200, failures too: `failure` in the reply says who can
 * act on it. Other statuses are about the request itself.
 * Paths are below /api.
 */
export function invocationRoutes(dependencies: InvocationDependencies): Hono {
  const app = new Hono();
  const running = createConcurrencyLimit(MAX_RUNNING);
  const completing = createConcurrencyLimit(MAX_COMPLETING);

  const audience = (question: Question, answer: Reply): AnswerAudience =>
    answerAudience(dependencies.bot(), question, answer, dependencies.now());

  app.post("/invocations", async (c) => {
    const question = await readBody(c, Question);
    if (question === undefined) {
      return refuse(
        c,
        400,
        'Send {"text":"market list"}, or {"command":"market show","options":{"market":"BTC/USDT"}}; nothing else.',
      );
    }
    const release = running.tryAcquire();
    if (release === undefined) {
      c.header("Retry-After", "5");
      return refuse(c, 503, `${MAX_RUNNING} questions are being answered already: try again in a moment.`);
    }
    const previews = c.req.query("previews") === "1";
    const gone = AbortSignal.any([c.req.raw.signal, dependencies.stopping]);
    if (wantsNdjson(c)) return streamed(c, question, { gone, previews, release });
    try {
      const answer = await runQuestion(dependencies.bot(), question, { gone, timeouts: dependencies.timeouts });
      if (c.req.raw.signal.aborted) {
        await disposeReply(answer);
        return c.body(null);
      }
      return c.json(render(answer, dependencies, previews ? audience(question, answer) : undefined));
    } finally {
      release();
    }
  });

  /** One JSON object a line: `{"progress": Reply}` for each step, if there are steps, then `{"reply": Reply}`. */
  function streamed(
    c: Context,
    question: Question,
    context: { gone: AbortSignal; previews: boolean; release: () => void },
  ): Response {
    c.header("Content-Type", "application/x-ndjson; charset=utf-8");
    // Buffering proxies would hold progress back.
    c.header("X-Accel-Buffering", "no");
    return stream(c, async (out) => {
      // The request's signal fires when the client disconnects; the stream's also when it stops reading.
      const unread = new AbortController();
      out.onAbort(() => unread.abort());
      const gone = AbortSignal.any([context.gone, unread.signal]);
      const progress = new Progress(
        () => PROGRESS_INTERVAL_MILLIS,
        async (latest) => {
          await out.writeln(JSON.stringify({ progress: render(latest, dependencies) }));
          return true;
        },
      );
      try {
        const answer = await runQuestion(dependencies.bot(), question, {
          gone,
          timeouts: dependencies.timeouts,
          progress: (latest) => progress.update(latest),
        });
        // A slow reader must not occupy a slot of the running questions.
        context.release();
        await progress.stop();
        if (unread.signal.aborted || c.req.raw.signal.aborted) await disposeReply(answer);
        else {
          const previewed = context.previews ? audience(question, answer) : undefined;
          await out.writeln(JSON.stringify({ reply: render(answer, dependencies, previewed) }));
        }
      } catch (thrown) {
        dependencies.log.error({ err: thrown }, "answer failed");
      } finally {
        context.release();
      }
    });
  }

  app.post("/completions", async (c) => {
    const beginning = await readBody(c, CompletionRequest);
    if (beginning === undefined) return refuse(c, 400, 'Send {"text":"market sh"}; nothing else.');
    const release = completing.tryAcquire();
    if (release === undefined) return c.json({ lines: [], labels: [] });
    try {
      const signal = AbortSignal.any([c.req.raw.signal, dependencies.stopping]);
      const offered = await dependencies.bot().completions(beginning.text, { ...CONSOLE_CONTEXT, signal });
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

async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> {
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
  if ("command" in question) return question;
  try {
    return parseLine(question.text, bot.commands, now);
  } catch {
    // A line that cannot be parsed has been answered with its mistake.
    return undefined;
  }
}
