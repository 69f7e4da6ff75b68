// The prompt of `ask`: reads lines, with history and completion at a terminal.
// What a line does: it asks, presses a button, or saves files. Read next: history.ts.
import { createInterface, type Interface } from "node:readline/promises";

import type { LineCompletion } from "../../../bot/grammar/complete-line.ts";
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { messageOf } from "../../../errors.ts";
import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import { type Action, disposeReply, reply, type Reply } from "../../../reply/reply.ts";
import { shortenId } from "../../../reply/text.ts";
import { askAndShow, type AskContext, ERASE, EXIT_INTERRUPTED, print, printAdded, saveFiles } from "../ask.ts";
import { firstPicks } from "../render/actions.ts";
import { cutToWidth, visibleText, widthOf } from "../render/visible-text.ts";
import { span, toAnsi } from "../render/span.ts";
import { wrap } from "../render/wrap.ts";
import { displayOptions, type Terminal, write } from "../streams.ts";
import { type History, openHistory } from "./history.ts";

export interface PromptContext extends AskContext {
  readonly historyFile: string | undefined;
}

const GREETING =
  "Type help or ? for the commands. Tab completes; a number presses a button of the last reply; full shows its details, more its other choices; save DIR writes its files. " +
  "Ctrl-C stops a question, exit or Ctrl-D leaves.";
/** Lines that readline keeps for the arrow keys. */
const HISTORY_SIZE = 1000;

/**
 * Runs the prompt until the input ends. On a terminal: with history and completion, and exit code 0; else the exit code
 * is the worst of all answers.
 */
export async function runPrompt(context: PromptContext): Promise<number> {
  const { terminal } = context;
  const screen = terminal.out.isTty ? terminal.out : terminal.err;
  const interactive = terminal.inputIsTty && screen.isTty;
  const history = await openHistory(interactive ? context.historyFile : undefined);
  if (interactive) {
    const display = displayOptions(screen, terminal.preferences);
    const lines = wrap([span(GREETING, "dim")], Math.min(display.width, 100));
    await write(screen, `${lines.map((line) => `${toAnsi(line.spans, display)}\n`).join("")}\n`);
  }
  const lines = createInterface({
    input: terminal.input,
    terminal: interactive,
    prompt: "bellwether> ",
    crlfDelay: Number.POSITIVE_INFINITY,
    ...(interactive
      ? {
          output: screen.stream,
          history: [...history.lines],
          historySize: HISTORY_SIZE,
          removeHistoryDuplicates: true,
          completer: (line: string) => complete(context, line, displayOptions(screen, terminal.preferences).width),
        }
      : {}),
  });
  const session = new PromptSession(context, lines, history, interactive ? screen : undefined);
  const stopListening = terminal.onInterrupt(() => session.interrupt());
  lines.on("SIGINT", () => session.cancel());
  try {
    return await session.run();
  } finally {
    stopListening();
    lines.close();
    await session.dispose();
  }
}

/**
 * The completions for readline, and the end of the line that they complete. Continuations of the line exclude all other
 * completions, since only they share more of the line; completions with control characters are omitted.
 */
async function complete(context: PromptContext, line: string, width: number): Promise<[string[], string]> {
  let offered: readonly LineCompletion[] = [];
  try {
    offered = (await context.runner.complete(line)).filter((one) => visibleText(one.line) === one.line);
  } catch {
    // A failed completion offers nothing.
  }
  const going = offered.filter((one) => one.line.startsWith(line));
  const shown = going.length > 0 ? going : offered;
  const start = line.lastIndexOf(" ") + 1;
  const kept = shown.every((one) => one.line.startsWith(line.slice(0, start))) ? start : 0;
  const words = shown.map((one) => one.line.slice(kept));
  return [withLabels(words, shown, width), line.slice(kept)];
}

/**
 * The completions with their labels, a line each, as readline lists them: `513ade8e…b9cd  rejected`. Readline completes to
 * the common beginning of these lines; where labels would change it, the completions stay without them.
 */
function withLabels(words: readonly string[], offered: readonly LineCompletion[], width: number): string[] {
  const short = words.map((word) => word.trim().replaceAll(LONG_ID, shortenId));
  const column = Math.max(...short.map((word) => widthOf(word)));
  const lines = short.map((word, at) => {
    const meaning = meaningOf(word, visibleText(offered[at]?.label ?? ""));
    return meaning === "" ? word : cutToWidth(`${word}${" ".repeat(column - widthOf(word))}  ${meaning}`, width);
  });
  return commonBeginning(lines) === commonBeginning(words) ? lines : [...words];
}

/** The label without the value that the word ends in. */
function meaningOf(word: string, label: string): string {
  const value = /[^\s:,]*$/u.exec(word)?.[0] ?? "";
  if (label === value) return "";
  const lead = value === "" ? undefined : [`${value} · `, `${value}: `].find((one) => label.startsWith(one));
  if (lead !== undefined) return label.slice(lead.length);
  const end = ` (${value})`;
  return label.endsWith(end) ? label.slice(0, -end.length) : label;
}

const LONG_ID = /[0-9a-f]{32,}/giu;

function commonBeginning(words: readonly string[]): string {
  const [first = "", ...others] = words;
  let end = 0;
  while (end < first.length && others.every((one) => one[end] === first[end])) end += 1;
  return first.slice(0, end);
}

