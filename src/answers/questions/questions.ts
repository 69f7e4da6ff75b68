// Questions in plain words: which commands a sentence may ask for, by the words that each declares (`asked`), and the
// values that it says.

import type { AnyCommand, CommandContext } from "../../bot/command.ts";
import {
  affirmed,
  asksOfPast,
  inUsualCase,
  isContentWord,
  isNegation,
  isParticle,
  mayComplain,
  plainWords,
  unreadWords,
  SMALL_WORDS,
  withoutException,
} from "../../bot/grammar/plain-words.ts";
import { stem } from "../../bot/grammar/stem.ts";
import { COINS } from "../ids/typed-ids.ts";
import { isRequired } from "../../bot/grammar/usage.ts";
import { misspelt } from "../../bot/nearest.ts";
import type { UserError } from "../../errors.ts";
import type { Ask } from "../../reply/reply.ts";
import { type Option, type Options, type Said, type SuggestContext } from "../../bot/options/options.ts";
import { asTyped, asWritten, cross, saidTimes, without } from "../../bot/options/said.ts";
import { DAY_WORDS, TIME_WORDS } from "../../bot/options/time-span.ts";

/** A command that a question may ask for, with the values that its words say. */
export interface Guess {
  readonly command: AnyCommand;
  readonly options: Ask["options"];
  /** The share of the telling words that it explains. */
  readonly share: number;
  readonly rank: number;
  /** Most of the question is about something else: it may be the second of two questions. */
  readonly isAside: boolean;
  /** Misspelt words were put right. */
  readonly isCorrected: boolean;
  /** Another value of an option that has one, which only another question can have: `ether` of “bitcoin and ether”. */
  readonly also?: { readonly option: string; readonly value: string; readonly said: string };
  /** What it does not explain, as typed. */
  readonly unread: readonly string[];
}

/** Below it, a question is hardly about this. */
const MIN_SHARE = 0.34;
/** From here on a question asks for nothing else. */
const SURE_SHARE = 0.5;
/** By how much the surest guess leads the next. */
const LEAD = 0.75;
/** Guesses that are nearly as sure are offered, too. */
const NEAR = 1.1;
const MAX_GUESSES = 3;

/** In a term of what changes something, and is offered: what follows its word, so far as a command knows it, says when. */
const CLAUSE = "…";

/** `written`: the question as it stands. */
type Context = CommandContext<Options> & { readonly written: string };

/** The commands that a question asks for, the surest first; misspelt words count where they explain more. */
export async function guesses(question: string, asked: CommandContext<Options>): Promise<readonly Guess[]> {
  const context = { ...asked, written: question };
  const typed = inUsualCase(question);
  const asking = typed.split(/,? and (?=(?:what|how|is|are|was|were|why|when|which|who|do|does|did)s?\b)/u);
  const clauses = await Promise.all(asking.map((clause) => guessesOf(clause, context)));
  const each = clauses.flatMap((one) => sureGuess(one) ?? []).filter(({ unread }) => unread.length === 0);
  // Neither runs in place of the other.
  if (clauses.length > 1 && new Set(each.map(({ command }) => command)).size === clauses.length)
    return each.map((one) => ({ ...one, share: 0 }));
  const found = clauses.length > 1 ? await guessesOf(typed, context) : (clauses[0] ?? []);
  const [best] = found;
  if (best?.unread.length === 0) return found;
  const corrected = withoutSlips(typed, context);
  if (corrected === typed) return found;
  const others = await guessesOf(corrected, context);
  return (others[0]?.share ?? 0) > Math.max(best?.share ?? 0, SURE_SHARE)
    ? others.map((one) => ({ ...one, isCorrected: true }))
    : found;
}

/** Each word that no command knows, where it is near to a telling one, as that: a name is not lost in a small word. */
function withoutSlips(typed: string, { commands, networks }: Context): string {
  const asked = commands.flatMap(({ asked = [] }) => asked.flatMap((one) => one.split(/[ |]/u)));
  const times = [...TIME_WORDS, ...DAY_WORDS].flatMap((words) => words.split(" "));
  const known = [...asked, ...SMALL_WORDS, ...times, ...networks, ...COINS.keys(), ...COINS.values()];
  const [words, stems] = [new Set(known), new Set(known.map(stem))];
  // A word that is cut off is no other form of it: `nod`.
  const isKnown = (word: string): boolean =>
    words.has(word) || (stem(word) !== word && !word.endsWith("est") && stems.has(stem(word)));
  const telling = known.filter(isContentWord);
  // A short stem is near to too much.
  const near = (word: string, least = 3): string | undefined =>
    word.length < least ? undefined : misspelt(word, telling);
  return typed.replaceAll(/(?<!\S)\p{Ll}{3,}(?![^\s?!.,])/gu, (word) =>
    plainWords(word).every(isKnown) ? word : (near(word) ?? near(stem(word), 5) ?? word),
  );
}

