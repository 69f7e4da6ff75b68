import { errorReply } from "../../bot/error-reply.ts";
import { quoteValue } from "../../bot/grammar/grammar.ts";
import { UserError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { disposeReply } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { askAndShow, type AskContext, EXIT_INTERRUPTED, exitCodeOf, print } from "./ask.ts";
import type { LineRunner } from "./line-runner.ts";
import { runPrompt } from "./prompt/prompt.ts";
import { type Terminal, write } from "./terminal.ts";

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

/** What stands behind `ask`. */
interface AskArguments {
  /** The command line; undefined asks for a prompt. */
  readonly line: string | undefined;
  readonly json: boolean;
  readonly network: string | undefined;
  readonly out: string | undefined;
  readonly help: boolean;
  /** `--version` alone; behind a command it is that command's option. */
  readonly version: boolean;
}

const USAGE = `Usage: npm run -s ask -- [options] "<command line>"

Asks one question and prints the answer. Without a command line: a prompt, or,
where the input is no terminal, one question a line.

  --json          the reply as JSON on standard output
  --network NAME  the network to ask where the line names none
  --out DIR       writes the reply's files there: its attachments, its picture,
                  and each table as CSV; nothing is ever overwritten
  --help          this
  --version       the version, where nothing else is asked

Exit code: 0 answered, 1 your mistake, 2 the network's failure, 3 a bug,
130 interrupted.

  npm run -s ask -- "market list"
  npm run -s ask -- help
`;

/**
 * Options stand before, behind or between the words of the line; those that `ask` does not know are the command's.
 * Several words are joined to a line, with quotes where one has spaces.
 * @throws UserError for an option without its value, given twice, or with one that it does not take.
 */
function parseAskArguments(argv: readonly string[]): AskArguments {
  const version = argv.length === 1 && argv[0] === "--version";
  const words: string[] = [];
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    const [, name, value] = /^--(json|help|network|out)(?:=(.*))?$/su.exec(word) ?? [];
    if (name === "json" || name === "help") {
      if (value !== undefined) throw new UserError(`--${name} takes no value.`, { remedy: `Write --${name}.` });
      flags.add(name);
    } else if (name !== undefined) {
      if (values.has(name)) throw new UserError(`--${name} is given twice.`, { remedy: "Give it once." });
      if (value === undefined) at += 1;
      const given = value ?? argv[at] ?? "";
      if (given === "" || given.startsWith("--")) {
        throw new UserError(`--${name} has no value.`, { remedy: `Write --${name} ${PLACEHOLDERS[name] ?? "VALUE"}.` });
      }
      values.set(name, given);
    } else if (word === "-h") flags.add("help");
    else words.push(word);
  }
  return {
    line: words.length === 0 ? undefined : joinWords(words),
    json: flags.has("json"),
    help: flags.has("help"),
    version,
    network: values.get("network"),
    out: values.get("out"),
  };
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { network: "NAME", out: "DIR" };

/** One word is a line as it stands. Of several, the shell has taken the quotes away: they are put back. */
function joinWords(words: readonly string[]): string {
  const [first = ""] = words;
  if (words.length === 1) return first;
  return words
    .map((word) => {
      const [, name = "", value = word] = /^((?:--)?[a-z][a-z-]*[:=])(.+)$/isu.exec(word) ?? [];
      return `${name}${quoteValue(value)}`;
    })
    .join(" ");
}
