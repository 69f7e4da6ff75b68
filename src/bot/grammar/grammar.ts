// The typed line: a command, bare values in the order of its options, and named ones.
// tokens.ts splits it into words, find-command.ts finds the command, complete-line.ts completes it, usage.ts prints a command's syntax.

import { UserError } from "../../errors.ts";
import type { Ask } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import type { AnyCommand } from "../command.ts";
import { nearest, quoteTyped } from "../nearest.ts";
import type { Option, Options } from "../options/options.ts";
import { isFlagWord, unknownOption } from "../options/parse-options.ts";
import { parseTimeSpan } from "../options/time-span.ts";
import { findCommand } from "./find-command.ts";
import { lineWord, quoteValue, type Token, tokenize } from "./tokens.ts";

/** At most this many words make one time: `7 days ago`, `2023-05-01 12:30 utc`. */
const MAX_TIME_WORDS = 3;

/**
 * A typed line as a command with raw values: `market show BTC/USDT network:testnet --private`.
 * Bare values fill the options in their order; `name:value`, `--name value`, `--name=value`, `--flag` and `--no-flag`
 * name them; a colon names an option only if the command declares it. A bare word that is a flag's name sets it; one that
 * is another option's name, with a bare word behind it, names it, too: `until 07:00`.
 * An empty line and `?` are `help`. A platform's slash command before it, as in `/bell time`, is ignored. With `networks`,
 * a bare word in the place of a network that is none is the caller's mistake here, with the line that was probably meant.
 * @throws UserError for an unknown command or option, a value too many, an option given twice, an open quote.
 */
export function parseLine(
  line: string,
  commands: readonly AnyCommand[],
  now: Nanoseconds,
  networks?: readonly string[],
): Ask {
  const tokens = withoutSlash(line.replace(/^\s*\?(?=\s|$)/u, "help"), commands);
  if (tokens.length === 0) return { command: "help", options: {} };
  const { command, words } = findCommand(tokens, commands);
  const raw = new Map<string, string | boolean>();
  const bare: Token[] = [];
  refuseMistypedOption(command, tokens, words);
  refuseForeignOptions(command, tokens.slice(words), commands);
  readNamed(command, tokens.slice(words), raw, bare, now);
  if (networks !== undefined) refuseSplitValue(command, bare, raw, networks);
  takeRange(command, bare, raw, now);
  fillPositional(command, bare, raw, now);
  return { command: command.name, options: Object.fromEntries(raw) };
}