/**
 * `typed`: in the usual case. What it says not to do is never offered, but the opposite, or what shows how it is. Beside
 * the nearest guesses stands what explains a word that the first leaves unread: of two questions in one.
 */
async function guessesOf(typed: string, context: Context, words = plainWords(typed)): Promise<readonly Guess[]> {
  const found = await Promise.all(context.commands.map((command) => guess(command, words, typed, context)));
  // What was asks for no change; who did it, and why, asks how it is.
  const isPast = asksOfPast(words);
  const isAsked = isPast || /^(?:who|why)$/u.test(words[0] ?? "");
  const less = ({ command }: Guess): number => Number(isPast && command.changes === true);
  const ranked = found.flatMap((one) => (one === undefined ? [] : { ...one, rank: one.rank - less(one) }));
  ranked.sort((a, b) => b.rank - a.rank || Number(a.command.changes ?? false) - Number(b.command.changes ?? false));
  const best = ranked.find(({ isAside }) => !isAside);
  if (best === undefined) return [];
  const asksBack = isAsked && best.command.changes === true;
  if (asksBack || isNegated(best.command, words)) {
    const { opposite, shownBy } = best.command;
    const instead = context.commands.find(({ name }) => name === (asksBack ? shownBy : (opposite ?? shownBy)));
    if (instead === undefined) return [];
    const said = await sayings(instead.options, words, context);
    const options = Object.fromEntries(Object.entries(said).map(([name, { value }]) => [name, value]));
    return [{ ...best, command: instead, options, unread: [] }];
  }
  const adds = ({ unread }: Guess): boolean => best.unread.some((word) => !unread.includes(word));
  const open = ranked.filter(({ command }) => !isAsked || command.changes !== true);
  const near = open.filter(({ isAside, rank }) => !isAside && best.rank - rank < NEAR).slice(0, MAX_GUESSES);
  const other = open.find((one) => !near.includes(one) && adds(one));
  return other === undefined || near.some((one) => one !== best && adds(one)) ? near : [...near, other];
}

/** What may stand before `not` where somebody says what not to do: `why can not …` complains. */
const ORDERS_NOT = /^(?:do|should|must|shall|please|and|but|or|us)$/u;

/** Whether the words say not to do what a command changes: `do not please silence`. */
function isNegated({ asked = [], askedFirst, changes }: AnyCommand, words: readonly string[]): boolean {
  if (changes !== true && askedFirst !== true) return false;
  const verbs = new Set(asked.flatMap((one) => one.split(" ")[0]?.split("|") ?? []).map(stem));
  return words.some((word, at) => {
    const isNot = word === "never" || (word === "not" && ORDERS_NOT.test(words[at - 1] ?? "do"));
    const verb = words.slice(at + 1).find((one) => !/^(?:please|to|ever|even|yet|the)$/u.test(one));
    return isNot && verbs.has(stem(verb ?? ""));
  });
}

/** The guess that is surely meant; undefined where several may be, or much of the question says something else. */
export function sureGuess([best, next]: readonly Guess[]): Guess | undefined {
  if (best === undefined || best.share < SURE_SHARE) return undefined;
  const isWhole = best.share === 1 && next !== undefined && next.share < 1;
  const adds = best.unread.some((word) => next?.unread.includes(word) === false);
  return next === undefined || isWhole || (!adds && best.rank - next.rank >= LEAD) ? best : undefined;
}

/**
 * What is no command and no sentence is a question where it is surely one. Of what is near to a command, or has a wrong
 * value, every word must be known, or three terms; two words are rather a slip, unless they say all that the near command needs.
 */
