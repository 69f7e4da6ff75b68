import { UserError } from "../../errors.ts";
import type { AnyCommand } from "../command.ts";
import { misspelt, nearest, quoteTyped } from "../nearest.ts";
import { isContentWord, plainWords } from "./plain-words.ts";
import { stem } from "./stem.ts";
import { lineWord, type Token, tokenize } from "./tokens.ts";
import { isRequired } from "./usage.ts";

/** Offered to whoever types what is no command, a greeting for instance: each answers without any value. */
const STARTS = ["time", "market list", "alerts status", "help"];
/** How many commands near to the words are offered before them. */
const MAX_NEAR = 3;

/**
 * The words of a line without a platform's slash command before them; `?` at the start is `help`.
 * @throws UserError when a quote is never closed or the line is too long; never with `lenient`, but for the length.
 */
export function lineTokens(line: string, commands: readonly AnyCommand[], lenient = false): readonly Token[] {
  const trimmed = lenient ? line : line.trimEnd();
  const start = trimmed.length - trimmed.trimStart().length;
  const slash = trimmed[start] === "/";
  const tokens = tokenize(trimmed, { lenient, from: slash ? start + 1 : start });
  const [first, second] = tokens;
  if (first?.text === "?" && first.end - first.start === 1) return tokens.with(0, { ...first, text: "help" });
  if (!slash || first === undefined || second === undefined) return tokens;
  const isName = ({ text }: Token): boolean =>
    commands.some(({ name }) => name.split(" ", 1)[0] === text.toLowerCase());
  return !isName(first) && isName(second) ? tokens.slice(1) : tokens;
}

/** A command, and how many words of the line name it. */
export interface Found {
  readonly command: AnyCommand;
  readonly words: number;
}

/** The command that words call at the start of a line; undefined where they call none, or only one that changes something. */
export function calledCommand(tokens: readonly Token[], commands: readonly AnyCommand[]): Found | undefined {
  const words = tokens.slice(0, MAX_CALL_WORDS).map((token) => token.text.toLowerCase());
  const found = commandAt(words, commands);
  if (found !== undefined) return found;
  const called = calledAt(words, commands);
  return called?.command.changes === true ? undefined : called;
}

/**
 * The command at the start of a line, and how many words name it: two before one.
 * @throws UserError with the line that was probably meant.
 */
export function findCommand(tokens: readonly Token[], commands: readonly AnyCommand[]): Found {
  const found = calledCommand(tokens, commands);
  if (found !== undefined) return found;
  const words = tokens.map((token) => token.text.toLowerCase());
  const [first = "", second] = words;
  const lineOf = (name: string, from: number): string => [name, ...tokens.slice(from).map(lineWord)].join(" ");
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const names = group.map(({ name }) => name);
    const meant = second === undefined ? undefined : meantInGroup(`${first} ${second}`, group);
    throw new UserError(
      second === undefined
        ? `${first} needs a second word.`
        : `There is no command ${quoteTyped(`${first} ${second}`)}.`,
      {
        remedy: `${meant === undefined ? "" : `Did you mean ${meant.name}? `}${names.length === 1 ? `The only ${first} command is` : `The ${first} commands are`} ${names.join(", ")}.`,
        suggestion: lineOf(meant?.name ?? names[0] ?? "help", meant?.words ?? 2),
        starts: startsOf(group, meant === undefined ? [] : [meant.name]),
      },
    );
  }
  const meant = meantCommand(words, commands);
  const sentence = `There is no command ${quoteTyped(words.slice(0, 2).join(" "))}.`;
  if (meant !== undefined) {
    const isWithin = meant.words > 2;
    throw new UserError(
      isWithin ? `No command answers ${quoteTyped(tokens.map(({ text }) => text).join(" "))}.` : sentence,
      {
        remedy: `${isWithin ? "Ask in English. " : ""}Did you mean ${meant.name}? Type help to see all commands.`,
        suggestion: lineOf(meant.name, meant.words),
        // A command within a sentence may be the wrong one.
        starts: startsOf(commands, isWithin ? [...new Set([meant.name, ...STARTS])] : [meant.name]),
      },
    );
  }
  const [token] = tokens;
  const byOption = token === undefined ? undefined : meantByOption(token, commands);
  if (byOption !== undefined) {
    throw new UserError(sentence, {
      remedy: `Did you mean ${byOption.name}? Type help to see all commands.`,
      suggestion: [byOption.name, byOption.word, ...tokens.slice(1).map(lineWord)].join(" "),
    });
  }
  throw new UserError(sentence, {
    remedy:
      "Ask in plain words, in English: is the network healthy. The commonest commands are below; help shows all of them.",
    suggestion: "help",
    starts: nearStarts(words.join(" "), commands),
  });
}

/** A press for each command that a word nearly calls, the one with most first, and for those that people ask for most. */
export function nearStarts(typed: string, commands: readonly AnyCommand[]): ReturnType<typeof startsOf> {
  const words = plainWords(typed).filter(isContentWord);
  const scored = commands.map(({ name, alsoCalled = [] }) => {
    const called = [name, ...alsoCalled].flatMap((one) => one.split(" ")).filter(isContentWord);
    const stems = new Set(called.map(stem));
    return { name, score: words.filter((one) => stems.has(stem(one)) || misspelt(one, called) !== undefined).length };
  });
  const near = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return startsOf(commands, [...new Set([...near.slice(0, MAX_NEAR).map(({ name }) => name), ...STARTS])]);
}

