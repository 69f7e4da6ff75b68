import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import type { z } from "zod";

import type { Bot } from "../../../bot/bot.ts";
import { parseLine } from "../../../bot/grammar/grammar.ts";
import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Nanoseconds } from "../../../units/nanoseconds.ts";
import type { AnswerAudience } from "../../adapter.ts";
import { refuse } from "../access/guard.ts";
import { createConcurrencyLimit, MAX_COMPLETING, MAX_RUNNING, PROGRESS_INTERVAL_MILLIS } from "../limits.ts";
import { render, type RenderDependencies } from "../render.ts";
import { CompletionRequest, CONSOLE_CONTEXT, Question, type QuestionTimeouts, runQuestion } from "./question.ts";

export interface InvocationDependencies extends RenderDependencies {
  readonly bot: () => Bot;
  readonly patience: QuestionTimeouts;
  readonly now: () => Nanoseconds;
  /** Fires when the adapter stops. */
  readonly stopping: AbortSignal;
}

/**
 * Asking and completing. Any answer of the bot has status 200, failures too: the request did what it should, and
 * `failure` in the reply says whose fault the failure is. Other statuses are about the request itself.
 * Paths are below /api.
 */
export function invocationRoutes(parts: InvocationDependencies): Hono {
  const app = new Hono();
  const running = createConcurrencyLimit(MAX_RUNNING);
  const completing = createConcurrencyLimit(MAX_COMPLETING);

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
    const gone = AbortSignal.any([c.req.raw.signal, parts.stopping]);
    if (wantsNdjson(c)) return streamed(c, question, { gone, previews, release });
    try {
      const answer = await runQuestion(parts.bot(), question, { gone, patience: parts.patience });
      if (c.req.raw.signal.aborted) {
        await disposeReply(answer);
        return c.body(null);
      }
      return c.json(render(answer, parts, previews ? audience(question, answer) : undefined));
    } finally {
      release();
    }
  });

  const audience = (question: Question, answer: Reply): AnswerAudience =>
    answerAudience(parts.bot(), question, answer, parts.now());

  /** One JSON object a line: `{"progress": Reply}` as often as there is news, at last `{"reply": Reply}`. */
  function streamed(
    c: Context,
    question: Question,
    context: { gone: AbortSignal; previews: boolean; release: () => void },
  ): Response {
    c.header("Content-Type", "application/x-ndjson; charset=utf-8");
    // Proxies that collect an answer before they pass it on would hold progress back.
    c.header("X-Accel-Buffering", "no");
    return stream(c, async (out) => {
      // The request's own signal fires when the client hangs up; the stream's when only its reading end is closed.
      const unread = new AbortController();
      out.onAbort(() => unread.abort());
      const gone = AbortSignal.any([context.gone, unread.signal]);
      const news = createProgressWriter(async (progress) => {
        await out.writeln(JSON.stringify({ progress: render(progress, parts) }));
      });
      try {
        const answer = await runQuestion(parts.bot(), question, {
          gone,
          patience: parts.patience,
          progress: news.tell,
        });
        // A client that reads slowly must not keep others waiting.
        context.release();
        await news.end();
        if (unread.signal.aborted || c.req.raw.signal.aborted) await disposeReply(answer);
        else {
          const previewed = context.previews ? audience(question, answer) : undefined;
          await out.writeln(JSON.stringify({ reply: render(answer, parts, previewed) }));
        }
      } catch (thrown) {
        parts.log.error({ err: thrown }, "an answer could not be sent");
      } finally {
        context.release();
      }
    });
  }

  app.post("/completions", async (c) => {
    const beginning = await readBody(c, CompletionRequest);
    if (beginning === undefined) return refuse(c, 400, 'Send {"text":"market sh"}; nothing else.');
    const release = completing.tryAcquire();
    if (release === undefined) return c.json({ lines: [] });
    try {
      const signal = AbortSignal.any([c.req.raw.signal, parts.stopping]);
      return c.json({ lines: await parts.bot().completeLine(beginning.text, { ...CONSOLE_CONTEXT, signal }) });
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

/** Thins progress out: the newest of each quarter of a second, one write at a time, none after `end`. */
function createProgressWriter(write: (reply: Reply) => Promise<void>): {
  tell: (reply: Reply) => void;
  end: () => Promise<void>;
} {
  let newest: Reply | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    // `end` takes what is left away.
    while (newest !== undefined) {
      const next = newest;
      newest = undefined;
      await write(next);
    }
    timer = undefined;
  };
  return {
    tell: (reply) => {
      if (newest !== undefined) void disposeReply(newest);
      if (ended) {
        void disposeReply(reply);
        return;
      }
      newest = reply;
      timer ??= setTimeout(() => {
        writing = flush();
      }, PROGRESS_INTERVAL_MILLIS);
    },
    end: async () => {
      ended = true;
      clearTimeout(timer);
      if (newest !== undefined) void disposeReply(newest);
      newest = undefined;
      await writing;
    },
  };
}

const ASKER_ONLY: AnswerAudience = { visibility: "caller", isDefault: true };

/** Who would see the answer in a channel where the same is asked; what failed is the asker's alone. */
function answerAudience(bot: Bot, question: Question, answer: Reply, now: Nanoseconds): AnswerAudience {
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
