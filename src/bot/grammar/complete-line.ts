import type { Ask } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/time.ts";
import type { AnyCommand } from "../command.ts";
import type { Choice, Option } from "../options/options.ts";
import { calledCommand, lineTokens } from "./find-command.ts";
import { gathered, type OpenValue, readOptions } from "./read-options.ts";
import { quoteValue, type Token } from "./tokens.ts";

/** At most this many lines are offered. */
const MAX_LINES = 25;

/** Suggests values of one option: the command with the finished values, the option's name, and the text so far. */
export type SuggestValues = (ask: Ask, option: string, typed: string) => Promise<readonly Choice[]>;

/** A whole line to offer, and what its last word stands for: a market's name, what a command or an option is for. */
export interface LineCompletion {
  readonly line: string;
  readonly label?: string;
}

/** A beginning of a line, read as far as it is finished. */
export type LineBeginning = NonNullable<ReturnType<typeof readBeginning>>;

/** Reads the beginning of a line; undefined where no command stands before the cursor's word. */
export function readBeginning(line: string, commands: readonly AnyCommand[], now: Nanoseconds) {
  const { before, cursor } = splitAtCursor(line, commands);
  const called = calledCommand(before, commands);
  if (called === undefined) return undefined;
  const { command, words } = called;
  const given = gathered(command, before.slice(words));
  const { values, finished, open } = readOptions(command, [...given, cursor], { now, cursor });
  return {
    command,
    values: Object.fromEntries(values),
    /** The words before this index are finished: alone, they are a line with these values. */
    finished,
    open,
    /** The word under the cursor; empty behind white space. */
    cursor,
  };
}

function splitAtCursor(line: string, commands: readonly AnyCommand[]): { before: readonly Token[]; cursor: Token } {
  const tokens = lineTokens(line, commands, true);
  const last = tokens.at(-1);
  if (last?.end === line.length) return { before: tokens.slice(0, -1), cursor: last };
  const end = line.length;
  return { before: tokens, cursor: { text: "", quotedFrom: Number.POSITIVE_INFINITY, start: end, end } };
}

/** Whole lines that complete the text so far, best first. */
export async function completions(
  line: string,
  commands: readonly AnyCommand[],
  now: Nanoseconds,
  suggest: SuggestValues,
): Promise<readonly LineCompletion[]> {
  const beginning = readBeginning(line, commands, now);
  if (beginning === undefined) return commandLines(line, commands).slice(0, MAX_LINES);
  const { command, values, open, cursor } = beginning;
  const dashed = cursor.quotedFrom === 0 ? null : /^--([a-z\d-]*)$/iu.exec(cursor.text);
  const lines: LineCompletion[] = [];
  if (open !== undefined && (open.named || dashed === null)) {
    const choices = await suggest({ command: command.name, options: values }, open.option, open.typed);
    lines.push(...choices.flatMap((choice) => valueLine(line, open, cursor, choice)));
  }
  if (open?.named !== true) lines.push(...nameLines(line, beginning, dashed?.[1]));
  // The typed line is an offer, too, where another continues it: else a prompt would complete to their common prefix.
  const further = lines.some((candidate) => candidate.line !== line && candidate.line.startsWith(line));
  const byLine = new Map(lines.toReversed().map((one) => [one.line, one]));
  const inOrder = [...new Set(lines.map((one) => one.line))].flatMap((one) => byLine.get(one) ?? []);
  return inOrder.filter((candidate) => further || candidate.line !== line).slice(0, MAX_LINES);
}

function commandLines(line: string, commands: readonly AnyCommand[]): readonly LineCompletion[] {
  const { before, cursor } = splitAtCursor(line, commands);
  const typed = [...before, cursor].map((token) => token.text.toLowerCase()).join(" ");
  const prefix = line.slice(0, (before[0] ?? cursor).start);
  return commands
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, summary }) => ({ line: `${prefix}${name} `, label: summary }));
}

/** The line with a value in the place of the open one. Of several words that are typed, the value continues them. */
function valueLine(line: string, open: OpenValue, cursor: Token, choice: Choice): readonly LineCompletion[] {
  const { label, typed: word = choice.value } = choice;
  const more = label === word ? {} : { label };
  if (open.start >= cursor.start) return [{ line: `${line.slice(0, open.start)}${quoteValue(word)}`, ...more }];
  const before = open.typed.slice(0, open.typed.length - cursor.text.length);
  if (!word.toLowerCase().startsWith(before.toLowerCase())) return [];
  return [{ line: `${line.slice(0, cursor.start)}${word.slice(before.length)}`, ...more }];
}

/** The line with the name of an option that is not given yet; with `dashes`, what is typed behind them. */
function nameLines(
  line: string,
  { command, values, open, cursor }: LineBeginning,
  dashes: string | undefined,
): readonly LineCompletion[] {
  const isSplit = open !== undefined && open.start < cursor.start;
  const typed = (dashes ?? cursor.text).toLowerCase();
  return Object.entries(command.options)
    .filter(([name]) => name.startsWith(typed) && !Object.hasOwn(values, name))
    .filter(([name]) => !isSplit || name !== open.option)
    .map(([name, option]) => ({
      line: `${line.slice(0, cursor.start)}${dashes === undefined ? namedLead(name, option) : `--${name} `}`,
      label: (option.kind === "flag" && option.default ? option.no : undefined) ?? option.description,
    }));
}

function namedLead(name: string, option: Option): string {
  return option.kind === "flag" ? `${name}:${option.default ? "no" : "yes"}` : `${name}:`;
}
