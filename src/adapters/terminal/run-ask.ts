import { errorReply } from "../../bot/error-reply.ts";
import type { Log } from "../../log.ts";
import { disposeReply } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { parseAskArguments, USAGE, type AskArguments } from "./ask-arguments.ts";
import { askAndShow, EXIT_INTERRUPTED, exitCodeOf, print, type AskContext } from "./asker.ts";
import type { LineRunner } from "./line-runner.ts";
import { runPrompt } from "./prompt.ts";
import { write, type Terminal } from "./terminal.ts";

export interface RunAskOptions {
  /** What stands behind `ask`. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
  /** Called when there is a question to answer, once; what it gives is closed here. */
  open(): Promise<LineRunner>;
  /** Where the prompt keeps what was typed; undefined = nowhere. */
  readonly historyFile: string | undefined;
  /** What `ask --version` says. */
  version(): string;
  readonly log: Log;
  readonly now: () => Nanoseconds;
}

/**
 * `ask`: one question, or a prompt. Resolves with the exit code once everything is written: 0, 1 the caller's mistake,
 * 2 the network's failure, 3 a bug, 130 interrupted. Never rejects.
 */
export async function runAsk(parts: RunAskOptions): Promise<number> {
  const { terminal, log, now } = parts;
  const screens = [terminal.out, terminal.err];
  // A reader that goes away (`ask … | head`) is told by each write; unheard, the event would end the process.
  const ignore = (): void => {};
  for (const screen of screens) screen.stream.on("error", ignore);
  const json = parts.argv.includes("--json");
  let runner: LineRunner | undefined;
  try {
    const given = parseAskArguments(parts.argv);
    if (given.help) {
      await write(terminal.out, USAGE);
      return 0;
    }
    if (given.version) {
      await write(terminal.out, `Bellwether ${parts.version()}\n`);
      return 0;
    }
    runner = await parts.open();
    const shared = { terminal, runner, log, now, json: given.json, network: given.network, out: given.out };
    if (given.line === undefined) return await runPrompt({ ...shared, prompt: true, historyFile: parts.historyFile });
    return await askOnce({ ...shared, prompt: false }, given.line);
  } catch (thrown) {
    const reply = errorReply(thrown, { log, command: "ask", signal: NEVER_ABORTED });
    await print({ terminal, now, json, prompt: false }, reply, new Map());
    return exitCodeOf(reply);
  } finally {
    await runner?.close().catch((thrown: unknown) => log.warn({ err: thrown }, "closing failed"));
    for (const screen of screens) screen.stream.off("error", ignore);
  }
}

const NEVER_ABORTED = new AbortController().signal;

async function askOnce(parts: AskContext, line: NonNullable<AskArguments["line"]>): Promise<number> {
  const interruption = new AbortController();
  const stopListening = parts.terminal.onInterrupt(() => interruption.abort(new Error("interrupted")));
  try {
    const { reply, code } = await askAndShow(parts, line, interruption.signal);
    await disposeReply(reply);
    return interruption.signal.aborted ? EXIT_INTERRUPTED : code;
  } finally {
    stopListening();
  }
}