export function isSlip({ suggestion, option }: UserError, found: readonly Guess[], question: string): boolean {
  const [best] = found;
  if (best === undefined) return true;
  // Half of what calls `help` may be its wrong value.
  if (suggestion === "help")
    return sureGuess(found) === undefined || (option !== undefined && best.share <= SURE_SHARE);
  const isMeant = suggestion?.startsWith(best.command.name) === true && Object.keys(best.options).length > 0;
  // Where no value is wrong, a suggestion of the command alone says less than what it lacks.
  if (best.share !== 1) return !isMeant && best.rank < 3 && (option !== undefined || suggestion !== best.command.name);
  const isWhole = isMeant && lacking(best).length === 0;
  return suggestion !== undefined && plainWords(question).length < 3 && best.isCorrected && !isWhole;
}

/** The values that a command needs and the question does not say. */
export function lacking({ command, options }: Guess): readonly string[] {
  const isLacking = ([name, option]: [string, Option]): boolean => isRequired(option) && !Object.hasOwn(options, name);
  return Object.entries(command.options)
    .filter(isLacking)
    .map(([name]) => name);
}

/**
 * Whether a guess may run by itself: what only reads, lacks nothing, and explains every word; of anything else the answer
 * might be to another question. What is long to make is offered first.
 */
export function runs(guess: Guess): boolean {
  const { changes, askedFirst } = guess.command;
  const isOffered = changes === true || askedFirst === true || takesFile(guess);
  return !isOffered && lacking(guess).length === 0 && guess.unread.length === 0 && guess.also === undefined;
}

/** The words that no command offered here explains. */
export function unreadByAll([first, ...others]: readonly Guess[]): readonly string[] {
  const unread = ({ unread, also }: Guess): readonly string[] => [
    ...unread,
    ...(also === undefined ? [] : [also.said]),
  ];
  return first === undefined ? [] : unread(first).filter((word) => others.every((one) => unread(one).includes(word)));
}

/** No question holds a file. */
export function takesFile({ command: { options } }: Guess): boolean {
  return Object.values(options).some(({ kind }) => kind === "file");
}

/** Whether a value is one of those that exist. */
export function isClosed({ command: { options } }: Guess, name: string): boolean {
  const option = options[name];
  return option?.kind === "text" && option.closed === true;
}

async function guess(
  command: AnyCommand,
  all: readonly string[],
  typed: string,
  context: Context,
): Promise<Guess | undefined> {
  const { excepted, words } = withoutException(all);
  const stems = new Map(words.map((word) => [stem(word), word]));
  const patterns = (command.asked ?? []).map((asked) => asked.split(" ").map((term) => term.split("|")));
  const mayMatch = patterns.some((terms) =>
    terms.every((term) => term.some((one) => one.startsWith("{") || stems.has(stem(one)))),
  );
  if (!mayMatch) return undefined;
  const said = await affirmedSayings(command, words, context);
  const explained = new Set(Object.values(said).flatMap((one) => one.words));
  const wordsOf = (one: string): string | readonly string[] =>
    one.startsWith("{")
      ? (said[one.slice(1, -1)]?.words ?? [])
      : [stems.get(stem(one)) ?? []].flat().filter((word) => word === one || !word.endsWith("est"));
  let score = 0;
  for (const terms of patterns) {
    const hits = terms.map((term) => term.flatMap(wordsOf));
    // One word is not two terms: `file` is no export of a file.
    if (hits.some((hit) => hit.length === 0) || new Set(hits.flat()).size < terms.length) continue;
    score = Math.max(score, terms.length);
    for (const word of hits.flat()) explained.add(word);
    const [clause] = hits[terms.findIndex((term) => term.includes(CLAUSE))] ?? [];
    for (const word of clause === undefined ? [] : words.slice(words.indexOf(clause)))
      if (isAskedOf(word, context.commands)) explained.add(word);
  }
  const isTurned = (word: string): boolean => isNegation(word) && !mayComplain(words);
  const tells = (word: string): boolean =>
    isTurned(word) || (isContentWord(word) && (explained.has(word) || !isParticle(word)));
  const telling = words.filter(tells);
  const [first] = telling;
  const count = telling.length + excepted.length;
  const share = count === 0 ? 1 : telling.filter((word) => explained.has(word)).length / count;
  // What somebody begins with is rather meant, whatever follows.
  const isAside = first !== undefined && share < MIN_SHARE && !explained.has(first);
  if (score === 0 || (isAside && score < 2)) return undefined;
  const known = new Set([...explained].map(stem));
  const isUnknown = (word: string): boolean => tells(word) && !known.has(stem(word));
  // Of “all nodes except 2” not all is meant.
  const isWide = (value: string): boolean => excepted.length > 0 && /^(?:all|every(?:thing)?)$/u.test(value);
  const options = Object.fromEntries(
    Object.entries(said)
      .filter(([, { value }]) => !isWide(value))
      .map(([name, { value }]) => [name, asWritten(value, command.options[name], context.written)]),
  );
  const also = await anotherSaid(command, said, words, words.filter(isUnknown), context);
  const isUnread = (word: string): boolean => isUnknown(word) && word !== also?.said;
  return {
    command,
    options,
    share,
    rank: score + share,
    isAside,
    isCorrected: false,
    ...(also === undefined ? {} : { also }),
    unread: [
      ...unreadWords(words, isUnread, typed),
      ...(excepted.length === 0 ? [] : [asTyped(excepted.join(" "), context.written)]),
    ],
  };
}

