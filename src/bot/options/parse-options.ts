import { type Sentence, UserError } from "../../errors.ts";
import { shortenId } from "../../reply/text.ts";
import type { Nanoseconds } from "../../units/time.ts";
import { formatCount } from "../../units/format-number.ts";
import { parseTypedInteger } from "../../units/typed-number.ts";
import type { AnyCommand } from "../command.ts";
import { didYouMean, nearest, nearestTwo, quoteTyped } from "../nearest.ts";
import type { GivenFile, Option, Options, OptionValue } from "./options.ts";
import { SAVE_PARTY, takesParty } from "./saved-parties.ts";
import { nearestTime, parseTimeSpan } from "./time-span.ts";

type RawOptions = Readonly<Record<string, string | number | boolean>>;

/**
 * All raw values of a command, checked and typed; omitted flags get their default.
 * @throws UserError for the first mistake, in the order of declaration.
 */
export function parseOptions(
  command: Pick<AnyCommand, "name" | "options" | "examples">,
  raw: RawOptions,
  context: ParseContext,
): Record<string, OptionValue> {
  for (const name of Object.keys(raw)) {
    if (!Object.hasOwn(command.options, name)) throw unknownOption(command, name);
  }
  const values: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (given !== undefined) {
      values[name] = parseOption(name, option, given, context);
    } else if (option.kind === "flag") {
      values[name] = option.default;
    } else if ("required" in option && option.required) {
      throw missingOption(command, name, raw, context.fill);
    }
  }
  return values;
}

/** What a command does with values, as a person says it: `Export a ledger in USDT from last week and check it`. */
export function sentenceOf(
  { name, title, verb, options }: Pick<AnyCommand, "name" | "title" | "verb" | "options">,
  given: RawOptions = {},
): string {
  const said = Object.entries(options).flatMap(([option, { kind, phrase = "…" }]) => {
    const value = given[option];
    if (value === undefined || (kind === "flag" && !TRUE_WORDS.includes(String(value)))) return [];
    if (kind === "flag") return [phrase === "…" ? option : phrase];
    return [(kind === "network" ? "on …" : phrase).replace("…", () => shortenId(String(value)))];
  });
  return [title ?? verb ?? name, ...said].join(" ");
}

/** The mistake of a command without a value that it needs, with an example that keeps what was given. */
export function missingOption(
  command: Pick<AnyCommand, "name" | "title" | "verb" | "options" | "examples">,
  name: string,
  raw: RawOptions,
  fill: ParseContext["fill"],
): UserError {
  const [example] = command.examples;
  const option = command.options[name];
  const { question, description = "", hint } = option ?? {};
  const said = question === undefined ? description : (hint ?? description);
  const given = question !== undefined && Object.keys(raw).length > 0 ? sentenceOf(command, raw) : undefined;
  const words =
    given === undefined
      ? said
      : `To ${given[0]?.toLowerCase()}${given.slice(1)}, give ${said[0]?.toLowerCase()}${said.slice(1)}`;
  const taken = takenAs(name, command.options, raw);
  const needs = question ?? `${command.name} needs ${article(name)}.`;
  const instead = taken === undefined ? "" : ` ${quoteTyped(taken.value)} was taken as its ${taken.name}.`;
  return new UserError(`${needs}${instead}`, {
    option: name,
    asks: question !== undefined && taken === undefined,
    explains: taken === undefined ? [] : [taken.name],
    starts: takesParty(option) ? [SAVE_PARTY] : [],
    remedy: `${words}${words.endsWith(".") ? "" : "."} For example:`,
    ...(example === undefined ? {} : { suggestion: fill?.(example, raw) ?? example }),
  });
}

export function unknownOption(command: Pick<AnyCommand, "name" | "options" | "examples">, typed: string): UserError {
  const near = nearestTwo(typed, Object.keys(command.options));
  const meant = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  return new UserError(`${command.name} has no option ${quoteTyped(typed)}.`, {
    remedy: `${meant}${TAKES} help ${command.name}. For example:`,
    suggestion: usualExample(command),
  });
}

/** Continued by the command that lists it. */
export const TAKES = "All that it takes is listed by";

/** One that shows more than the name of a command, where it has such. */
export function usualExample({ name, examples }: Pick<AnyCommand, "name" | "examples">): string {
  return examples.find((one) => one !== name) ?? name;
}

/** A bare value may have been taken for another option: names that option, unless the value is an id. */
function takenAs(missing: string, options: Options, raw: RawOptions): { name: string; value: string } | undefined {
  const before = Object.keys(options).slice(0, Object.keys(options).indexOf(missing));
  const [name, value] =
    before.flatMap((one) => (typeof raw[one] === "string" ? [[one, raw[one]] as const] : []))[0] ?? [];
  return name === undefined || value === undefined || WHOLE_ID.test(value) ? undefined : { name, value };
}

const WHOLE_ID = /^[0-9a-f]{64}$/iu;

function article(name: string): string {
  return /^[aeiou]/u.test(name) ? `an ${name}` : `a ${name}`;
}

/** The context that parsing needs beside the option. */
export interface ParseContext {
  readonly now: Nanoseconds;
  readonly networks: readonly string[];
  /** An example of the command with what was given in it. */
  readonly fill?: ((example: string, given: RawOptions) => string) | undefined;
  /** The file that a value stands for; left out where no file can be given. */
  readonly openFile?: ((given: string) => GivenFile | undefined) | undefined;
}

