import type { Worker } from "node:worker_threads";

import { codeOf, messageOf, UserError } from "../errors.ts";
import { MalformedCsv } from "./csv-splitter.ts";

/** Bytes to take; or the end. */
type Request = { readonly memory: ArrayBuffer; readonly length: number } | "end";
/** Requests are answered in their order, and give their memory back; the last answer is the result. */
type Answer<Result> =
  | { readonly memory: ArrayBuffer; readonly rows?: number }
  | { readonly result: Result }
  | { readonly failed: SentFailure };

/** An error as it crosses from one thread to the other. */
interface SentFailure {
  readonly kind: "malformed" | "user" | "system";
  readonly message: string;
  readonly code?: string;
  readonly remedy?: string;
  readonly option?: string;
}

interface Waiting<Result> {
  readonly resolve: (answer: Answer<Result>) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * A thread that takes blocks of bytes and makes a file of them, since on the main thread that would hold up all other
 * answers.
 */
export class BlockThread<Result> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Result>[] = [];
  #failure: Error | undefined;
  #rows = 0;

  /** A new thread, whose messages are those above. */
  constructor(worker: Worker) {
    this.#worker = worker;
    this.#worker.on("message", (answer: Answer<Result>) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that writes files has ended")));
  }

  /** Rows that the thread has taken so far; 0 where it counts none. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Takes `length` bytes from the beginning of this memory, which is transferred to the thread and back. Rejects with
   * what the thread threw: MalformedCsv, UserError, or an Error with the system's `code`.
   */
  async append(memory: ArrayBuffer, length: number): Promise<ArrayBuffer> {
    const answer = await this.#ask({ memory, length }, [memory]);
    if ("failed" in answer) throw failureOf(answer.failed);
    if (!("memory" in answer)) throw new Error("the thread that writes files has lost its place");
    this.#rows = answer.rows ?? 0;
    return answer.memory;
  }

  /** The result of all bytes; nothing may follow. */
  async finish(): Promise<Result> {
    const answer = await this.#ask("end", []);
    if ("failed" in answer) throw failureOf(answer.failed);
    if (!("result" in answer)) throw new Error("the thread that writes files has lost its place");
    return answer.result;
  }

  /** Ends the thread, in the middle of its work too; its files may then be closed. Safe to call twice. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: Request, transfer: readonly ArrayBuffer[]): Promise<Answer<Result>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request, transfer);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}

/** For a thread's answer. */
export function failureToSend(thrown: unknown): SentFailure {
  const message = messageOf(thrown);
  if (thrown instanceof MalformedCsv) return { kind: "malformed", message };
  if (thrown instanceof UserError) {
    const { remedy, option } = thrown;
    return {
      kind: "user",
      message,
      ...(remedy === undefined ? {} : { remedy }),
      ...(option === undefined ? {} : { option }),
    };
  }
  return { kind: "system", message, code: codeOf(thrown) };
}

function failureOf({ kind, message, code, ...more }: SentFailure): Error {
  switch (kind) {
    case "malformed":
      return new MalformedCsv(message);
    case "user":
      return new UserError(message, { remedy: "Change what is asked for.", ...more });
    case "system":
      return Object.assign(new Error(message), code === undefined ? {} : { code });
  }
}
