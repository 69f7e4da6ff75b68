import { Worker } from "node:worker_threads";

/** Shared bytes are ready to be hashed; or the last ones were. */
type Request = { readonly start: number; readonly length: number } | "end";
/** One request is done with, in their order; at the end the hash in lower-case hex. */
type Answer = "done" | { readonly sha256: string };

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * The SHA-256 of bytes that lie in shared memory, taken in a thread of its own: on the main thread it would cost an
 * export a third of its speed, and everybody else their answers meanwhile.
 */
export class Digest {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(shared: SharedArrayBuffer) {
    this.#worker = new Worker(new URL("./digest-thread.mjs", import.meta.url), {
      workerData: { shared },
      env: {},
      execArgv: [],
    });
    this.#worker.on("message", (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that takes checksums has ended")));
  }

  /** Resolves once these bytes may be written over. They count in the order of the calls. */
  async update(bytes: Uint8Array): Promise<void> {
    await this.#ask({ start: bytes.byteOffset, length: bytes.length });
  }

  /** In lower-case hex; nothing may follow. */
  async finish(): Promise<string> {
    const answer = await this.#ask("end");
    return answer === "done" ? "" : answer.sha256;
  }

  /** Ends the thread, whatever it is at. Safe to call twice. */
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
