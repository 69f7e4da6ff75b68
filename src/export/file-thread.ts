import { Worker } from "node:worker_threads";

/** Shared bytes are ready to be written; or the last ones were. */
type Request = { readonly start: number; readonly length: number } | "end";
/** One request is done with, in their order; at the end the hash in lower-case hex. */
type Answer = "done" | { readonly sha256: string } | { readonly failed: string; readonly code?: string };

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Writes bytes that lie in shared memory to an open file, from its beginning, and takes their SHA-256, in a thread of
 * its own: on the main thread that would cost an export a third of its speed, and everybody else their answers meanwhile.
 */
export class FileThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(fd: number, shared: SharedArrayBuffer) {
    this.#worker = new Worker(new URL("./file-thread.mjs", import.meta.url), {
      workerData: { fd, shared },
      env: {},
      execArgv: [],
    });
    this.#worker.on("message", (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that writes files has ended")));
  }

  /** Resolves once these bytes are in the file and may be written over. Rejects with what the system said, its `code` too. */
  async append(bytes: Uint8Array): Promise<void> {
    const answer = await this.#ask({ start: bytes.byteOffset, length: bytes.length });
    if (answer !== "done" && "failed" in answer) {
      throw Object.assign(new Error(answer.failed), answer.code === undefined ? {} : { code: answer.code });
    }
  }

  /** The SHA-256 in lower-case hex; nothing may follow. */
  async finish(): Promise<string> {
    const answer = await this.#ask("end");
    return answer !== "done" && "sha256" in answer ? answer.sha256 : "";
  }

  /** Ends the thread, after what it is at; the file may then be closed. Safe to call twice. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: Request): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // A Worker of Node's has no origin to name; the rule is about a browser's windows.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage(request);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
