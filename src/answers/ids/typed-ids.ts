// Ids as people type them: typed text becomes an id, is completed, and is corrected where a node knows no such id.

import { ApiError, asApiError } from "../../api/api-error.ts";
import { isContentWord } from "../../bot/grammar/plain-words.ts";
import { cutShort, nearest, quoteTyped } from "../../bot/nearest.ts";
import { type Choice, MAX_CHOICE_LENGTH, type SuggestContext, type TextOption } from "../../bot/options/options.ts";
import { saidRun } from "../../bot/options/said.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { UserError } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import { shortenId } from "../../reply/text.ts";
import { capitalised } from "../../reply/enum-words.ts";
import {
  findSeen,
  firstWord,
  plainest,
  typedName,
  type IdKind,
  type NamedId,
  type NamesContext,
  type SeenContext,
} from "./ids.ts";

/** Parties, orders, markets, assets, nodes and proposals alike: 32 bytes in hex. */
const ID_LENGTH = 64;
/** A shorter prefix matches nothing. */
const MIN_PREFIX_LENGTH = 3;
/** How many markets of the same base an error offers. */
const MAX_ALIKE = 3;
/** How many candidates an error lists. */
const MAX_LISTED = 5;
/** How many seen ids are compared. */
const FIND_LIMIT = 26;

export type ResolveContext = NamesContext & SeenContext;

/**
 * Typed text as a whole id: the id itself, a name that the node gives, or a unique prefix of a name or of an id that the
 * bot has seen, or an id's two ends as the bot shows them (`5f4f0eef…0309`).
 * @throws UserError that says what is wrong, what is right, and the nearest match.
 */
export async function resolveId(
  kind: IdKind,
  typed: string,
  context: ResolveContext,
  option: string,
  more: {
    /** Further known ids of this kind. */
    also?: readonly NamedId[];
    /** Decides between several matches: the only one that satisfies it. */
    prefer?: (id: string) => boolean;
    /** `btc` is the market that a question would mean by it: for what changes nothing. */
    asSaid?: true;
    /** What to choose instead, where nothing is near. */
    instead?: { readonly label: string; readonly value: string };
  } = {},
): Promise<string> {
  const wanted = typed.trim().replace(/^0x(?=[0-9a-f]{64}$)/iu, "");
  if (isWholeId(wanted)) return wanted.toLowerCase();
  const low = wanted.toLowerCase();
  const beginning = ENDS.exec(low)?.[1] ?? wanted;
  const [names, seen] = await Promise.all([kind.names(context), findSeen(context, kind.kind, beginning, FIND_LIMIT)]);

  const named = [...names, ...(more.also ?? [])];
  const whole = named.filter(({ id, label }) => id.toLowerCase() === low || label?.toLowerCase() === low);
  // `btc usdt`, `btc-usdt` and `btcusdt` are BTC/USDT, where nothing is called just that.
  const equal = whole.length > 0 ? whole : named.filter(({ label }) => label !== undefined && isSaidAs(label, low));
  const living = equal.filter(({ ended }) => ended !== true);
  const exact = living.length > 0 ? living : equal;
  const known = unique([...named, ...seen]);
  const byPrefix = low.length < MIN_PREFIX_LENGTH ? [] : known.filter((candidate) => startsWithTyped(candidate, low));
  const fitting = exact.length > 0 ? unique(exact) : byPrefix;
  // A coin alone means its live markets; whoever types the beginning of a code may look for one that has ended.
  const isBase = fitting.every(({ label }) => firstWord(label) === low);
  const isCoin = more.asSaid === true && isBase;
  const live = isCoin ? fitting.filter(({ ended }) => ended !== true) : [];
  const found = live.length > 0 ? live : fitting;
  const preferred = found.length > 1 ? found.filter(({ id }) => more.prefer?.(id) === true) : found;
  const plain = isCoin ? plainest(preferred.flatMap(({ label }) => label ?? [])) : undefined;
  const [only] = preferred.length === 1 ? preferred : preferred.filter(({ label }) => label === plain);
  if (only !== undefined) return only.id;
  if (found.length > 0)
    throw ambiguousId(kind, typed, isBase && preferred.length > 0 ? preferred : found, named, option);
  throw unknownId(kind, typed, known, option, context.network, more.instead);
}

