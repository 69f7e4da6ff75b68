import { UserError } from "../../errors.ts";
import { parseTypedInteger } from "../../units/typed-number.ts";
import type { Nanoseconds } from "../../units/time.ts";
import type { AnyCommand } from "../command.ts";
import type { Option, Options } from "../options/options.ts";
import { isFlagWord, parseNetwork, unknownOption } from "../options/parse-options.ts";
import { parseTimeSpan } from "../options/time-span.ts";
import { isNoNetwork, NAMED, refuseSplitValue, refuseWordBesideId, unexpectedWord } from "./line-mistakes.ts";
import type { Token } from "./tokens.ts";

/** At most this many words make one time: `7 days ago`, `2023-05-01 12:30 utc`. */
const MAX_TIME_WORDS = 3;

/** The first word of `last month`, `this week`. */
const RANGE = /^(?:last|this)$/iu;

/** The value that the word under the cursor belongs to. */
export interface OpenValue {
  readonly option: string;
  /** Its text so far; several words are joined with single spaces. */
  readonly typed: string;
  /** The index in the line where it begins. */
  readonly start: number;
  /** Whether its option is named. A bare word may still become the name of another option. */
  readonly named: boolean;
}

/** What the words behind a command say. */
interface OptionReading {
  readonly values: ReadonlyMap<string, string | boolean>;
  /** The words before this index in the line gave these values. */
  readonly finished: number;
  /** Undefined without a cursor, and where its word belongs to no value. */
  readonly open: OpenValue | undefined;
}

interface ReadContext {
  readonly now: Nanoseconds;
  /** Left out = any bare word may be a network. */
  readonly networks?: readonly string[] | undefined;
  /** The last word, where it is still being typed; it may be empty. */
  readonly cursor?: Token | undefined;
}

/**
 * Reads the words behind a command: first the named values, then the bare ones in the order of the options.
 * @throws UserError for an unknown option, one given twice or without a value, and for a word too many. With a cursor
 * nothing is thrown, and what is wrong is passed over.
 */
export function readOptions(command: AnyCommand, tokens: readonly Token[], context: ReadContext): OptionReading {
  const reader = new OptionReader(command, tokens, context);
  reader.readNamed();
  reader.readBare();
  return reader;
}

/** With the words that make values together as if their options were named. */
export function gathered(command: AnyCommand, tokens: readonly Token[]): readonly Token[] {
  const found = command.gathers?.(tokens.map(({ text }) => text));
  const [first, last] = [tokens[found?.from ?? 0], tokens[(found?.to ?? 0) - 1]];
  if (found === undefined || first === undefined || last === undefined) return tokens;
  const named = Object.entries(found.options).map(([name, value]): Token => {
    return { text: `${name}:${value}`, start: first.start, end: last.end, quotedFrom: name.length + 1 };
  });
  return tokens.toSpliced(found.from, found.to - found.from, ...named);
}

/** An option's name in a word, and the value in the same word. */
interface NamedOption {
  readonly name: string;
  readonly value: string | undefined;
  readonly dashes: boolean;
}

/** The option that a word names: `name:value`, `--name`, `--name=value`; also with the long dashes of phones. */
function optionNamed({ text, quotedFrom }: Token, options: Options): NamedOption | undefined {
  const colon = /^([a-z][a-z\d-]*)[:=]/iu.exec(text);
  const name = colon?.[1]?.toLowerCase();
  if (colon !== null && name !== undefined && colon[0].length <= quotedFrom && Object.hasOwn(options, name)) {
    return { name, value: text.slice(colon[0].length), dashes: false };
  }
  const dashed = quotedFrom === 0 ? null : /^(?:--|—|–)([a-z][a-z\d-]*)(?:=(.*))?$/isu.exec(text);
  return dashed === null ? undefined : { name: (dashed[1] ?? "").toLowerCase(), value: dashed[2], dashes: true };
}

/** A value, the words behind its first that belong to it, and whether the cursor's is one of them. */
interface Taken extends OpenValue {
  typed: string;
  words: number;
  readonly open: boolean;
}

function textOf(words: readonly Token[]): string {
  return words.map(({ text }) => text).join(" ");
}

class OptionReader implements OptionReading {
  readonly values = new Map<string, string | boolean>();
  open: OpenValue | undefined;
  finished: number;
  readonly #command: AnyCommand;
  readonly #options: Options;
  readonly #tokens: readonly Token[];
  readonly #context: ReadContext;
  readonly #bare: Token[] = [];
  /** Where bare words run to the end of the line, an option's name may be one of them: `help market show`. */
  readonly #runsOn: boolean;
  #at = 0;

