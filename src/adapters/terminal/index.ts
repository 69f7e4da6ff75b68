// `ask`: the bot on a terminal. One question, or a prompt without one. Read next: ask.ts (one question and its files),
// prompt/prompt.ts (reads lines), render/render.ts (a reply as text), line-runner.ts (the port to the bot), streams.ts
// (the streams).
import { errorReply } from "../../bot/error-reply.ts";
import { quoteValue } from "../../bot/grammar/tokens.ts";
import { UserError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { disposeReply } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/time.ts";
import { askAndShow, type AskContext, EXIT_INTERRUPTED, exitCodeOf, print, printAdded } from "./ask.ts";
import type { LineRunner } from "./line-runner.ts";
import { runPrompt } from "./prompt/prompt.ts";
import { type Terminal, write } from "./streams.ts";

export interface RunAskOptions {
  /** The arguments of `ask`. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
  /** The network that is asked where none is named. */
  readonly usual?: string;
  /** Called once, before the first question; its result is closed here. */
  open(): Promise<LineRunner>;
  /** The file of the prompt's history; undefined = none. */
  readonly historyFile: string | undefined;
  /** The answer to `ask --version`. */
  version(): string;
  readonly log: Log;
  readonly now: () => Nanoseconds;
}

/**
 * `ask`: one question, or a prompt. Resolves with the exit code once everything is written: 0, 1 the caller's mistake,
 * 2 the network's failure, 3 a bug, 130 interrupted. Never rejects.
 */
export async function runAsk(options: RunAskOptions): Promise<number> {
  const { terminal, log, now } = options;
  const screens = [terminal.out, terminal.err];
  // Each write detects a closed reader (`ask … | head`); without a listener, the error event would end the process.
  const ignore = (): void => {};
  for (const screen of screens) screen.stream.on("error", ignore);
  const json = options.argv.includes("--json");
  let runner: LineRunner | undefined;
  try {
    const given = parseAskArguments(options.argv);
    if (given.help) {
      await write(terminal.out, USAGE);
      return 0;
    }
    if (given.version) {
      await write(terminal.out, `Bellwether ${options.version()}\n`);
      return 0;
    }
    runner = await options.open();
    const shared = { ...given, usual: options.usual, terminal, runner, log, now };
    if (given.line === undefined) return await runPrompt({ ...shared, prompt: true, historyFile: options.historyFile });
    return await askOnce({ ...shared, prompt: false }, given.line);
  } catch (thrown) {
    const reply = errorReply(thrown, { log, command: "ask", signal: NEVER_ABORTED });
    await print({ terminal, now, json, full: true, prompt: false, network: undefined }, reply, new Map());
    return exitCodeOf(reply);
  } finally {
    await runner?.close().catch((thrown: unknown) => log.warn({ err: thrown }, "close failed"));
    for (const screen of screens) screen.stream.off("error", ignore);
  }
}

const NEVER_ABORTED = new AbortController().signal;

async function askOnce(options: AskContext, line: string): Promise<number> {
  const interruption = new AbortController();
  const stopListening = options.terminal.onInterrupt(() => interruption.abort(new Error("interrupted")));
  try {
    const { reply, code } = await askAndShow(options, line, interruption.signal);
    const isInterrupted = interruption.signal.aborted;
    const whole = await reply.later?.(interruption.signal);
    if (whole !== undefined) await printAdded(options, reply, whole);
    await disposeReply(reply);
    return isInterrupted ? EXIT_INTERRUPTED : code;
  } finally {
    stopListening();
  }
}

const USAGE = `Usage: npm run -s ask -- [options] "<command line>"

Asks one question and prints the answer. Without a command line: a prompt, or,
where the input is no terminal, one question a line.

  --full          the details, too, and every digit
  --json          the reply as JSON on standard output
  --network NAME  the network to ask where the line names none
  --out DIR       writes the reply's files there: its attachments, its picture,
                  and each table as CSV; nothing is ever overwritten
  --help          this; beside a command, the help of it
  --version       the version, where nothing else is asked

Exit code: 0 answered, 1 your mistake, 2 the network's failure or a folder
that is full or read-only, 3 a bug, 130 interrupted.

  npm run -s ask -- "market list"
  npm run -s ask -- help
`;

/**
 * Options may stand anywhere among the words of the line; unknown ones are the command's. Several words are joined to a
 * line, with quotes where one has spaces.
 * @throws UserError for an option without its value, given twice, or with one that it does not take.
 */
function parseAskArguments(argv: readonly string[]) {
  const end = argv.indexOf("--");
  const { words, values, flags } = readOwnOptions(end === -1 ? argv : argv.slice(0, end));
  if (end === -1) takeFlagsFromLine(words, flags);
  else words.push(...argv.slice(end + 1));
  return {
    // Without a line, `ask` is a prompt.
    line: words.length === 0 ? undefined : `${joinWords(words)}${flags.has("help") ? " --help" : ""}`,
    json: flags.has("json"),
    full: flags.has("full"),
    help: flags.has("help") && words.length === 0,
    // Behind a command it is that command's option.
    version: argv.length === 1 && argv[0] === "--version",
    network: values.get("network"),
    out: values.get("out"),
  };
}

/** The terminal's own options, and the other words. */
function readOwnOptions(argv: readonly string[]) {
  const words: string[] = [];
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const [, flag, given] = /^--(full|json|help)(?:=(.*))?$/su.exec(word) ?? [];
    const [, name, value] = /^--(network|out)(?:=(.*))?$/su.exec(word) ?? [];
    if (given !== undefined) throw new UserError(`--${flag} takes no value.`, { remedy: `Write --${flag}.` });
    if (name === undefined) {
      if (flag !== undefined) flags.add(flag);
      else if (word === "-h") flags.add("help");
      else words.push(word);
      continue;
    }
    if (values.has(name)) throw new UserError(`--${name} is given twice.`, { remedy: "Give it once." });
    if (value === undefined) at += 1;
    const set = value ?? argv[at] ?? "";
    if (set === "" || set.startsWith("--")) {
      throw new UserError(`--${name} has no value.`, { remedy: `Write --${name} ${PLACEHOLDERS[name] ?? "VALUE"}.` });
    }
    values.set(name, set);
  }
  return { words, values, flags };
}

/** A line in quotes may have the terminal's own options at its end: `ask "order f8ac --full"`. */
function takeFlagsFromLine(words: string[], flags: Set<string>): void {
  while (words.length === 1) {
    const [end, name] = /\s--(full|json)\s*$/u.exec(words[0] ?? "") ?? [];
    if (end === undefined || name === undefined) return;
    flags.add(name);
    words[0] = (words[0] ?? "").slice(0, -end.length);
  }
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { network: "NAME", out: "DIR" };

/** The first word is a line as it was typed, or begins one. The others get back the quotes that the shell removed. */
function joinWords([line = "", ...words]: readonly string[]): string {
  const rest = words.map((word) => {
    const [, name = "", value = word] = /^((?:--)?[a-z][a-z\d-]*[:=])(.+)$/isu.exec(word) ?? [];
    return `${name}${quoteValue(value)}`;
  });
  return [line, ...rest].join(" ");
}
