// The typed line: a command, bare values in the order of its options, and named ones.
// tokens.ts splits it into words with their places, find-command.ts finds the command, read-options.ts reads the words
// behind it, line-mistakes.ts words what is wrong there. complete-line.ts completes a line by the same reading,
// offered-line.ts checks the lines that mistakes offer, usage.ts prints a command's syntax. plain-words.ts tells a
// sentence from a line.

import type { Ask } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { AnyCommand } from "../command.ts";
import { calledCommand, type Found, findCommand, lineTokens } from "./find-command.ts";
import { refuseForeignNames } from "./line-mistakes.ts";
import { readsAsQuestion } from "./plain-words.ts";
import { gathered, readOptions } from "./read-options.ts";
import { quoteValue, type Token } from "./tokens.ts";

/**
 * A typed line as a command with raw values: `market show BTC/USDT network:testnet --private`.
 * Bare values fill the options in their order; `name:value`, `--name value`, `--name=value`, `--flag` and `--no-flag`
 * name them; a colon names an option only if the command declares it. A bare word that is a flag's name sets it; one that
 * is another option's name, with a bare word behind it, names it, too: `until 07:00`.
 * An empty line and `?` are `help`, and `--help` or `-h` anywhere is the help of what stands beside it. A platform's slash command before it, as in `/bell time`, is ignored. With `networks`,
 * a bare word in the place of a network that is none is the caller's mistake here, with the line that was probably meant.
 * @throws UserError for an unknown command or option, a value too many, an option given twice, an open quote.
 */
export function parseLine(
  line: string,
  commands: readonly AnyCommand[],
  now: Nanoseconds,
  networks?: readonly string[],
): Ask {
  const tokens = lineTokens(line, commands);
  if (tokens.length === 0) return { command: "help", options: {} };
  const others = tokens.filter(({ text, quotedFrom }) => quotedFrom !== Infinity || !HELP.test(text));
  if (others.length < tokens.length) return helpAbout(others, commands);
  const found = commandOrQuestion(tokens, commands);
  if ("question" in found) return { command: QUESTION, options: found };
  const { command, words } = found;
  const given = gathered(command, tokens.slice(words));
  if (given.length === 0) return { command: command.name, options: {} };
  refuseForeignNames(command, given, commands);
  const { values } = readOptions(command, given, { now, networks });
  return { command: command.name, options: Object.fromEntries(values) };
}

const HELP = /^(?:(?:--|—|–)help|-h)$/iu;

function helpAbout(tokens: readonly Token[], commands: readonly AnyCommand[]): Ask {
  const name = calledCommand(tokens, commands)?.command.name ?? tokens[0]?.text;
  return { command: "help", options: name === undefined ? {} : { command: name } };
}

/** The marks of code around a whole line, as in answers from which people copy it, and the language behind three. */
const CODE = /^\s*(`{1,2}|`{3}(?:\w*\n)?)([^`]+)`+\s*$/u;

/** The line within marks of code; any other line as it is. */
export function withoutCodeMarks(line: string): string {
  return CODE.exec(line)?.[2]?.trim() ?? line;
}

/** The command that takes a question in plain words. */
export const QUESTION = "ask";

/**
 * The command at the start of a line. A sentence is a question where no command begins it, or a word that may begin
 * a sentence, too: of `status of the network`, `order was rejected`.
 * @throws UserError for a line that is neither.
 */
function commandOrQuestion(tokens: readonly Token[], commands: readonly AnyCommand[]): Found | { question: string } {
  const isQuestion = (): boolean => readsAsQuestion(tokens) && commands.some(({ name }) => name === QUESTION);
  const asked = (): { question: string } => ({ question: tokens.map(({ text }) => text).join(" ") });
  let found: Found;
  try {
    found = findCommand(tokens, commands);
  } catch (refused) {
    if (isQuestion()) return asked();
    throw refused;
  }
  const { command, words } = found;
  const isPlain =
    words === 1 ||
    tokens
      .slice(0, words)
      .map(({ text }) => text)
      .join(" ")
      .toLowerCase() !== command.name;
  return isPlain && command.name !== QUESTION && words < tokens.length && isQuestion() ? asked() : found;
}

/** The most words of a question that is no sentence: `mute node 2 for 2 h`. */
const MAX_SHORT = 7;
const MAX_SHORT_LENGTH = 200;

/** A line of a few bare words as a question; undefined for one with named or quoted values. */
export function shortQuestion(line: string, commands: readonly AnyCommand[]): Ask | undefined {
  if (line.length > MAX_SHORT_LENGTH) return undefined;
  const tokens = lineTokens(line, commands, true);
  const isBare = tokens.every(
    ({ text, quotedFrom }) => quotedFrom === Infinity && !/^--?[a-z]|^[a-z][a-z\d-]*:/iu.test(text),
  );
  const isAsked = isBare && tokens.length <= MAX_SHORT && commands.some(({ name }) => name === QUESTION);
  return isAsked ? { command: QUESTION, options: { question: line.trim() } } : undefined;
}

/** `order failed`: the question that has a refused value as its word; undefined where it is none, or more was given. */
export function questionInstead(
  { command, options }: Ask,
  refused: string | undefined,
  commands: readonly AnyCommand[],
): Ask | undefined {
  const { [refused ?? ""]: value, network, private: hidden, ...others } = options;
  const isWords = typeof value === "string" && /^[a-z]+(?: [a-z]+)*[?!.]*$/iu.test(value);
  const mayAsk = commands.some(({ name, changes }) => name === command && changes !== true);
  const asks = commands.some(({ name }) => name === QUESTION);
  if (!isWords || !mayAsk || !asks || Object.keys(others).length > 0) return undefined;
  const question = `${command} ${value}`;
  return { command: QUESTION, options: { question, ...withoutUndefined({ network, private: hidden }) } };
}

/**
 * An example of the command with what was given in it; what leads stands bare, as people type it. A word without a digit
 * takes no placeholder's place: of `ledger export USDT` it is no party.
 */
export function fillExample(example: string, given: Ask["options"], command: AnyCommand, now: Nanoseconds): string {
  const shown = parseLine(example, [command], now).options;
  const fits = ([name, value]: [string, unknown]): boolean =>
    /\d/u.test(String(value)) || !String(shown[name]).startsWith("<");
  const values = { ...shown, ...Object.fromEntries(Object.entries(given).filter(fits)) };
  let line = command.name;
  let leads = true;
  for (const [name, { kind }] of Object.entries(command.options)) {
    const value = values[name];
    leads &&= value !== undefined && (kind === "text" || kind === "choice");
    if (value === undefined) continue;
    const word = quoteValue(String(value));
    line += leads ? ` ${word}` : ` ${name}:${word}`;
  }
  return line;
}

/** An invocation as a typed line, with quotes where values need them; a question alone stands bare, as people type it. */
export function formatLine(ask: Ask): string {
  const { question, ...others } = ask.options;
  const isBare =
    typeof question === "string" && /^(?!\s|--?[a-z])[^:"'`“”„‘’«»\\]+$/iu.test(question) && !/\s-/u.test(question);
  if (ask.command === QUESTION && isBare && Object.keys(others).length === 0) return `${QUESTION} ${question}`;
  let line = ask.command;
  for (const name of Object.keys(ask.options)) line += ` ${name}:${quoteValue(String(ask.options[name]))}`;
  return line;
}