/** Whether a question with this word asks for some command. */
function isAskedOf(word: string, commands: readonly AnyCommand[]): boolean {
  return commands.some(({ asked = [] }) => asked.some((one) => one.split(/[ |]/u).map(stem).includes(stem(word))));
}

/** Where what is not understood says a second value of what is public or offered: a market beside a market. */
async function anotherSaid(
  { options, changes }: AnyCommand,
  values: Readonly<Record<string, Said>>,
  words: readonly string[],
  rest: readonly string[],
  context: Context,
): Promise<Guess["also"]> {
  for (const [option, { value }] of rest.length === 0 ? [] : Object.entries(values)) {
    const declared = options[option];
    if (declared?.kind !== "text" || (declared.isPublic ?? changes) !== true) continue;
    const other = await sayingOf(declared, rest, { ...context, options: {} }, context.networks).catch(() => undefined);
    const said = other?.words[0];
    if (other === undefined || said === undefined || other.value === value) continue;
    // Of “everything of node 2” one thing is meant.
    const isJoined = changes !== true || words[words.indexOf(said) - 1] === "and" || /^n\d/u.test(said);
    if (isJoined) return { option, value: other.value, said };
  }
  return undefined;
}

/** The values that a question says; of what changes nothing, those before a negation alone. */
function affirmedSayings({ askedFirst, changes, options }: AnyCommand, words: readonly string[], context: Context) {
  const heard = changes === true || askedFirst === true ? words : affirmed(words);
  const [network = context.network] = heard === words ? [] : context.networks;
  return sayings(options, heard, { ...context, network });
}

/** The values of a command's options that the words say. */
async function sayings(options: Options, words: readonly string[], context: Context): Promise<Record<string, Said>> {
  const { networks, network } = context;
  const said: Record<string, Said> = {};
  for (const [name, option] of Object.entries(options)) {
    const sayingIn = (some: readonly string[]): Promise<Said | undefined> =>
      sayingOf(option, some, { ...context, options: {} }, networks).catch(() => undefined);
    const one = await sayingIn(words);
    // Of “node 2 2h” the first number belongs to the node; an id is that of one value.
    const crossing = Object.values(said).find((other) => one !== undefined && cross(other.words, one.words));
    const own = crossing === undefined ? one : await sayingIn(without(words, crossing.words));
    if (own !== undefined) said[name] = own;
  }
  const [from, to] = Object.keys(options).filter((name) => options[name]?.kind === "time");
  const { range, end } = saidTimes(words, context.now());
  if (from !== undefined && range !== undefined) said[from] = range;
  if (to !== undefined && end !== undefined) said[to] = end;
  // “Since yesterday” is one saying, and “yesterday” in it no other.
  for (const [name, { words: own }] of Object.entries(said)) {
    const isPart = Object.values(said).some(
      (one) => one.words.length > own.length && own.every((word) => one.words.includes(word)),
    );
    if (isPart && own.length > 0) delete said[name];
  }
  if (said["network"] === undefined && options["network"] !== undefined && network !== networks[0]) {
    said["network"] = { value: network, words: [] };
  }
  return said;
}

async function sayingOf(
  option: Option,
  words: readonly string[],
  context: SuggestContext,
  networks: readonly string[],
): Promise<Said | undefined> {
  if (option.kind === "network") return saidNetwork(words, networks);
  return option.kind === "text" || option.kind === "flag" ? option.said?.(words, context) : undefined;
}

/** The network that a question names. */
export function saidNetwork(words: readonly string[], networks: readonly string[]): Said | undefined {
  const value = networks.find((name) => words.includes(name.toLowerCase()));
  return value === undefined ? undefined : { value, words: [value.toLowerCase()] };
}