/** One run of the prompt: its lines, and the state between two of them (the last reply, its files, the worst exit code). */
class PromptSession {
  readonly #context: AskContext;
  readonly #lines: Interface;
  readonly #history: History;
  /** Where the prompt stands; undefined where nobody types at a terminal. */
  readonly #screen: Terminal["out"] | undefined;
  #running: AbortController | undefined;
  /** The line that is typed confirms a button. */
  #confirming = false;
  /** Ends the wait for what is added to the last reply. */
  #adding: AbortController | undefined;
  #last: Reply | undefined;
  /** What the numbers press, in their order. */
  #numbered: readonly ButtonAction[] = [];
  /** The choices of the last reply without a number. */
  #others: readonly Action[] = [];
  #worst = 0;
  /** The line with which the next prompt begins. */
  #filled = "";
  #historyFails = false;
  #interrupted = false;
  #closed = false;

  constructor(context: AskContext, lines: Interface, history: History, screen: Terminal["out"] | undefined) {
    this.#context = context;
    this.#lines = lines;
    this.#history = history;
    this.#screen = screen;
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
    return this.#screen !== undefined ? 0 : this.#worst;
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
    this.#adding?.abort();
    if (this.#last !== undefined) await disposeReply(this.#last);
    this.#last = undefined;
  }

  #prompt(): void {
    if (this.#screen === undefined || this.#closed) return;
    this.#lines.prompt();
    this.#lines.write(this.#filled);
    this.#filled = "";
  }

  /** False when the reader of the output is gone. */
  async #handle(line: string): Promise<boolean> {
    if (/^\d{1,3}$/u.test(line) && this.#last !== undefined) return this.#press(Number(line));
    const save = /^save(?:\s+(.+))?$/u.exec(line);
    if (save !== null) return this.#save(save[1]);
    if (line === "full" && this.#last !== undefined) {
      this.#number(this.#last.actions);
      return print({ ...this.#context, full: true }, this.#last, new Map());
    }
    if (line === "more" && this.#last !== undefined) return this.#more(this.#last);
    const whole = /^(.*\S)\s+--full$/u.exec(line)?.[1];
    return whole === undefined ? this.#ask(line) : this.#ask(whole, true);
  }

  async #ask(line: string, full = this.#context.full): Promise<boolean> {
    const asking = new AbortController();
    const { reply, code, outputOpen } = await this.#abortable(
      ({ signal }) => askAndShow({ ...this.#context, full }, line, signal),
      asking,
    );
    await this.dispose();
    this.#last = reply;
    this.#number(reply.actions);
    this.#worst = Math.max(this.#worst, code);
    this.#adding = asking;
    const adding = this.#showLater(reply, asking.signal);
    // Somebody types on meanwhile.
    if (this.#screen === undefined) await adding;
    return outputOpen;
  }

  /** Shows what is added to the last reply, above the line that is being typed. Never rejects. */
  async #showLater(answer: Reply, signal: AbortSignal): Promise<void> {
    const whole = await answer.later?.(signal);
    if (whole === undefined || this.#last !== answer) return;
    this.#screen?.stream.write(ERASE);
    await printAdded(this.#context, answer, whole, this.#numbered.length);
    this.#number(whole.actions.slice(answer.actions.length), this.#numbered, this.#others);
    this.#last = whole;
    if (this.#screen !== undefined && (this.#running === undefined || this.#confirming) && !this.#closed)
      this.#lines.prompt(true);
  }

  /** Gives buttons their numbers behind those `before`; JSON shows all of a choice. */
  #number(actions: readonly Action[], before: readonly ButtonAction[] = [], others: readonly Action[] = []): void {
    const { first, rest } = firstPicks(actions, this.#context.json ? Number.POSITIVE_INFINITY : undefined);
    this.#numbered = [...before, ...asButtons(first)];
    this.#others = [...others, ...rest];
  }

  /** Shows the choices without a number, with numbers of their own. */
  #more({ title, tone }: Reply): Promise<boolean> {
    const [before, actions] = [this.#numbered, this.#others];
    if (actions.length === 0) return this.#refuse("The last reply has no more choices.");
    this.#numbered = [...before, ...asButtons(actions)];
    this.#others = [];
    const picks = { before: before.length, most: Number.POSITIVE_INFINITY };
    return print(this.#context, reply({ title, tone, actions }), new Map(), picks);
  }

  /** Runs work that Ctrl-C at the prompt aborts. */
  async #abortable<T>(run: (running: AbortController) => Promise<T>, running = new AbortController()): Promise<T> {
    this.#running = running;
    try {
      return await run(running);
    } finally {
      this.#running = undefined;
    }
  }

  async #press(number: number): Promise<boolean> {
    const action = this.#numbered[number - 1];
    if (action === undefined) {
      const count = this.#numbered.length;
      return this.#refuse(
        count === 0
          ? "The last reply has no buttons."
          : `There is no [${number}]: the last reply has [1] to [${count}].`,
      );
    }
    if ("url" in action) return write(this.#context.terminal.out, `${visibleText(action.url)}\n`);
    const line = formatLine(action.invocation);
    if (action.form === true && this.#screen !== undefined) {
      this.#filled = visibleText(line);
      return true;
    }
    if (action.form === true) return this.#refuse(`[${number}] is to be filled in: ${visibleText(line)}`);
    if (action.confirm === undefined) return this.#ask(line);
    if (this.#screen === undefined)
      return this.#refuse(`[${number}] asks first; type it instead: ${visibleText(line)}`);
    return (await this.#confirms(action.confirm)) ? this.#ask(line) : this.#refuse("Left as it is.");
  }

  /** Asks for confirmation; leaving the prompt counts as no. */
  async #confirms(question: string): Promise<boolean> {
    return this.#abortable(async (left) => {
      const onClose = (): void => left.abort();
      this.#lines.once("close", onClose);
      this.#confirming = true;
      try {
        return /^y(es)?$/iu.test((await this.#lines.question(`${visibleText(question)} [y/N] `, left)).trim());
      } catch {
        return false;
      } finally {
        this.#confirming = false;
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
