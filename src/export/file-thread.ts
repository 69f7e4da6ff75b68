import { Worker } from "node:worker_threads";

/** Bytes to write; or the end. */
type Request = { readonly memory: ArrayBuffer; readonly length: number } | "end";
/** Requests are answered in their order, and give their memory back; at the end comes the hash in lower-case hex. */
type Answer =
  | { readonly memory: ArrayBuffer; readonly failed?: { readonly message: string; readonly code?: string } }
  | { readonly sha256: string };

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Writes bytes to an open file, from its beginning, and takes their SHA-256, in a thread of its own: on the main thread
 * that would halve an export's speed and hold up all other answers.
 */
export class FileThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(fd: number) {
    this.#worker = new Worker(new URL("./file-thread.mjs", import.meta.url), {
      workerData: { fd },
      env: {},
      execArgv: [],
    });
    this.#worker.on("message", (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that writes files has ended")));
  }

  /**
   * Writes `length` bytes from the beginning of this memory, which is transferred to the thread and back. Rejects with
   * the system's message and `code`.
   */
  async append(memory: ArrayBuffer, length: number): Promise<ArrayBuffer> {
    const answer = await this.#ask({ memory, length }, [memory]);
    if (!("memory" in answer)) throw new Error("the thread that writes files has lost its place");
    const { failed } = answer;
    if (failed === undefined) return answer.memory;
    throw Object.assign(new Error(failed.message), failed.code === undefined ? {} : { code: failed.code });
  }

  /** The SHA-256 in lower-case hex; nothing may follow. */
  async finish(): Promise<string> {
    const answer = await this.#ask("end", []);
    return "sha256" in answer ? answer.sha256 : "";
  }

  /** Ends the thread after its current write; the file may then be closed. Safe to call twice. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: Request, transfer: readonly ArrayBuffer[]): Promise<Answer> {
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