const DEFAULT_MAX_LENGTH = 200;
const TRUE_WORDS = ["true", "yes", "on", "1", "y"];
const FALSE_WORDS = ["false", "no", "off", "0", "n"];

/** Whether a word says yes or no. */
export function isFlagWord(word: string): boolean {
  return [...TRUE_WORDS, ...FALSE_WORDS].includes(word.toLowerCase());
}

/**
 * One raw value, as typed or as a platform sent it, checked and typed.
 * @throws UserError with the mistake, the accepted form and the nearest match.
 */
export function parseOption(
  name: string,
  option: Option,
  raw: string | number | boolean,
  context: ParseContext,
): OptionValue {
  const typed = String(raw).trim();
  switch (option.kind) {
    case "text": {
      const maxLength = option.maxLength ?? DEFAULT_MAX_LENGTH;
      if (typed !== "" && typed.length <= maxLength) return typed;
      const long = `has ${typed.length} characters; at most ${maxLength} are taken`;
      const wrong = typed === "" ? "is empty" : long;
      throw wrongValue(name, (named) => `${named(name)} ${wrong}.`, `Give a value such as ${option.example}.`);
    }
    case "integer":
      return parseInteger(name, option, typed);
    case "choice": {
      const wanted = typed.toLowerCase();
      const found = option.choices.find(
        (choice) => choice.value.toLowerCase() === wanted || choice.label.toLowerCase() === wanted,
      );
      if (found !== undefined) return found.value;
      const values = option.choices.map((choice) => choice.value);
      throw oneOf(name, (named) => `${quoteTyped(typed)} is no ${named(name)}.`, typed, values);
    }
    case "flag": {
      const wanted = typed.toLowerCase();
      if (TRUE_WORDS.includes(wanted)) return true;
      if (FALSE_WORDS.includes(wanted)) return false;
      throw wrongValue(
        name,
        (named) => `${named(name)} is yes or no, not ${quoteTyped(typed)}.`,
        (named) => `Write ${named(name, "yes")} or ${named(name, "no")}.`,
      );
    }
    case "time":
      return parseTimeSpan(typed, context.now) ?? refuseTimeSpan(name, typed);
    case "file": {
      const file = context.openFile?.(typed);
      if (file !== undefined) return file;
      throw new UserError(`${quoteTyped(typed)} is a name, and no file came with it.`, {
        option: name,
        remedy: "See how to give a file here:",
        suggestion: option.otherwise,
      });
    }
    case "network":
      return parseNetwork(name, typed, context.networks);
  }
}

function refuseTimeSpan(name: string, typed: string): never {
  const remedy = "Write 2023-05-01, 2023-05-01 12:30 (UTC), 7d, yesterday or last month.";
  if (!/^\d{1,4}[/.]\d{1,2}[/.]\d{1,4}$/u.test(typed)) return refuseTime(name, typed, remedy);
  throw wrongValue(name, (named) => `${named(name)} could be two dates: ${quoteTyped(typed)}.`, remedy);
}

/** @throws UserError with the nearest time, else with the remedy. */
export function refuseTime(option: string, typed: string, remedy: string): never {
  const near = nearestTime(typed);
  throw new UserError((named) => `${named(option)} is a time, not ${quoteTyped(typed)}.`, {
    option,
    ...(near === undefined ? { remedy } : didYouMean(typed, near)),
  });
}

/** Finds a network by its name, or by a beginning that only one name has. @throws UserError where there is none. */
export function parseNetwork(name: string, typed: string, networks: readonly string[]): string {
  const wanted = typed.toLowerCase();
  const exact = networks.find((network) => network.toLowerCase() === wanted);
  const [first, ...others] = wanted === "" ? [] : networks.filter((one) => one.toLowerCase().startsWith(wanted));
  const only = exact ?? (others.length === 0 ? first : undefined);
  if (only !== undefined) return only;
  throw oneOf(name, `There is no network ${quoteTyped(typed)} here.`, typed, networks);
}

function parseInteger(name: string, option: { min: number; max: number }, typed: string): number {
  const right = `Give a whole number from ${formatCount(option.min)} to ${formatCount(option.max)}.`;
  const value = parseTypedInteger(typed);
  if (value === undefined)
    throw wrongValue(name, (named) => `${named(name)} is a whole number, not ${quoteTyped(typed)}.`, right);
  if (value < BigInt(option.min) || value > BigInt(option.max)) {
    throw wrongValue(name, (named) => `${named(name)} cannot be ${quoteTyped(typed)}.`, right);
  }
  return Number(value);
}

/** The mistake, the values that are right, and the nearest one to choose. */
function oneOf(option: string, message: Sentence, typed: string, values: readonly string[]): UserError {
  const list = values.length === 1 ? `The only one is ${values[0] ?? ""}.` : `It is one of ${values.join(", ")}.`;
  return new UserError(message, { option, ...didYouMean(typed, nearest(typed, values), list) });
}

function wrongValue(option: string, message: Sentence, remedy: Sentence): UserError {
  return new UserError(message, { option, remedy });
}
