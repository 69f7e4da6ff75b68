import type { Interface } from "node:readline/promises";

import { formatLine } from "../../../bot/grammar/grammar.ts";
import { messageOf } from "../../../errors.ts";
import { asButtons } from "../../../reply/fold.ts";
import { disposeReply, type Reply } from "../../../reply/reply.ts";
import { askAndShow, type AskContext, EXIT_INTERRUPTED, print, saveFiles } from "../ask.ts";
import { visibleText } from "../render/visible-text.ts";
import { write } from "../streams.ts";
import type { History } from "./history.ts";

/** One run of the prompt: its lines, and the state between two of them (the last reply, its files, the worst exit code). */
export class PromptSession {
  readonly #context: AskContext;
  readonly #lines: Interface;
  readonly #history: History;
  readonly #interactive: boolean;
  #running: AbortController | undefined;
  #last: Reply | undefined;
  #worst = 0;
  #historyFails = false;
  #interrupted = false;
  #closed = false;

  constructor(context: AskContext, lines: Interface, history: History, interactive: boolean) {
    this.#context = context;
    this.#lines = lines;
    this.#history = history;
    this.#interactive = interactive;
    // Lines typed before the end are still answered, but there is no prompt any more.
    lines.once("close", () => {
      this.#closed = true;
    });
  }

  async run(): Promise<number> {
    this.#prompt();
    for await (const typed of this.#lines) {
      const line = typed.trim();
      if (line === "exit" || line === "quit") break;
      if (line !== "") {
        await this.#remember(line);
        if (!(await this.#handle(line))) break;
      }
      if (this.#interrupted) break;
      this.#prompt();
    }
    if (this.#interrupted) return EXIT_INTERRUPTED;
    return this.#interactive ? 0 : this.#worst;
  }

  /** Ctrl-C at the prompt: aborts the running question, else empties the line. */
  cancel(): void {
    if (this.#running !== undefined) {
      this.#running.abort(new Error("interrupted"));
      return;
    }
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#prompt();
  }

  /** A signal from outside: aborts the question and ends the session. */
  interrupt(): void {
    this.#interrupted = true;
    this.#running?.abort(new Error("interrupted"));
    this.#lines.close();
  }

  async dispose(): Promise<void> {
    if (this.#last !== undefined) await disposeReply(this.#last);
    this.#last = undefined;
  }

  #prompt(): void {
    if (this.#interactive && !this.#closed) this.#lines.prompt();
  }

  /** False when the reader of the output is gone. */
  async #handle(line: string): Promise<boolean> {
    if (/^\d{1,3}$/u.test(line) && this.#last !== undefined) return this.#press(Number(line), this.#last);
    const save = /^save(?:\s+(.+))?$/u.exec(line);
    if (save !== null) return this.#save(save[1]);
    if (line === "full" && this.#last !== undefined)
      return print({ ...this.#context, full: true }, this.#last, new Map());
    const whole = /^(.*\S)\s+--full$/u.exec(line)?.[1];
    return whole === undefined ? this.#ask(line) : this.#ask(whole, true);
  }

  async #ask(line: string, full = this.#context.full): Promise<boolean> {
    const { reply, code, outputOpen } = await this.#abortable(({ signal }) =>
      askAndShow({ ...this.#context, full }, line, signal),
    );
    await this.dispose();
    this.#last = reply;
    this.#worst = Math.max(this.#worst, code);
    return outputOpen;
  }

  /** Runs work that Ctrl-C at the prompt aborts. */
  async #abortable<T>(run: (running: AbortController) => Promise<T>): Promise<T> {
    const running = new AbortController();
    this.#running = running;
    try {
      return await run(running);
    } finally {
      this.#running = undefined;
    }
  }

  async #press(number: number, last: Reply): Promise<boolean> {
    const actions = asButtons(last.actions);
    const action = actions[number - 1];
    if (action === undefined) {
      const count = actions.length;
      return this.#refuse(
        count === 0
          ? "The last reply has no buttons."
          : `There is no [${number}]: the last reply has [1] to [${count}].`,
      );
    }
    if ("url" in action) return write(this.#context.terminal.out, `${visibleText(action.url)}\n`);
    const line = formatLine(action.invocation);
    if (action.confirm === undefined) return this.#ask(line);
    if (!this.#interactive) return this.#refuse(`[${number}] asks first; type it instead: ${visibleText(line)}`);
    return (await this.#confirms(action.confirm)) ? this.#ask(line) : this.#refuse("Left as it is.");
  }

  /** Asks for confirmation; leaving the prompt counts as no. */
  async #confirms(question: string): Promise<boolean> {
    return this.#abortable(async (left) => {
      const onClose = (): void => left.abort();
      this.#lines.once("close", onClose);
      try {
        return /^y(es)?$/iu.test((await this.#lines.question(`${visibleText(question)} [y/N] `, left)).trim());
      } catch {
        return false;
      } finally {
        this.#lines.off("close", onClose);
      }
    });
  }

  async #save(folder: string | undefined): Promise<boolean> {
    if (folder === undefined) return this.#refuse("save needs a folder: save DIR.");
    const last = this.#last;
    if (last === undefined) return this.#refuse("There is no reply yet whose files could be saved.");
    const { reply, written, problem } = await this.#abortable(({ signal }) =>
      saveFiles(this.#context, last, folder, signal),
    );
    if (problem !== undefined) {
      this.#worst = Math.max(this.#worst, 1);
      return print({ ...this.#context, json: false }, problem, new Map());
    }
    const paths = [...written.values()].map((one) => `${visibleText(one)}\n`);
    if (paths.length > 0) return write(this.#context.terminal.err, paths.join(""));
    return this.#refuse(reply.failure === undefined ? "The last reply has no files." : "An error has no files.");
  }

  async #refuse(sentence: string): Promise<boolean> {
    this.#worst = Math.max(this.#worst, 1);
    return write(this.#context.terminal.err, `${sentence}\n`);
  }

  async #remember(line: string): Promise<void> {
    const fault = await this.#history.add(line);
    if (fault === undefined || this.#historyFails) return;
    this.#historyFails = true;
    this.#context.log.warn({ err: messageOf(fault) }, "history not saved");
  }
}