/** Whether a name is typed with other signs between its words, or none. */
function isSaidAs(label: string, low: string): boolean {
  const letters = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  return letters(low) !== "" && letters(low) === letters(label);
}

function isWholeId(typed: string): boolean {
  return typed.length === ID_LENGTH && /^[0-9a-f]+$/iu.test(typed);
}

/** The accepted forms in one sentence, for errors. */
function idFormatWords(kind: IdKind): string {
  const byName = kind.byName === undefined ? "" : `${kind.byName}, or `;
  return `Give ${byName}its id of ${ID_LENGTH} hexadecimal digits. Of an id shown here before, the beginning is enough.`;
}

/** A shortened id. */
const ENDS = /^([0-9a-f]+)…([0-9a-f]+)$/u;

function startsWithTyped(candidate: NamedId, low: string): boolean {
  const [, beginning, end] = ENDS.exec(low) ?? [];
  const id = candidate.id.toLowerCase();
  if (beginning !== undefined && end !== undefined) return id.startsWith(beginning) && id.endsWith(end);
  return id.startsWith(low) || candidate.label?.toLowerCase().startsWith(low) === true;
}

function unique(candidates: readonly NamedId[]): readonly NamedId[] {
  return [...Map.groupBy(candidates, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

function ambiguousId(kind: IdKind, typed: string, found: readonly NamedId[], all: readonly NamedId[], option: string) {
  const labels = new Set(found.map(({ label }) => label));
  const labelsDiffer = labels.size === found.length && !labels.has(undefined);
  const named = ({ label, state }: NamedId, shown: string): string => {
    const more = [...(label === undefined || labelsDiffer ? [] : [shown]), ...(state === undefined ? [] : [state])];
    return `${label ?? shown}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
  };
  // Those that have not ended come first, and among them short names, which are typed most.
  const sorted = found.toSorted(
    (a, b) =>
      Number(a.ended === true) - Number(b.ended === true) || (a.label ?? a.id).length - (b.label ?? b.id).length,
  );
  const listed = sorted.slice(0, MAX_LISTED).map((one) => named(one, one.id));
  const more = found.length > MAX_LISTED ? ` and ${found.length - MAX_LISTED} more` : "";
  return new UserError(`${quoteTyped(typed)} could be ${found.length} ${kind.noun}s.`, {
    option,
    remedy: `It fits ${listed.join(", ")}${more}. Choose one, or type more of it.`,
    meanings: {
      typed,
      values: sorted
        .slice(0, MAX_CHOICES)
        .map((one) => ({ label: named(one, shortenId(one.id)), value: typedName(one, all) })),
    },
  });
}

function unknownId(
  kind: IdKind,
  typed: string,
  known: readonly NamedId[],
  option: string,
  network: string,
  instead: { readonly label: string; readonly value: string } | undefined,
): UserError {
  const names = known.flatMap(({ label }) => (label === undefined ? [] : [label]));
  const ids = known.map(({ id }) => id);
  const near = nearest(typed, names) ?? nearest(typed, ids) ?? containing(typed, names);
  const alike = near === undefined ? ofSameBase(typed, known) : [near];
  const values = alike.map((one) => ({ label: isWholeId(one) ? shortenId(one) : one, value: one }));
  if (alike.length === 0 && instead !== undefined) values.push(instead);
  return new UserError(whatIsWrong(kind, typed, network), {
    option,
    remedy: alike.length === 0 ? idFormatWords(kind) : `Did you mean ${alike.join(" or ")}?`,
    meanings: { typed, values },
  });
}

/** `DOGE/USDT` for `DOGE/XYZ`, and for `DOGEX`: those that have not ended first. */
function ofSameBase(typed: string, known: readonly NamedId[]): readonly string[] {
  const bases = known.flatMap(({ label }) => /^[^/]{2,}(?=\/)/u.exec(label?.toLowerCase() ?? "") ?? []);
  const alike = /^[^/]{2,}(?=\/)/u.exec(typed.trim().toLowerCase())?.[0] ?? nearest(typed, bases);
  return known
    .toSorted((a, b) => Number(a.ended === true) - Number(b.ended === true))
    .flatMap(({ label }) => (label?.toLowerCase().startsWith(`${alike}/`) === true ? [label] : []))
    .slice(0, MAX_ALIKE);
}

function whatIsWrong(kind: IdKind, typed: string, network: string): string {
  const length = typed.trim().length;
  if (/^[0-9a-f]+$/iu.test(typed.trim()) && length > 32) {
    return `${capitalised(kind.noun)} id ${shortenId(typed.trim())} has ${length} characters instead of ${ID_LENGTH}.`;
  }
  return `No ${kind.noun} ${quoteTyped(typed)} on ${network}.`;
}

/** The first name that contains the typed text. */
function containing(typed: string, names: readonly string[]): string | undefined {
  const low = typed.trim().toLowerCase();
  return low.length < 2 ? undefined : names.find((name) => name.toLowerCase().includes(low));
}

/** How many seen ids with the same prefix are compared for a correction. */
const MAX_SEEN_COMPARED = 25;

/** Awaits a request about one id; a node's “not found” or “invalid” becomes a UserError with the nearest match. */
export async function askAboutId<T>(
  kind: IdKind,
  id: string,
  option: string,
  context: SeenContext,
  question: Promise<T>,
  /** Another possible cause. */
  hint = "",
): Promise<T> {
  const answered = await question.catch(asApiError);
  if (!(answered instanceof ApiError)) return answered;
  const { innerWords, kind: failure, network, node, nodeMessage } = answered;
  if (failure !== "not-found" && failure !== "invalid") throw answered;
  const near = await nearestSeen(kind, id, context);
  const said = innerWords ?? nodeMessage;
  const sentence =
    failure === "not-found"
      ? `${network} knows of no ${kind.noun} ${id}.`
      : `${network} does not take ${id} as ${kind.article} ${kind.noun}.`;
  const remedies = [
    "Check the id and the network.",
    hint,
    near === undefined ? "" : `Did you mean ${near}?`,
    said === undefined ? "" : `${node} says: ${said}`,
  ];
  throw new UserError(sentence, {
    option,
    cause: answered,
    ...(near === undefined ? {} : { meanings: { typed: id, values: [{ label: shortenId(near), value: near }] } }),
    remedy: remedies.filter((part) => part !== "").join(" "),
  });
}

async function nearestSeen(kind: IdKind, id: string, context: SeenContext): Promise<string | undefined> {
  const alike = await findSeen(context, kind.kind, id.slice(0, 4), MAX_SEEN_COMPARED);
  const others = alike.map((seen) => seen.id).filter((other) => other !== id);
  return nearest(id, others);
}

/** An option that takes an id of one kind. */
export function idOption<const D extends Partial<TextOption> & Pick<TextOption, "description">>(
  kind: IdKind,
  declared: D,
) {
  return {
    kind: "text" as const,
    example: kind.example,
    suggest: suggestIds(kind),
    said: saidId(kind),
    ...(kind.byName === undefined ? {} : { isPublic: true as const }),
    finds: (option: string, typed: string, context: SuggestContext) => resolveId(kind, typed, lookUp(context), option),
    ...declared,
  };
}

/** Where completion looks up, as a command does. */
export function lookUp({ api, seen, signal }: SuggestContext): ResolveContext {
  return { api, network: api.network, seen, signal };
}

/** How much of an id a question must say: digits and letters. */
const SAID_ID = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{4,}(?:…[0-9a-f]+)?$/u;

/** What people call the commonest coins, and the symbols that networks have for them. */
export const COINS: ReadonlyMap<string, string> = new Map([
  ["bitcoin", "btc"],
  ["bitcoins", "btc"],
  ["ether", "eth"],
  ["ethereum", "eth"],
  ["tether", "usdt"],
  ["dogecoin", "doge"],
]);

/** The id, or the name that the node gives, that a question says: `btc usdt`, and `btc` where one of its markets is plainly meant. */
export function saidId(kind: IdKind): NonNullable<TextOption["said"]> {
  return async (words, context) => {
    const id = words.find((word) => SAID_ID.test(word));
    if (id !== undefined) return { value: id, words: [id] };
    if (kind.byName !== undefined && words.some((word) => COINS.has(word))) {
      const symbols = words.map((word) => COINS.get(word) ?? word);
      const said = await saidId(kind)(symbols, context);
      // Of “bitcoin and ether” the first alone is said.
      const own = words.filter((_, at) => said?.words.includes(symbols[at] ?? ""));
      return said === undefined ? undefined : { ...said, words: [...own, ...said.words] };
    }
    const names = kind.byName === undefined ? [] : await kind.names(context);
    const labelled = names.flatMap(({ label, ended }) => (label === undefined ? [] : [{ label, ended }]));
    const called = saidRun(words, (typed) => labelled.some(({ label }) => isSaidAs(label, typed)));
    const label = names.find((one) => one.label !== undefined && isSaidAs(one.label, called?.value ?? ""))?.label;
    if (called !== undefined && label !== undefined) return { ...called, value: label };
    for (const word of words.filter(isContentWord)) {
      const fits = labelled.filter(({ label }) => firstWord(label) === word);
      const live = fits.filter(({ ended }) => ended !== true).map(({ label }) => label);
      if (fits.length > 0) return { value: plainest(live) ?? word, words: [word] };
    }
    return undefined;
  };
}

/** Shorter than the time limit of a whole completion. */
const NAMES_WAIT_MILLIS: Milliseconds = 1000;

/** Completion for an option that takes an id of one kind: names that the node offers and ids seen, best match first. */
export function suggestIds(kind: IdKind) {
  return async (
    typed: string,
    context: Pick<SuggestContext, "api" | "seen" | "signal">,
  ): Promise<readonly Choice[]> => {
    const low = typed.trim().toLowerCase();
    const where = { network: context.api.network, seen: context.seen };
    const [names, seen] = await Promise.all([
      // No names from a slow node: the ids seen are worth offering without them.
      inTime(kind.names(context), { millis: NAMES_WAIT_MILLIS }, () => []),
      findSeen(where, kind.kind, typed.trim(), MAX_CHOICES),
    ]);
    return unique([...names, ...seen])
      .map((named) => ({ named, rank: rankOf(named, low) }))
      .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
      .toSorted(
        (a, b) =>
          a.rank - b.rank ||
          Number(a.named.ended === true) - Number(b.named.ended === true) ||
          orderOf(a.named, a.rank) - orderOf(b.named, b.rank),
      )
      .slice(0, MAX_CHOICES)
      .map(({ named }) => choiceOf(named, typedName(named, names)))
      .filter(({ value }) => value.length <= MAX_CHOICE_LENGTH);
  };
}

/** The rank of a name with the typed prefix. */
const NAME_PREFIX_RANK = 1;

/** Of names with the typed prefix the short ones come first; ids without a place, seen before, come last. */
function orderOf({ label = "", place = Number.MAX_SAFE_INTEGER }: NamedId, rank: number): number {
  return rank === NAME_PREFIX_RANK ? label.length : place;
}

/** Prefixes before other matches, names before ids. */
function rankOf({ id, label = "", more = "" }: NamedId, low: string): number {
  if (low === "") return 0;
  const [name, address, words] = [label.toLowerCase(), id.toLowerCase(), more.toLowerCase()];
  if (name === low || address === low) return 0;
  if (name.startsWith(low)) return NAME_PREFIX_RANK;
  if (address.startsWith(low)) return 2;
  if (name.includes(low)) return 3;
  if (words.includes(low)) return 4;
  return address.includes(low) ? 5 : Number.POSITIVE_INFINITY;
}

/** A unique name is sent instead of the id: it reads better in the visible question, and says all in the list. */
function choiceOf({ id, label, more, state }: NamedId, value: string): Choice {
  // `BTC/USDT-R1420 rolling future` has the label already.
  const further = label !== undefined && more?.startsWith(label) === true ? more.slice(label.length).trim() : more;
  const words = [label, state, further].filter(Boolean).join(" · ");
  const cut = (whole: string): string => cutShort(whole, MAX_CHOICE_LENGTH);
  if (label === undefined) return { label: cut([shortenId(id), words].filter(Boolean).join(" · ")), value };
  return value === label ? { label: cut(words), value } : { label: cut(`${words} (${shortenId(id)})`), value };
}
