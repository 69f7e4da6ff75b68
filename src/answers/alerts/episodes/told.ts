import { destinationFromKey, destinationKey } from "../../../alerts/destination.ts";
import { isOpen } from "../../../alerts/judge/rules/episode.ts";
import type { AlertMessage } from "../../../alerts/message/message.ts";
import type { Told } from "../../../alerts/service/service.ts";
import { conditionWords } from "../../../alerts/words/condition-words.ts";
import { lengthWords, markedTitle, UNSEEN_ENDS } from "../../../alerts/words/phrases.ts";
import { describe } from "../../../alerts/words/words.ts";
import { table, type Table } from "../../../reply/block.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { clockTime, joinText, text, type Text, toText } from "../../../reply/text.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import { localText } from "../alert-times.ts";
import {
  type AlertsContext,
  type CallerContext,
  destinationHere,
  destinationKeyWords,
  directMessages,
  isOperator,
} from "../destination.ts";
import { seenHere } from "./episodes.ts";

/** How many places a line names; the rest is counted. */
const NAMED_PLACES = 3;

/**
 * The keys of the places whose messages the caller may read back: what they are told themselves, and the channels that they
 * manage. Undefined for operators, who may read all.
 */
export async function readablePlaces(context: AlertsContext): Promise<readonly string[] | undefined> {
  if (isOperator(context)) return undefined;
  const { alerts, caller, here } = context;
  const managed = caller.mayManageChannel ? [destinationHere(context)] : [];
  const all = caller.managesWorkspace === true && here.workspace !== undefined ? await alerts.subscriptions() : [];
  const near = all
    .filter(({ destination, workspace }) => {
      const of = destination.workspace ?? workspace;
      return (
        destination.platform === here.platform && of === here.workspace && !destination.channel.startsWith("user:")
      );
    })
    .map(({ destination }) => destination);
  return [...new Set([directMessages(context), ...managed, ...near].map(destinationKey))];
}

/** One thing that people were told, at all places that may be named. */
interface ToldLine {
  /** When it was told first. */
  readonly at: Milliseconds;
  readonly what: string;
  readonly lasted: string;
  readonly taker: string;
  /** The keys of the destinations. */
  readonly places: ReadonlySet<string>;
}

/** What the caller did, and what shows that a place can be reached, is no news. */
const NO_NEWS: readonly AlertMessage["type"][] = ["test", "change", "export"];

/** Each alert, each event and each digest once, newest first. */
export function toldLines(
  told: readonly Told[],
  context: CallerContext & { readonly network?: string | undefined },
  now: Milliseconds,
): readonly ToldLine[] {
  const news = told.filter(({ message }) => !NO_NEWS.includes(message.type));
  const groups = Map.groupBy(news, ({ id, message, episode }) => {
    if (message.type === "rolling") return `${message.kind} ${message.network} ${message.day}`;
    return message.type === "condition" && episode !== undefined ? episode.id : id;
  });
  return [...groups.values()]
    .flatMap((group): ToldLine[] => {
      const [last] = group.toSorted((a, b) => b.at - a.at);
      if (last === undefined) return [];
      const at = Math.min(...group.map((one) => one.at));
      return [{ at, ...wordsOf(last, context, now), places: new Set(group.map(({ destination }) => destination)) }];
    })
    .toSorted((a, b) => b.at - a.at);
}

function wordsOf({ message, episode: known }: Told, context: CallerContext, now: Milliseconds) {
  if (message.type !== "condition" || known === undefined) {
    return { what: sentence(describe(message).title), lasted: "", taker: "" };
  }
  const episode = seenHere(known, context);
  const { now: present, past, bad } = conditionWords(episode);
  const unseen = UNSEEN_ENDS[episode.state];
  const said = isOpen(episode) ? present : unseen === undefined ? past : text`${bad}: ${unseen}`;
  const critical = episode.severity === "critical" ? (isOpen(episode) ? ", critical" : ", was critical") : "";
  const what = sentence(markedTitle(text`${said}${critical}`, message));
  return { what, lasted: lengthWords(episode, now), taker: episode.acknowledged?.by ?? "" };
}

/** The answer itself is marked. */
function sentence(title: Text): string {
  return plainText(title).replace(/^SIMULATED · /u, "");
}

/** A table for each day by the clock of a zone, newest first. */
export function toldTables(lines: readonly ToldLine[], context: CallerContext, zone: string): Table[] {
  const days = Map.groupBy(lines, ({ at }) => localText(zone, at).slice(0, 10));
  return [...days].map(([day, rows]) => ({
    ...toldTable(rows, context, zone),
    name: `alerts-told-${day}`,
    title: toText(dayWords(day)),
  }));
}

/** All lines in one table. */
export function toldTable(rows: readonly ToldLine[], context: CallerContext, zone: string): Table {
  const whereOf = placesWords(context);
  return table<ToldLine>({
    name: "alerts-told",
    rows,
    columns: [
      ["What", ({ what }) => what],
      ["When", ({ at }) => clockTime(fromMillis(at), localText(zone, at).slice(11, 16))],
      ["How long", ({ lasted }) => orDash(lasted), 2],
      ["Taken by", ({ taker }) => orDash(taker), 2],
      ["Where", ({ places }) => whereOf([...places]), 2],
    ],
  });
}

function orDash(words: string): string {
  return words === "" ? "–" : words;
}

/** `Friday, 2026-05-01`. */
function dayWords(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}`;
}

function placesWords(context: CallerContext): (places: readonly string[]) => Text {
  const own = isOperator(context) ? undefined : destinationKey(directMessages(context));
  const placeOf = destinationKeyWords(context);
  const wordsOf = (key: string): Text => {
    const { channel, platform } = destinationFromKey(key);
    if (key === own) return toText("your direct messages");
    return channel.startsWith("user:") ? toText(`direct messages on ${platform}`) : placeOf(key);
  };
  return (places) => {
    const left = places.length - NAMED_PLACES;
    return joinText([...places.slice(0, NAMED_PLACES).map(wordsOf), ...(left > 0 ? [`${left} more`] : [])], ", ");
  };
}
