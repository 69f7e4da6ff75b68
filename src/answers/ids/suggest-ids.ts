import { cutShort } from "../../bot/nearest.ts";
import { type Choice, MAX_CHOICE_LENGTH, type SuggestContext } from "../../bot/options/options.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { inTime } from "../../in-time.ts";
import { shortenId } from "../../reply/text.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { IdKind, NamedId } from "./ids.ts";
import { findSeen } from "./seen-ids.ts";

/** Shorter than the time limit of a whole completion. */
const NAMES_WAIT_MILLIS: Milliseconds = 1000;

/** Completion for an option that takes an id of one kind: names that the node offers and ids seen, best match first. */
export function suggestIds(
  kind: IdKind,
): (typed: string, context: Pick<SuggestContext, "api" | "seen" | "signal">) => Promise<readonly Choice[]> {
  return async (typed, context) => {
    const low = typed.trim().toLowerCase();
    const where = { network: context.api.network, seen: context.seen };
    const [names, seen] = await Promise.all([
      // No names from a slow node: the ids seen are worth offering without them.
      inTime(kind.names(context), { millis: NAMES_WAIT_MILLIS }, () => []),
      findSeen(where, kind.kind, typed.trim(), MAX_CHOICES),
    ]);
    const byId = new Map<string, NamedId>();
    for (const named of [...names, ...seen]) if (!byId.has(named.id)) byId.set(named.id, named);
    const counts = Map.groupBy(names, ({ label }) => label?.toLowerCase());
    return [...byId.values()]
      .map((named) => ({ named, rank: rankOf(named, low) }))
      .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
      .toSorted(
        (a, b) =>
          a.rank - b.rank ||
          Number(a.named.ended === true) - Number(b.named.ended === true) ||
          (a.rank === NAME_PREFIX_RANK ? lengthOf(a.named) - lengthOf(b.named) : placeOf(a.named) - placeOf(b.named)),
      )
      .slice(0, MAX_CHOICES)
      .map(({ named }) => choiceOf(named, counts.get(named.label?.toLowerCase())?.length === 1))
      .filter(({ value }) => value.length <= MAX_CHOICE_LENGTH);
  };
}

/** The rank of a name with the typed prefix; of these the short ones come first, being typed most. */
const NAME_PREFIX_RANK = 1;

/** Ids without a place, seen before, come last. */
function placeOf({ place = Number.MAX_SAFE_INTEGER }: NamedId): number {
  return place;
}

function lengthOf({ label = "" }: NamedId): number {
  return label.length;
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
function choiceOf({ id, label, more, state }: NamedId, nameIsUnique: boolean): Choice {
  // `BTC/USDT-R1420 rolling future` has the label already.
  const further = label !== undefined && more?.startsWith(label) === true ? more.slice(label.length).trim() : more;
  const words = [label, state, further].filter(Boolean).join(" · ");
  const cut = (whole: string): string => cutShort(whole, MAX_CHOICE_LENGTH);
  if (label === undefined) return { label: words === "" ? id : cut(`${shortenId(id)} · ${words}`), value: id };
  return nameIsUnique ? { label: cut(words), value: label } : { label: cut(`${words} (${shortenId(id)})`), value: id };
}