/** A press for each of these commands that asks for what it lacks, and changes nothing. */
function startsOf(
  commands: readonly AnyCommand[],
  names: readonly string[] = STARTS,
): readonly { readonly label: string; readonly command: string }[] {
  return names.flatMap((start) =>
    commands
      .filter(({ name, changes }) => name === start && changes !== true)
      .map(({ name, title, verb }) => ({ label: title ?? verb ?? name, command: name })),
  );
}

/** A command that was probably meant, and how many words of the line name it. */
interface Meant {
  readonly name: string;
  readonly words: number;
}

/** The most words that call a command. */
const MAX_CALL_WORDS = 3;

/** The command that people call by the words at the start: three before two before one. */
function calledAt(words: readonly string[], commands: readonly AnyCommand[]): Found | undefined {
  return atStart(words, MAX_CALL_WORDS, (name) => commands.find((one) => one.alsoCalled?.includes(name)));
}

/** The command whose name the words at the start are. */
function commandAt(words: readonly string[], commands: readonly AnyCommand[]): Found | undefined {
  return atStart(words, 2, (name) => commands.find((one) => one.name === name));
}

function atStart(
  words: readonly string[],
  most: number,
  find: (name: string) => AnyCommand | undefined,
): Found | undefined {
  for (let count = Math.min(most, words.length); count > 0; count -= 1) {
    const command = find(words.slice(0, count).join(" "));
    if (command !== undefined) return { command, words: count };
  }
  return undefined;
}

/** Of the commands with the same first word: one called so, or nearly, else the only question that needs a value. */
function meantInGroup(typed: string, group: readonly AnyCommand[]): Meant | undefined {
  const [, second = ""] = typed.split(" ");
  const near =
    group.find(({ alsoCalled }) => alsoCalled?.includes(second))?.name ??
    nearest(
      typed,
      group.map(({ name }) => name),
    );
  if (near !== undefined) return { name: near, words: 2 };
  const [asks, ...others] = group.filter(
    ({ changes, options }) => changes !== true && Object.values(options).some(isRequired),
  );
  return asks === undefined || others.length > 0 ? undefined : { name: asks.name, words: 1 };
}

/** In this order: a slip, the two words swapped, another word for it, words before it, its second word alone. */
function meantCommand(words: readonly string[], commands: readonly AnyCommand[]): Meant | undefined {
  const names = commands.map(({ name }) => name);
  const [first = "", second] = words;
  const named = (name: string | undefined): Meant | undefined =>
    name === undefined ? undefined : { name, words: name.split(" ").length };
  const slip = named(nearest([first, second].join(" ").trim(), names));
  if (slip !== undefined) return slip;
  const swapped = second === undefined ? undefined : named(nearest(`${second} ${first}`, names));
  if (swapped?.words === 2) return swapped;
  for (const at of words.keys()) {
    const rest = words.slice(at);
    const later = (at === 0 ? undefined : commandAt(rest, commands)) ?? calledAt(rest, commands);
    if (later !== undefined) return { name: later.command.name, words: at + later.words };
  }
  const bySecond = names.filter((name) => name.split(" ")[1] === first);
  const [only] = bySecond;
  if (only !== undefined && bySecond.length === 1) return { name: only, words: 1 };
  return named(nearestByFirst(first, names)) ?? slipInCalled(first, commands);
}

/** `stauts` for `status`, which people call `time`. */
function slipInCalled(typed: string, commands: readonly AnyCommand[]): Meant | undefined {
  if (typed.length < MIN_SLIP_LENGTH) return undefined;
  const near = nearest(
    typed,
    commands.flatMap(({ alsoCalled = [] }) => alsoCalled.filter((called) => !called.includes(" "))),
  );
  const command = near === undefined ? undefined : commands.find(({ alsoCalled }) => alsoCalled?.includes(near));
  return command === undefined ? undefined : { name: command.name, words: 1 };
}

/** `hgh:70000`: the first command with such an option, and the option as it is right. */
function meantByOption(token: Token, commands: readonly AnyCommand[]): { name: string; word: string } | undefined {
  const [, typed = ""] = /^([a-z][a-z\d-]*):./iu.exec(token.text) ?? [];
  if (typed.length < MIN_OPTION_LENGTH || typed.length >= token.quotedFrom) return undefined;
  const option = nearest(
    typed,
    commands.flatMap(({ options }) => Object.keys(options)),
  );
  const command = commands.find(({ options }) => option !== undefined && Object.hasOwn(options, option));
  if (command === undefined) return undefined;
  return { name: command.name, word: lineWord({ ...token, text: `${option}${token.text.slice(typed.length)}` }) };
}

const MIN_OPTION_LENGTH = 3;
/** Shorter words are near to too many others. */
const MIN_SLIP_LENGTH = 5;

/** The command whose first word, or whose only one, is nearest. */
function nearestByFirst(typed: string, names: readonly string[]): string | undefined {
  const firstOf = (name: string): string => name.split(" ")[0] ?? name;
  const near = nearest(typed, names.map(firstOf));
  return names.find((name) => firstOf(name) === near);
}
