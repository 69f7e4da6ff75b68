import { UserError } from "../../errors.ts";
import type { AnyCommand } from "../command.ts";
import { nearest, quoteTyped } from "../nearest.ts";
import { TAKES, unknownOption, usualExample } from "../options/parse-options.ts";
import { lineWord, quoteValue, type Token } from "./tokens.ts";

/** A word that looks like an option's name with a colon. */
export const NAMED = /^([a-z][a-z\d-]*):/iu;

/** The name of such a word in lower case, where it is not quoted. */
function likelyName({ text, quotedFrom }: Token): string | undefined {
  const name = NAMED.exec(text)?.[1];
  return name === undefined || name.length >= quotedFrom ? undefined : name.toLowerCase();
}

/**
 * Refuses `name:value` with a name that the command has not: one that is near to an option's (`hgh:70000`), and one that
 * another command has (`from:22:00`). Any other may be a value.
 */
export function refuseForeignNames(
  command: AnyCommand,
  tokens: readonly Token[],
  commands: readonly AnyCommand[],
): void {
  const named = tokens.flatMap((token, at) => {
    const name = likelyName(token);
    return name === undefined || Object.hasOwn(command.options, name) ? [] : [{ name, token, at }];
  });
  for (const { name, token, at } of named) {
    // A shorter name is near to too many others.
    const near = name.length < 3 ? undefined : nearest(name, Object.keys(command.options));
    if (near === undefined) continue;
    const right = { ...token, text: `${near}${token.text.slice(name.length)}` };
    throw new UserError(`${command.name} has no option ${quoteTyped(name)}.`, {
      remedy: `Did you mean ${near}?`,
      suggestion: [command.name, ...tokens.with(at, right).map(lineWord)].join(" "),
    });
  }
  const foreign = named.filter(({ name }) => commands.some(({ options }) => Object.hasOwn(options, name)));
  const [first] = foreign;
  if (first === undefined) return;
  const given = foreign.map(({ name, token }) => [name, token.text.slice(name.length + 1)]);
  const error = unknownOption(command, first.name);
  const instead = command.instead?.(Object.fromEntries(given));
  if (instead === undefined) throw error;
  const rest = tokens.filter((token) => !foreign.some((one) => one.token === token));
  throw new UserError(error.message, {
    remedy: "Did you mean:",
    suggestion: [command.name, ...rest.map(lineWord), instead].join(" "),
  });
}

/** Whether a word is neither a network nor near to one. */
export function isNoNetwork(typed: string, networks: readonly string[]): boolean {
  const word = typed.toLowerCase();
  return nearest(word, networks) === undefined && !networks.some((one) => one.toLowerCase().startsWith(word));
}

/** `market show btc usdt`: the second word would be a network, and is more likely to be the end of the first. */
export function refuseSplitValue(
  command: AnyCommand,
  bare: readonly Token[],
  values: ReadonlyMap<string, string | boolean>,
  networks: readonly string[],
): void {
  const places = Object.entries(command.options).filter(([name]) => !values.has(name));
  const at = places.findIndex(([, { kind }]) => kind === "network");
  const [, before] = places[at - 1] ?? [];
  const [first, second] = [bare[at - 1], bare[at]];
  if (before?.kind !== "text" || before.rest === true || first === undefined || second === undefined) return;
  if (!isNoNetwork(second.text, networks)) return;
  const value = bare
    .slice(at - 1)
    .map(({ text }) => text)
    .join(" ");
  const earlier = bare.slice(0, at - 1).map(lineWord);
  const named = [...values].map(([name, given]) => `${name}:${quoteValue(String(given))}`);
  throw new UserError(`There is no network ${quoteTyped(second.text)} here.`, {
    option: "network",
    remedy: `It is one of ${networks.join(", ")}. A value with spaces stands in quotes:`,
    suggestion: [command.name, ...earlier, quoteValue(value), ...named].join(" "),
  });
}

/** `order rejected ab12`, `order ab12 rejected`: of the two, the word with a digit is more likely to be the id. */
export function refuseWordBesideId(command: AnyCommand, bare: readonly Token[], at: number, name: string): void {
  const [before, word] = [bare[at - 1], bare[at]];
  if (at !== 1 || before === undefined || word === undefined) return;
  const id = !/\d/u.test(before.text) && /\d/u.test(word.text) ? word : before;
  throw new UserError(`${name} is a whole number, not ${quoteTyped(word.text)}.`, {
    option: name,
    remedy: "Did you mean this one?",
    suggestion: `${command.name} ${lineWord(id)}`,
  });
}

/** The mistake of a word that the command has no place for. */
export function unexpectedWord(command: AnyCommand, token: Token): UserError {
  const likely = NAMED.exec(token.text)?.[1];
  if (likely !== undefined) return unknownOption(command, likely);
  return new UserError(`${command.name} takes no ${quoteTyped(token.text)} here.`, {
    remedy: `Put a value with spaces in quotes. ${TAKES} help ${command.name}. For example:`,
    suggestion: usualExample(command),
  });
}
