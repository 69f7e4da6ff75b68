import type { Ask } from "../../reply/reply.ts";
import type { AnyCommand } from "../command.ts";
import type { Choice, Option } from "../options/options.ts";
import { namedByColon } from "./grammar.ts";
import { quoteValue, type Token, tokenize } from "./tokens.ts";

/** At most this many lines are offered. */
const MAX_LINES = 25;

/** Suggests values of one option: the command with the values before it, its name, and the text so far. */
export type SuggestValues = (ask: Ask, option: string, typed: string) => Promise<readonly Choice[]>;

/** A whole line to offer, and what its last word stands for: a market's name, what a command or an option is for. */
export interface LineCompletion {
  readonly line: string;
  readonly label?: string;
}

/** Whole lines that complete the text so far, best first. */
export async function completions(
  line: string,
  commands: readonly AnyCommand[],
  suggest: SuggestValues,
): Promise<readonly LineCompletion[]> {
  const tokens = tokenize(line, { lenient: true });
  const open = tokens.length > 0 && !/\s$/u.test(line);
  const found = commandOf(tokens, commands, open);
  if (found === undefined) {
    const typed = tokens.map((token) => token.text.toLowerCase()).join(" ") + (open || tokens.length === 0 ? "" : " ");
    return commands
      .filter(({ name }) => name.startsWith(typed))
      .map(({ name, summary }) => ({ line: `${name} `, label: summary }))
      .slice(0, MAX_LINES);
  }
  const { command, words } = found;
  const last = open ? tokens.at(-1) : undefined;
  const before = tokens.slice(words, open ? -1 : undefined);
  const prefix = last === undefined ? line : line.slice(0, last.start);
  const typed = readTyped(command, before);
  const lines: LineCompletion[] = [];
  const colon = last === undefined ? undefined : namedByColon(last, command.options);
  const offer = async (name: string, value: string, lead: string): Promise<void> => {
    const choices = await suggest({ command: command.name, options: typed.values }, name, value);
    for (const { label, value, typed: word = value } of choices) {
      lines.push({ line: `${prefix}${lead}${quoteValue(word)}`, ...(label === word ? {} : { label }) });
    }
  };
  const dashed = /^--([a-z\d-]*)$/iu.exec(last?.text ?? "");
  if (colon !== undefined) {
    await offer(colon.name, colon.value, `${colon.name}:`);
  } else if (typed.pending !== undefined) {
    await offer(typed.pending, last?.text ?? "", "");
  } else {
    const next = Object.keys(command.options).find((name) => !Object.hasOwn(typed.values, name));
    if (next !== undefined && dashed === null) await offer(next, last?.text ?? "", "");
    const beginning = (dashed?.[1] ?? last?.text ?? "").toLowerCase();
    for (const [name, option] of Object.entries(command.options)) {
      if (Object.hasOwn(typed.values, name) || !name.startsWith(beginning)) continue;
      const label = (option.kind === "flag" && option.default ? option.no : undefined) ?? option.description;
      lines.push({ line: `${prefix}${dashed === null ? namedLead(name, option) : `--${name} `}`, label });
    }
  }
  // The typed line is an offer, too, where another continues it: else a prompt would complete to their common prefix.
  const further = lines.some((candidate) => candidate.line !== line && candidate.line.startsWith(line));
  const byLine = new Map(lines.toReversed().map((one) => [one.line, one]));
  const inOrder = [...new Set(lines.map((one) => one.line))].flatMap((one) => byLine.get(one) ?? []);
  return inOrder.filter((candidate) => further || candidate.line !== line).slice(0, MAX_LINES);
}

function namedLead(name: string, option: Option): string {
  return option.kind === "flag" ? `${name}:${option.default ? "no" : "yes"}` : `${name}:`;
}

function commandOf(
  tokens: readonly Token[],
  commands: readonly AnyCommand[],
  open: boolean,
): { command: AnyCommand; words: number } | undefined {
  for (const words of [2, 1]) {
    const name = tokens
      .slice(0, words)
      .map((token) => token.text.toLowerCase())
      .join(" ");
    const command = tokens.length >= words ? commands.find((candidate) => candidate.name === name) : undefined;
    // The word under the cursor is still being typed: `market li` and even `order` may become something longer.
    if (command !== undefined && (tokens.length > words || !open)) return { command, words };
  }
  return undefined;
}

/** The values before the cursor, as far as they can be parsed; `pending` is an option whose value comes next. */
function readTyped(
  command: AnyCommand,
  tokens: readonly Token[],
): { values: Record<string, string | boolean>; pending: string | undefined } {
  const values: Record<string, string | boolean> = {};
  let pending: string | undefined;
  for (const token of tokens) {
    const colon = namedByColon(token, command.options);
    const dashes = /^--([a-z\d-]+)(?:=(.*))?$/iu.exec(token.text);
    const flag = token.text.toLowerCase();
    if (pending !== undefined) {
      values[pending] = token.text;
      pending = undefined;
    } else if (colon !== undefined) {
      values[colon.name] = colon.value;
    } else if (dashes !== null) {
      const name = (dashes[1] ?? "").toLowerCase();
      if (command.options[name]?.kind === "flag") values[name] = true;
      else if (dashes[2] !== undefined) values[name] = dashes[2];
      else if (Object.hasOwn(command.options, name)) pending = name;
    } else if (command.options[flag]?.kind === "flag") {
      values[flag] = true;
    } else {
      const next = Object.keys(command.options).find((name) => !Object.hasOwn(values, name));
      if (next !== undefined) values[next] = token.text;
    }
  }
  return { values, pending };
}
