import { redact } from "./units/redact.ts";

/** The values that an ambiguous one may stand for. */
interface Meanings {
  readonly typed: string;
  readonly values: readonly { readonly label: string; readonly value: string }[];
}

/** A command to go on with, and the words of its button. */
interface Start {
  readonly label: string;
  readonly command: string;
  /** Its values are asked for by a form, where the place has forms. */
  readonly form?: true;
  /** Values that it takes. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Its answer takes the place of the mistake. */
  readonly invalidates?: true;
}

/** The words for an option, with the value that it should have: `for:2h` in a line, “For how long” 2h in a form. */
export type OptionNames = (option: string, value?: string) => string;

/** A sentence; one that names options says each in the words of the place where it is read. */
export type Sentence = string | ((named: OptionNames) => string);

/** The words of a typed line. */
const asTyped: OptionNames = (option, value) => (value === undefined ? option : `${option}:${value}`);

/** What to do about a mistake: in words, as a line to type, or both. */
type NextStep = { readonly remedy: Sentence } | { readonly suggestion: string };

/** What a mistake says beside its sentence. */
type More = Partial<
  Pick<UserError, "asks" | "suggestion" | "option" | "explains" | "meanings" | "starts" | "also" | "cause">
> & {
  readonly remedy?: Sentence | undefined;
};

/**
 * A mistake of the caller: shown as it stands, so `message` is one sentence that says what is wrong
 * and `remedy` one that says what to do next.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly remedy: string | undefined;
  /** Its sentence asks for a value that nobody gave: nothing is wrong yet. */
  readonly asks: boolean | undefined;
  /** A command line that would be right, offered as the next thing to type. */
  readonly suggestion: string | undefined;
  /** The option at fault, so that a form can show the sentence at its field. */
  readonly option: string | undefined;
  /** Further options whose values are wrong for the same reason. */
  readonly explains: readonly string[];
  /** The values that the option may have instead, each to be chosen. */
  readonly meanings: Meanings | undefined;
  /** Commands to begin with, where nobody knows what was meant. */
  readonly starts: readonly Start[];
  /** The mistakes in other values of the same input. */
  readonly also: readonly UserError[];
  readonly #said: { readonly message: Sentence; readonly remedy: Sentence | undefined };

  constructor(message: Sentence, more: More & NextStep) {
    super(say(message, asTyped), { cause: more.cause });
    this.#said = { message, remedy: more.remedy };
    this.starts = more.starts ?? [];
    this.also = more.also ?? [];
    this.explains = more.explains ?? [];
    this.asks = more.asks;
    this.meanings = more.meanings;
    this.remedy = more.remedy === undefined ? undefined : say(more.remedy, asTyped);
    this.suggestion = more.suggestion;
    this.option = more.option;
  }

  /** The same mistake with this line offered. */
  offering(suggestion: string): UserError {
    return this.#with({ suggestion });
  }

  /** The same mistake, with those in other values. */
  beside(others: readonly UserError[]): UserError {
    const also = [...this.also, ...others.flatMap((one) => [one, ...one.also])];
    return others.length === 0 ? this : this.#with({ also });
  }

  /** The same mistake with values to choose from; the first of them stands for the option's name in the suggestion. */
  meaning(meanings: Meanings): UserError {
    const suggestion = this.suggestion?.replace(`<${this.option ?? ""}>`, (name) => meanings.values[0]?.value ?? name);
    return this.#with({ suggestion, meanings });
  }

  #with(more: More): UserError {
    const { ...same } = this;
    const { message, remedy = "" } = this.#said;
    return new UserError(message, { ...same, remedy, ...more, cause: this });
  }

  /** The mistake and its remedy in the words of a typed line, without the line to type. */
  asLine(): string {
    return this.inWords(asTyped);
  }

  /** The mistake and its remedy in the words of another place, which shows no line to type: nor does it announce one. */
  inWords(named: OptionNames): string {
    return `${say(this.#said.message, named)} ${this.step(named)}`.trim();
  }

  /** What to do next, without the announcement of a line to type. */
  step(named: OptionNames = asTyped): string {
    return say(this.#said.remedy ?? "", named)
      .replace(/(?:^|(?<=[.?!] ))[^.?!]*:$/u, "")
      .trim();
  }
}

