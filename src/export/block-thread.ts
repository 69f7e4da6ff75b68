import type { Worker } from "node:worker_threads";

import { codeOf, messageOf, UserError } from "../errors.ts";
import { MalformedCsv } from "./csv-splitter.ts";

/** Bytes to take, or the end of them. */
type Request = { readonly memory: ArrayBuffer; readonly length: number } | "end";
/** The answers have the order of the requests. Each gives memory back; the last is the result. */
type Answer<Result> =
  | { readonly memory: ArrayBuffer; readonly rows?: number }
  | { readonly result: Result }
  | { readonly failed: SentFailure };

/** A MalformedCsv, a UserError or any other error as it is sent from one thread to the other. */
type SentFailure =
  | { readonly kind: "malformed"; readonly message: string }
  | { readonly kind: "user"; readonly message: string; readonly remedy: string; readonly option: string | undefined }
  | { readonly kind: "system"; readonly message: string; readonly code: string };

/**
 * A thread that takes blocks of bytes and makes a file of them, since on the main thread this would delay all other
 * answers.
 */
export class BlockThread<Result> {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<Answer<Result>>[] = [];
  #failure: Error | undefined;
  #rows = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#worker.on("message", (answer: Answer<Result>) => {
      const waiting = this.#waiting.shift();
      if ("failed" in answer) waiting?.reject(errorOf(answer.failed));
      else waiting?.resolve(answer);
    });
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that writes files has ended")));
  }

  /** The rows that the thread has counted so far. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Takes `length` bytes from the beginning of this memory, which is transferred to the thread and back. Rejects with
   * the thread's error: MalformedCsv, UserError, or an Error with the system's `code`.
   */
  async append(memory: ArrayBuffer, length: number): Promise<ArrayBuffer> {
    const answer = await this.#ask({ memory, length }, [memory]);
    if (!("memory" in answer)) throw new Error("the thread that writes files has lost its place");
    this.#rows = answer.rows ?? 0;
    return answer.memory;
  }

  /** The result of all bytes; nothing may follow. */
  async finish(): Promise<Result> {
    const answer = await this.#ask("end", []);
    if (!("result" in answer)) throw new Error("the thread that writes files has lost its place");
    return answer.result;
  }

  /** Ends the thread, also in the middle of its work. Its files may then be closed. Safe to call twice. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: Request, transfer: readonly ArrayBuffer[]): Promise<Answer<Result>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const waiting = Promise.withResolvers<Answer<Result>>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(request, transfer);
    return waiting.promise;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}

/** An error as a thread's answer holds it. */
export function failureToSend(thrown: unknown): SentFailure {
  const message = messageOf(thrown);
  if (thrown instanceof MalformedCsv) return { kind: "malformed", message };
  if (!(thrown instanceof UserError)) return { kind: "system", message, code: codeOf(thrown) };
  const { remedy = "Change what is asked for.", option } = thrown;
  return { kind: "user", message, remedy, option };
}

function errorOf(failed: SentFailure): Error {
  switch (failed.kind) {
    case "malformed":
      return new MalformedCsv(failed.message);
    case "user":
      return new UserError(failed.message, failed);
    case "system":
      return Object.assign(new Error(failed.message), { code: failed.code });
  }
}
