import { nearest, quoteTyped } from "../../bot/nearest.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { UserError } from "../../errors.ts";
import { shortenId } from "../../reply/text.ts";
import { capitalised } from "../enum-words.ts";
import type { IdKind, NamedId, NamesContext } from "./ids.ts";
import { findSeen, type SeenContext } from "./seen-ids.ts";

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
  const exact = whole.length > 0 ? whole : named.filter(({ label }) => label !== undefined && isSaidAs(label, low));
  const known = unique([...names, ...(more.also ?? []), ...seen]);
  const byPrefix = low.length < MIN_PREFIX_LENGTH ? [] : known.filter((candidate) => startsWithTyped(candidate, low));
  const found = exact.length > 0 ? unique(exact) : byPrefix;
  const preferred = found.length > 1 ? found.filter(({ id }) => more.prefer?.(id) === true) : found;
  const [only] = preferred.length === 1 ? preferred : found;
  if (only !== undefined && preferred.length === 1) return only.id;
  if (only !== undefined) throw ambiguousId(kind, typed, found, option);
  throw unknownId(kind, typed, known, { option, network: context.network, instead: more.instead });
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
  const byId = new Map<string, NamedId>();
  for (const candidate of candidates) if (!byId.has(candidate.id)) byId.set(candidate.id, candidate);
  return [...byId.values()];
}

function ambiguousId(kind: IdKind, typed: string, found: readonly NamedId[], option: string): UserError {
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
      values: sorted.slice(0, MAX_CHOICES).map((one) => ({ label: named(one, shortenId(one.id)), value: one.id })),
    },
  });
}

interface UnknownContext {
  readonly option: string;
  readonly network: string;
  readonly instead: { readonly label: string; readonly value: string } | undefined;
}

function unknownId(kind: IdKind, typed: string, known: readonly NamedId[], context: UnknownContext): UserError {
  const { option, network, instead } = context;
  const names = known.flatMap(({ label }) => (label === undefined ? [] : [label]));
  const near =
    nearest(typed, names) ??
    nearest(
      typed,
      known.map(({ id }) => id),
    ) ??
    containing(typed, names);
  const alike = near === undefined ? ofSameBase(typed, known) : [near];
  const values = alike.map((one) => ({ label: isWholeId(one) ? shortenId(one) : one, value: one }));
  if (alike.length === 0 && instead !== undefined) values.push(instead);
  return new UserError(whatIsWrong(kind, typed, network), {
    option,
    remedy: alike.length === 0 ? idFormatWords(kind) : `Did you mean ${alike.join(" or ")}?`,
    meanings: { typed, values },
  });
}

/** `DOGE/USDT` for `DOGE/XYZ`: those that have not ended first. */
function ofSameBase(typed: string, known: readonly NamedId[]): readonly string[] {
  const base = /^[^/]{2,}\//u.exec(typed.trim().toLowerCase())?.[0];
  if (base === undefined) return [];
  return known
    .toSorted((a, b) => Number(a.ended === true) - Number(b.ended === true))
    .flatMap(({ label }) => (label?.toLowerCase().startsWith(base) === true ? [label] : []))
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