function say(sentence: Sentence, named: OptionNames): string {
  return typeof sentence === "string" ? sentence : sentence(named);
}

/**
 * Checks that do not wait for each other. @throws the first mistake with those of the other checks; anything else as it is.
 */
export async function together<T extends readonly unknown[]>(
  ...checks: { [K in keyof T]: () => T[K] | Promise<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(checks.map(async (check) => check()));
  const reasons: unknown[] = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const other = reasons.find((reason) => !(reason instanceof UserError));
  if (other !== undefined) throw other;
  const [first, ...more] = reasons.filter((reason) => reason instanceof UserError);
  if (first !== undefined) throw first.beside(more);
  return outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined)) as unknown as T;
}

/** Undefined for the caller's mistake; anything else is thrown on. */
export function ignoreUserError(error: unknown): undefined {
  if (error instanceof UserError) return undefined;
  throw error;
}

/** Whether this passes without the caller's mistake; anything else that it throws is thrown on. */
export function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (thrown) {
    if (thrown instanceof UserError) return false;
    throw thrown;
  }
}

/**
 * Storage (the database, or the disk of exports) is full or broken: neither a mistake nor a bug; the operator must mend it.
 * `message` is for the log; people see `title`.
 */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly title: string;
  /** It lies outside of the bot: at the other end of a network, or in a folder that is full or read-only. */
  readonly remote: boolean;
  /** There is no room left on the disk. */
  readonly isFull: boolean;
  /** The next step, where that is more than to ask again once it is mended. */
  readonly remedy: string | undefined;

  constructor(
    message: string,
    {
      title,
      remedy,
      remote = false,
      isFull = false,
      cause,
    }: { title: string; remedy?: string; remote?: boolean; isFull?: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.title = title;
    this.remote = remote;
    this.isFull = isFull;
    this.remedy = remedy;
  }
}

/** The cost of deleting a damaged row, by its table. */
const COSTS = {
  watcher_snapshots: "what wrote it then begins anew, and tells nothing of what happened since it last did",
  alert_subscriptions: "its place is then told nothing until somebody subscribes it anew",
  alert_silences: "what it kept silent is then told",
  alert_machines: "its condition is then judged anew, and an alert that is open may be told again",
  alert_episodes: "nobody is then told how that alert ends",
  alert_notification_states: "that alert may then be told there again",
  looks_tail: "that look is then missing where looks are judged again",
  looks_chunks: "the looks of that hour are then missing where looks are judged again",
} as const;

/**
 * A stored row that this version cannot read. The parts that need it stop until it is repaired: without it they would lose
 * alerts, or repeat them. `message` is one sentence that says which row, and how to go on; nothing but a repair helps.
 */
export class DamagedRow extends StorageError {
  /** Names the row. */
  readonly what: string;
  /** How to go on. */
  readonly mend: string;

  constructor(table: keyof typeof COSTS, key: Readonly<Record<string, string>>, why: string) {
    const columns = Object.entries(key).map(([column, value]) => `${column} = '${value.replaceAll("'", "''")}'`);
    const what = `the row of ${table} where ${columns.join(" and ")} cannot be read (${why})`;
    const mend = `restore a backup (npm run restore -- <backup>), or delete that row: ${COSTS[table]}`;
    super(`${what}; ${mend}`, { title: "A stored row of the bot is damaged", cause: undefined });
    this.what = what;
    this.mend = mend;
  }
}

/** The abort reason of everything under way when the bot stops. */
export class BotStopping extends Error {
  override readonly name = "AbortError";

  constructor() {
    super("The bot is stopping.");
  }
}

/** The message of anything thrown, without secrets. For logs; people see only what a UserError or an ApiError says. */
export function messageOf(thrown: unknown): string {
  return redact(thrown instanceof Error ? thrown.message : String(thrown));
}

/** The code of a system error (`ENOENT`); empty for anything else. */
export function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "";
}
