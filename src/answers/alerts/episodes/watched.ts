import { destinationKey } from "../../../alerts/destination.ts";
import { subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import type { ReadPast } from "../../../chart/thin.ts";
import { capitalised } from "../../../reply/enum-words.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { text, type Text, type TextPart, time } from "../../../reply/text.ts";
import { fromMillis, type Milliseconds, type Stretch } from "../../../units/time.ts";
import { type AlertsContext, isOperator } from "../destination.ts";
import { isForPerson, NAMED_PLACES } from "./told.ts";

/** A start takes some minutes. */
const AT_ONCE: Milliseconds = 300_000;

export interface Watched {
  readonly notes: readonly TextPart[];
  readonly isSubscribed: boolean;
  /** That nobody is, where it is so. */
  readonly none: string;
  /** Since when somebody watched for these places: 0 = all of the time that is asked about, Infinity = never. */
  readonly since: Milliseconds;
}

/** Who watches these places: what is subscribed, and since when that and the looks at the network go back. */
export async function watchedSince(
  { from }: Stretch,
  keys: readonly string[] | undefined,
  network: string | undefined,
  context: AlertsContext & {
    readonly networks: readonly string[];
    readonly past: ReadPast;
    readonly signal: AbortSignal;
    readonly now: () => bigint;
  },
): Promise<Watched> {
  const { alerts } = context;
  const isSeen = (key: string): boolean => keys?.includes(key) ?? !isForPerson(key);
  const all = (await alerts.subscriptions()).filter(
    ({ state, destination, network: on }) =>
      state === "active" && isSeen(destinationKey(destination)) && (network === undefined || on === network),
  );
  const unwatched = alerts.verdict === undefined ? ["Bellwether is not running now: nothing is watched."] : [];
  const none = isOperator(context) ? "nobody is subscribed" : "nothing is subscribed here";
  if (all.length === 0) return { notes: unwatched, isSubscribed: false, none, since: Infinity };
  const named = [...new Set(all.map((one) => plainText(subscriptionWords(one))))];
  const more = named.length - NAMED_PLACES;
  const words = [...named.slice(0, NAMED_PLACES), ...(more > 0 ? [`${more} more`] : [])].join("; ");
  const subscribed = Math.min(...all.map(({ created }) => created));
  const asked = network === undefined ? context.networks : [network];
  const looks = await Promise.all(asked.map((one) => firstLook(one, from, context)));
  const since = Math.max(subscribed, Math.min(...looks));
  const isKnown = since <= from + AT_ONCE;
  // Where the time is not known, the first line says since when it would be.
  const notes = isKnown ? [text`Subscribed since ${time(fromMillis(subscribed))}: ${words}.`, ...unwatched] : unwatched;
  return { notes, isSubscribed: true, none, since: isKnown ? 0 : since };
}

/** The first look at a network since a moment: 0 where no looks are kept, though it was looked at. */
async function firstLook(
  network: string,
  from: Milliseconds,
  { alerts, past, signal }: Parameters<typeof watchedSince>[3],
): Promise<Milliseconds> {
  const last = await alerts.lastObservedAt(network, "sources");
  if (last === undefined || last < from) return Infinity;
  for await (const part of past({ network, watcher: "sources", from, to: last }, signal)) {
    for (let look = 0; look < part.size; look += 1) if (part.from(look) >= from) return part.from(look);
  }
  return 0;
}

/** That nothing happened, or that nobody knows; `span` names the time, as `last night`. */
export function calmWords(
  { isSubscribed, none, since }: Watched,
  { to }: Stretch,
  where: string,
  span: string,
  shown: (at: Milliseconds) => TextPart,
): Text {
  const named = `${where}${span === "" ? "" : ` ${span}`}`;
  if (since === 0) return text`Nothing happened${named}`;
  const why = !isSubscribed
    ? none
    : since === Infinity
      ? "nobody was watching"
      : text`watching only since ${shown(since)}${since >= to ? "" : "; nothing happened since"}`;
  return text`${where === "" && span !== "" ? `${capitalised(span)} is not known` : `Not known${named}`}: ${why}`;
}