  constructor(command: AnyCommand, tokens: readonly Token[], context: ReadContext) {
    this.#command = command;
    this.#options = command.options;
    this.#tokens = tokens;
    this.#context = context;
    this.#runsOn = Object.values(command.options).some((option) => option.kind === "text" && option.rest === true);
    this.finished = (context.cursor ?? tokens.at(-1))?.start ?? 0;
  }

  readNamed(): void {
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      this.#at += 1;
      const named = optionNamed(token, this.#options);
      if (named === undefined || (token === this.#context.cursor && named.value === undefined)) this.#readWord(token);
      else if (named.dashes) this.#readDashed(token, named);
      else this.#readColon(token, named.name, named.value ?? "");
    }
  }

  readBare(): void {
    const { cursor, networks } = this.#context;
    const bare = this.#bare;
    if (bare.length === 0) return;
    if (networks !== undefined) refuseSplitValue(this.#command, bare, this.values, networks);
    this.#takeRange();
    let at = 0;
    for (const [name, option] of Object.entries(this.#options)) {
      const token = bare[at];
      if (token === undefined) return;
      if (this.#isGiven(name)) continue;
      if (option.kind === "text" && option.rest === true) {
        this.#runOn(name, bare.slice(at), token.start);
        return;
      }
      if (cursor === undefined) this.#checkPlace(name, option, at, token);
      const following = bare.slice(at + 1);
      const taken = this.#take(name, token, 0, following);
      if (option.kind === "text" && typeof option.rest === "function")
        this.#runUp(taken, following.slice(taken.words), option.rest);
      this.#keep(taken);
      at += 1 + taken.words;
    }
    const extra = bare[at];
    if (extra !== undefined) this.#refuse(() => unexpectedWord(this.#command, extra));
  }

  /** All words left are one value; those before the cursor's are read as they are, whatever comes behind them. */
  #runOn(name: string, words: readonly Token[], start: number): void {
    const { cursor } = this.#context;
    const open = cursor !== undefined && words.at(-1) === cursor;
    if (!open || words.length > 1) this.#set(name, textOf(open ? words.slice(0, -1) : words));
    if (open) this.open = { option: name, typed: textOf(words), start, named: false };
  }

  /** The words before the one that begins the next value belong to this one, but for the cursor's. */
  #runUp(taken: Taken, following: readonly Token[], begins: (typed: string) => boolean): void {
    if (begins(taken.typed)) return;
    for (const [at, token] of following.entries()) {
      const unit = /^\D+$/u.test(following[at + 1]?.text ?? "") ? 2 : 1;
      if (token === this.#context.cursor || begins(token.text) || begins(textOf(following.slice(at, at + unit))))
        return;
      taken.typed += ` ${token.text}`;
      taken.words += 1;
    }
  }

  #isGiven(name: string): boolean {
    return this.values.has(name) || this.open?.option === name;
  }

  #refuse(mistake: () => UserError): void {
    if (this.#context.cursor === undefined) throw mistake();
  }

  #set(name: string, value: string | boolean): void {
    if (this.values.has(name)) {
      this.#refuse(() => new UserError(`${name} is given twice.`, { option: name, remedy: "Give each option once." }));
    }
    this.values.set(name, value);
  }

  /** With the index in the line where its option is named, if it is. */
  #keep({ open, option, typed, start, named }: Taken, from = start): void {
    if (!open) {
      this.#set(option, typed);
      return;
    }
    this.open = { option, typed, start, named };
    this.finished = Math.min(this.finished, from);
  }

  #readColon(token: Token, name: string, value: string): void {
    const taken = this.#takeNamed(name, token, token.text.length - value.length);
    if (taken.typed !== "" || taken.open || token.quotedFrom !== Number.POSITIVE_INFINITY) {
      this.#keep(taken, token.start);
      return;
    }
    this.#refuse(
      () =>
        new UserError(`${name} has no value.`, {
          option: name,
          remedy: `Write it right behind the colon: ${name}:value.`,
        }),
    );
  }

  #readDashed(token: Token, { name, value }: NamedOption): void {
    const option = Object.hasOwn(this.#options, name) ? this.#options[name] : undefined;
    const negated = /^no-(.+)$/u.exec(name)?.[1];
    if (option !== undefined && value !== undefined) {
      this.#keep(this.#takeNamed(name, token, token.text.length - value.length), token.start);
    } else if (option?.kind === "flag") {
      this.#set(name, true);
    } else if (option !== undefined) {
      const next = this.#tokens[this.#at];
      if (next !== undefined && optionNamed(next, this.#options)?.dashes !== true) {
        this.#at += 1;
        this.#keep(this.#takeNamed(name, next, 0), token.start);
        return;
      }
      const remedy = `Write --${name} value.`;
      this.#refuse(() => new UserError(`--${name} has no value.`, { option: name, remedy }));
    } else if (
      negated !== undefined &&
      Object.hasOwn(this.#options, negated) &&
      this.#options[negated]?.kind === "flag"
    ) {
      this.#set(negated, false);
    } else {
      this.#refuse(() => unknownOption(this.#command, name));
    }
  }

  /** A flag's name, another option's name with its value behind it, or a bare word. */
  #readWord(token: Token): void {
    const name = token.text.toLowerCase();
    const isName = token.quotedFrom > 0 && token !== this.#context.cursor && Object.hasOwn(this.#options, name);
    const option = isName ? this.#options[name] : undefined;
    if (option?.kind === "flag") {
      this.#set(name, true);
      return;
    }
    if (option !== undefined && !this.#runsOn) {
      // `for the night`: a value is no article.
      const article = option.kind === "text" && /^(?:a|the)$/iu.test(this.#tokens[this.#at]?.text ?? "");
      if (article && this.#tokens[this.#at + 1] !== undefined) this.#at += 1;
      const next = this.#tokens[this.#at];
      // Behind `chart network ` nothing is typed yet: the word is what the command needs.
      const isNeeded = next === this.#context.cursor && next?.text === "" && this.#isFirstValue(name);
      if (next !== undefined && !isNeeded && !this.values.has(name) && optionNamed(next, this.#options) === undefined) {
        this.#at += 1;
        this.#keep(this.#takeNamed(name, next, 0), token.start);
        return;
      }
    }
    this.#bare.push(token);
  }

  /** Whether the first value in order is not there yet, and may be this word. */
  #isFirstValue(word: string): boolean {
    const [[name, first] = ["", undefined]] = Object.entries(this.#options);
    return first?.kind === "text" && first.words?.includes(word) === true && !this.#isGiven(name);
  }

  /** `ledger export ab12 last month`: wherever it stands, `last month` is the first time that the command takes. */
  #takeRange(): void {
    if (this.#runsOn || !this.#bare.some(({ text }) => RANGE.test(text))) return;
    const name = Object.keys(this.#options).find((one) => this.#options[one]?.kind === "time" && !this.#isGiven(one));
    if (name === undefined) return;
    for (const [at, token] of this.#bare.entries()) {
      if (!RANGE.test(token.text)) continue;
      const taken = this.#take(name, token, 0, this.#bare.slice(at + 1));
      if (taken.words === 0) continue;
      this.#bare.splice(at, 1 + taken.words);
      this.#keep(taken);
      return;
    }
  }

  /** @throws UserError where the next option in order cannot have this word. */
  #checkPlace(name: string, option: Option, at: number, token: Token): void {
    const odd =
      option.kind === "flag"
        ? !isFlagWord(token.text)
        : option.kind !== "text" && option.kind !== "choice" && NAMED.test(token.text);
    if (odd) throw unexpectedWord(this.#command, token);
    if (option.kind === "integer" && parseTypedInteger(token.text) === undefined) {
      refuseWordBesideId(this.#command, this.#bare, at, name);
    }
    const { networks } = this.#context;
    if (option.kind === "network" && networks !== undefined && isNoNetwork(token.text, networks)) {
      parseNetwork(name, token.text, networks);
    }
  }

  #takeNamed(name: string, first: Token, lead: number): Taken {
    const taken = this.#take(name, first, lead, this.#tokens.slice(this.#at));
    this.#at += taken.words;
    return { ...taken, named: true };
  }

  /**
   * A value with the following words that make one time with it: `last month`, `tomorrow 7am`, `8 hours`; the longest
   * match wins. A word before the cursor's that only begins a time belongs to the cursor's.
   */
  #take(name: string, first: Token, lead: number, following: readonly Token[]): Taken {
    const { cursor, now } = this.#context;
    const option = this.#options[name];
    const value = first.text.slice(lead);
    const withWords = (words: number): string =>
      words === 0 ? value : `${value} ${textOf(following.slice(0, words))}`;
    const joins = first.quotedFrom === Number.POSITIVE_INFINITY && (option?.kind === "text" || option?.kind === "time");
    // An empty word under the cursor is no part of a time yet.
    const most = cursor?.text === "" && following.at(-1) === cursor ? following.length - 1 : following.length;
    let words = joins ? Math.min(MAX_TIME_WORDS - 1, most) : 0;
    while (words > 0 && parseTimeSpan(withWords(words), now) === undefined) words -= 1;
    const last = words === 0 ? first : following[words - 1];
    const begins =
      joins &&
      option.kind === "time" &&
      cursor !== undefined &&
      following[words] === cursor &&
      this.#tokens.at(-2) === last &&
      parseTimeSpan(withWords(words), now) === undefined;
    if (begins) words += 1;
    const open = cursor !== undefined && (begins || last === cursor);
    return { option: name, typed: withWords(words), start: first.start + lead, named: false, words, open };
  }
}
