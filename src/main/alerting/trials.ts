import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { Worker } from "node:worker_threads";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import type { TrialAnswer, TrialRequest } from "../../alerts/trial/trial.ts";
import { codeOf, UserError } from "../../errors.ts";
import { type LooksPageQuery, pageReader } from "../../looks/read.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { TrialWork } from "../trial.ts";

/** What a thread is given. */
export interface ThreadWork {
  readonly request: TrialWork;
  /** In Unix milliseconds; its own beginning takes time, too. */
  readonly endsAt: Milliseconds;
}

/** What a thread says. */
export type Message =
  | { readonly query: LooksPageQuery }
  | { readonly answer: TrialAnswer }
  | { readonly failed: string };

/** What can be counted in this time is; the answer says of how long a time that was. */
const LIMIT: Milliseconds = 10_000;
/** A thread that does not end by itself. */
const GRACE: Milliseconds = 3000;
/** Threads at a time: each takes a core. */
const MAX_TRIALS = 4;

/** Tries rules on kept looks, each time in a thread of its own. */
export function createTrials(store: Pick<Store, "read">, config: Pick<AlertsConfig, "keep" | "flap">) {
  const running = new Set<string>();
  const readPage = pageReader(store);

  /**
   * `asker` names who asks, who may ask for one trial at a time.
   *
   * @throws UserError where too many run; the signal's reason.
   */
  return async (request: TrialRequest, asker: string, signal: AbortSignal): Promise<TrialAnswer> => {
    signal.throwIfAborted();
    if (running.has(asker)) {
      throw new UserError("Your last trial is still running.", { remedy: "Ask again in ten seconds." });
    }
    if (running.size >= MAX_TRIALS) {
      throw new UserError(`${MAX_TRIALS} trials are running already.`, { remedy: "Ask again in ten seconds." });
    }
    running.add(asker);
    try {
      const { keep, flap } = config;
      return await inThread(
        { request: { ...request, config: { keep, flap } }, endsAt: performance.timeOrigin + performance.now() + LIMIT },
        readPage,
        signal,
      );
    } finally {
      running.delete(asker);
    }
  };
}

/** To compile anew what the main thread has compiled takes half of the time that a thread needs to begin. */
export function threadEnv(): Readonly<Record<string, string>> {
  const cache = getCompileCacheDir();
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) };
}

/** A thread that needs more ends, and the bot goes on. */
const MAX_MEMORY_MB = 256;

async function inThread(
  work: ThreadWork,
  readPage: ReturnType<typeof pageReader>,
  signal: AbortSignal,
): Promise<TrialAnswer> {
  const worker = new Worker(new URL("./trial-thread.ts", import.meta.url), {
    workerData: work,
    env: threadEnv(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const ended = Promise.withResolvers<TrialAnswer>();
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(LIMIT + GRACE)]);
  const stop = (): void => ended.reject(signal.aborted ? (signal.reason as Error) : tooMuch("time", timeout.reason));
  timeout.addEventListener("abort", stop, { once: true });
  worker.on("message", (message: Message) => {
    if ("answer" in message) ended.resolve(message.answer);
    else if ("failed" in message) ended.reject(new Error(message.failed));
    else readPage(message.query).then((page) => worker.postMessage(page, []), ended.reject);
  });
  worker.on("error", (error) =>
    ended.reject(codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch("memory", error) : error),
  );
  worker.on("exit", () => ended.reject(new Error("the thread that tries rules has ended")));
  try {
    const answer = await ended.promise;
    if (answer.isCut === true && answer.seen === undefined) throw tooMuch("time");
    return answer;
  } finally {
    timeout.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

function tooMuch(what: "time" | "memory", cause?: unknown): UserError {
  return new UserError(`This trial needs too much ${what}.`, {
    remedy: "Ask for fewer days, or for fewer kinds.",
    cause,
  });
}