function withoutSlash(line: string, commands: readonly AnyCommand[]): readonly Token[] {
  const trimmed = line.trim();
  const tokens = tokenize(trimmed.replace(/^\//u, ""));
  if (!trimmed.startsWith("/")) return tokens;
  const firstWords = new Set(commands.map(({ name }) => name.split(" ")[0]));
  const [first, second] = tokens.map((token) => firstWords.has(token.text.toLowerCase()));
  return first === false && second === true ? tokens.slice(1) : tokens;
}

/** The option named as `name:value`; undefined for a plain value. */
export function namedByColon(token: Token, options: Options): { name: string; value: string } | undefined {
  const match = /^([a-z][a-z\d-]*)[:=]/iu.exec(token.text);
  const name = match?.[1]?.toLowerCase();
  if (match === null || name === undefined || match[0].length > token.quotedFrom || !Object.hasOwn(options, name)) {
    return undefined;
  }
  return { name, value: token.text.slice(match[0].length) };
}

/** The option named with dashes, including the long ones of phones. */
function namedByDashes(token: Token): { name: string; value: string | undefined } | undefined {
  const match = /^(?:--|—|–)([a-z][a-z\d-]*)(?:=(.*))?$/isu.exec(token.text);
  if (match === null || token.quotedFrom === 0) return undefined;
  return { name: (match[1] ?? "").toLowerCase(), value: match[2] };
}

/** `hgh:70000` is no value: its name is too near to an option's. Shorter names could be anything. */
function refuseMistypedOption(command: AnyCommand, tokens: readonly Token[], words: number): void {
  const { options } = command;
  for (const [at, token] of tokens.entries()) {
    const name = NAMED.exec(token.text)?.[1]?.toLowerCase();
    if (at < words || name === undefined || name.length < 3 || name.length >= token.quotedFrom) continue;
    if (Object.hasOwn(options, name)) continue;
    const near = nearest(name, Object.keys(options));
    if (near === undefined) continue;
    const right = { ...token, text: `${near}${token.text.slice(name.length)}` };
    throw new UserError(`${command.name} has no option ${quoteTyped(name)}.`, {
      remedy: `Did you mean ${near}?`,
      suggestion: [command.name, ...tokens.with(at, right).slice(words).map(lineWord)].join(" "),
    });
  }
}

/** `from:22:00` in a command that has no such option, and another one has: no value, whatever stands in its place. */
function refuseForeignOptions(command: AnyCommand, tokens: readonly Token[], commands: readonly AnyCommand[]): void {
  const known = new Set(commands.flatMap(({ options }) => Object.keys(options)));
  const given: Record<string, string> = {};
  const rest: Token[] = [];
  for (const token of tokens) {
    const [lead, name = ""] = NAMED.exec(token.text.toLowerCase()) ?? [];
    const foreign = lead !== undefined && name.length < token.quotedFrom && known.has(name);
    if (foreign && !Object.hasOwn(command.options, name)) given[name] = token.text.slice(lead.length);
    else rest.push(token);
  }
  const [first] = Object.keys(given);
  if (first === undefined) return;
  const error = unknownOption(command.name, command.options, first);
  const instead = command.instead?.(given);
  if (instead === undefined) throw error;
  throw new UserError(error.message, {
    remedy: "Did you mean:",
    suggestion: [command.name, ...rest.map(lineWord), instead].join(" "),
  });
}

function readNamed(
  command: AnyCommand,
  tokens: readonly Token[],
  raw: Map<string, string | boolean>,
  bare: Token[],
  now: Nanoseconds,
): void {
  const { options } = command;
  const set = (name: string, value: string | boolean): void => {
    if (raw.has(name)) {
      throw new UserError(`${name} is given twice.`, { option: name, remedy: "Give each option once." });
    }
    raw.set(name, value);
  };
  // Where bare words run to the end of the line, an option's name may be one of them: `help market show`.
  const words = Object.values(options).some((option) => option.kind === "text" && option.rest === true);
  const takesNext = (name: string, next: Token): boolean =>
    !words && !raw.has(name) && namedByColon(next, options) === undefined && namedByDashes(next) === undefined;
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    at += 1;
    if (token === undefined) continue;
    const colon = namedByColon(token, options);
    const dashes = colon === undefined ? namedByDashes(token) : undefined;
    if (colon !== undefined) {
      const taken = withTimeWords(options[colon.name], colon.value, token, tokens.slice(at), now);
      at += taken.words;
      if (taken.value === "" && token.quotedFrom === Number.POSITIVE_INFINITY) {
        throw new UserError(`${colon.name} has no value.`, {
          option: colon.name,
          remedy: `Write it right behind the colon: ${colon.name}:value.`,
        });
      }
      set(colon.name, taken.value);
    } else if (dashes !== undefined) {
      const negated = /^no-(.+)$/u.exec(dashes.name)?.[1];
      const option = Object.hasOwn(options, dashes.name) ? options[dashes.name] : undefined;
      if (option?.kind === "flag") {
        set(dashes.name, dashes.value ?? true);
      } else if (option !== undefined) {
        const next = tokens[at];
        if (dashes.value === undefined && (next === undefined || namedByDashes(next) !== undefined)) {
          throw new UserError(`--${dashes.name} has no value.`, {
            option: dashes.name,
            remedy: `Write --${dashes.name} value.`,
          });
        }
        if (dashes.value === undefined) at += 1;
        const taken = withTimeWords(option, dashes.value ?? next?.text ?? "", next ?? token, tokens.slice(at), now);
        at += taken.words;
        set(dashes.name, taken.value);
      } else if (negated !== undefined && Object.hasOwn(options, negated) && options[negated]?.kind === "flag") {
        set(negated, false);
      } else {
        throw unknownOption(command.name, options, dashes.name);
      }
    } else {
      const name = token.text.toLowerCase();
      const named = token.quotedFrom > 0 && Object.hasOwn(options, name) ? options[name] : undefined;
      // `for the night`: a value is no article.
      const article = named?.kind === "text" && !words && /^(?:a|the)$/iu.test(tokens[at]?.text ?? "");
      if (article && tokens[at + 1] !== undefined) at += 1;
      const next = tokens[at];
      if (named?.kind === "flag") {
        set(name, true);
      } else if (named !== undefined && next !== undefined && takesNext(name, next)) {
        at += 1;
        const taken = withTimeWords(named, next.text, next, tokens.slice(at), now);
        at += taken.words;
        set(name, taken.value);
      } else {
        bare.push(token);
      }
    }
  }
}

/** `market show btc usdt`: the second word would be a network, and is more likely to be the end of the first. */
function refuseSplitValue(
  command: AnyCommand,
  bare: readonly Token[],
  raw: ReadonlyMap<string, string | boolean>,
  networks: readonly string[],
): void {
  const places = Object.entries(command.options).filter(([name]) => !raw.has(name));
  const at = places.findIndex(([, { kind }]) => kind === "network");
  const [, before] = places[at - 1] ?? [];
  const [first, second] = [bare[at - 1], bare[at]];
  if (before?.kind !== "text" || before.rest === true || first === undefined || second === undefined) return;
  const word = second.text.toLowerCase();
  if (nearest(word, networks) !== undefined || networks.some((one) => one.toLowerCase().startsWith(word))) return;
  const value = bare
    .slice(at - 1)
    .map(({ text }) => text)
    .join(" ");
  const earlier = bare.slice(0, at - 1).map(lineWord);
  const named = [...raw].map(([name, given]) => `${name}:${quoteValue(String(given))}`);
  throw new UserError(`There is no network ${quoteTyped(second.text)} here.`, {
    option: "network",
    remedy: `It is one of ${networks.join(", ")}. A value with spaces stands in quotes:`,
    suggestion: [command.name, ...earlier, quoteValue(value), ...named].join(" "),
  });
}

function fillPositional(
  command: AnyCommand,
  bare: readonly Token[],
  raw: Map<string, string | boolean>,
  now: Nanoseconds,
): void {
  if (bare.length === 0) return;
  let at = 0;
  for (const [name, option] of Object.entries(command.options)) {
    const token = bare[at];
    if (token === undefined) return;
    if (raw.has(name)) continue;
    if (option.kind === "text" && option.rest === true) {
      raw.set(
        name,
        bare
          .slice(at)
          .map((word) => word.text)
          .join(" "),
      );
      return;
    }
    if (option.kind === "flag" && !isFlagWord(token.text)) throw unexpected(command, token);
    if (option.kind !== "text" && option.kind !== "choice" && NAMED.test(token.text)) throw unexpected(command, token);
    if (option.kind === "integer" && !/^[+-]?\d+$/u.test(token.text)) refuseWordBesideId(command, bare, at, name);
    const taken = withTimeWords(option, token.text, token, bare.slice(at + 1), now);
    raw.set(name, taken.value);
    at += 1 + taken.words;
  }
  const extra = bare[at];
  if (extra !== undefined) throw unexpected(command, extra);
}

/** `ledger export ab12 last month`: wherever it stands, `last month` is the first time that the command takes. */
function takeRange({ options }: AnyCommand, bare: Token[], raw: Map<string, string | boolean>, now: Nanoseconds): void {
  if (Object.values(options).some((option) => option.kind === "text" && option.rest === true)) return;
  const [name, option] = Object.entries(options).find(([one, { kind }]) => kind === "time" && !raw.has(one)) ?? [];
  for (const [at, token] of name === undefined ? [] : bare.entries()) {
    const taken = RANGE.test(token.text)
      ? withTimeWords(option, token.text, token, bare.slice(at + 1), now)
      : undefined;
    if (taken === undefined || taken.words === 0) continue;
    bare.splice(at, 1 + taken.words);
    raw.set(name ?? "", taken.value);
    return;
  }
}

/** The first word of `last month`, `this week`. */
const RANGE = /^(?:last|this)$/iu;

/** `order rejected ab12`, `order ab12 rejected`: of the two, the word with a digit is more likely to be the id. */
function refuseWordBesideId(command: AnyCommand, bare: readonly Token[], at: number, name: string): void {
  const [before, word] = [bare[at - 1], bare[at]];
  if (at !== 1 || before === undefined || word === undefined) return;
  const id = !/\d/u.test(before.text) && /\d/u.test(word.text) ? word : before;
  throw new UserError(`${name} is a whole number, not ${quoteTyped(word.text)}.`, {
    option: name,
    remedy: "Did you mean this one?",
    suggestion: `${command.name} ${lineWord(id)}`,
  });
}

/** Looks like an option's name with a colon. */
const NAMED = /^([a-z][a-z\d-]*):/iu;

function unexpected(command: AnyCommand, token: Token): UserError {
  const likely = NAMED.exec(token.text)?.[1];
  if (likely !== undefined) return unknownOption(command.name, command.options, likely);
  const names = Object.keys(command.options);
  return new UserError(`${command.name} takes no ${quoteTyped(token.text)} here.`, {
    remedy: `It takes ${names.join(", ")}, in this order; put a value with spaces in quotes.`,
  });
}

/** A value takes the following words that make one time with it: `last month`, `tomorrow 7am`, `8 hours`; the longest match wins. */
function withTimeWords(
  option: Option | undefined,
  value: string,
  token: Token,
  following: readonly Token[],
  now: Nanoseconds,
): { value: string; words: number } {
  const quoted = token.quotedFrom !== Number.POSITIVE_INFINITY;
  if (quoted || (option?.kind !== "text" && option?.kind !== "time")) return { value, words: 0 };
  for (let words = Math.min(MAX_TIME_WORDS - 1, following.length); words > 0; words -= 1) {
    const joined = [value, ...following.slice(0, words).map((word) => word.text)].join(" ");
    if (parseTimeSpan(joined, now) !== undefined) return { value: joined, words };
  }
  return { value, words: 0 };
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

/** An invocation as a typed line, with quotes where values need them. */
export function formatLine(ask: Ask): string {
  let line = ask.command;
  for (const name of Object.keys(ask.options)) line += ` ${name}:${quoteValue(String(ask.options[name]))}`;
  return line;
}
