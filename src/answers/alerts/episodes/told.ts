import { destinationFromKey, destinationKey } from "../../../alerts/destination.ts";
import { KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { SEVERITIES, timeFromText } from "../../../alerts/judge/kinds/kind.ts";
import { type Episode, isOpen } from "../../../alerts/judge/rules/episode.ts";
import type { AlertMessage, MessageOf } from "../../../alerts/message/message.ts";
import type { Told } from "../../../alerts/service/service.ts";
import { conditionWords } from "../../../alerts/words/condition-words.ts";
import { subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { lengthWords, markedTitle, UNSEEN_ENDS } from "../../../alerts/words/phrases.ts";
import { describe } from "../../../alerts/words/words.ts";
import { table, type Table } from "../../../reply/block.ts";
import { listWords } from "../../../reply/enum-words.ts";
import { shortText } from "../../../reply/fold.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { clockTime, type Inline, joinText, text, type Text, type TextPart, time, toText } from "../../../reply/text.ts";
import { fromMillis, type Milliseconds, type Stretch, toMillis } from "../../../units/time.ts";
import { formatCount } from "../../../units/format-number.ts";
import { localText } from "../../../units/local-time.ts";
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
/** Messages that are read at most. */
export const MAX_MESSAGES = 2000;
/** Episodes that are looked through for those of which nobody was told. */
const MAX_EPISODES = 500;

/**
 * The places whose messages the caller may read back, by key and in words: what they are told themselves, the channel where
 * they ask, since whoever is in it saw its posts, and the channels that they manage; where everybody sees the answer, the
 * channel alone. A guest is told nothing of it. Operators may read all, without keys.
 */
export async function readablePlaces(
  context: AlertsContext & { readonly openly?: true; managed(): Promise<ReadonlySet<string>> },
): Promise<{ readonly keys?: readonly string[]; readonly words: string }> {
  if (isOperator(context)) return { words: "This covers all channels, and nobody's direct messages." };
  const { alerts, caller, here, platforms } = context;
  const channel = destinationKey(destinationHere(context));
  if (context.openly === true) return { keys: [channel], words: "This covers what this channel was told." };
  const own = destinationKey(directMessages(context));
  const near = (await alerts.subscriptions()).filter(({ destination, workspace }) => {
    const isHere = here.workspace !== undefined && (destination.workspace ?? workspace) === here.workspace;
    const isChannel = !destination.channel.startsWith("user:") && destinationKey(destination) !== channel;
    return destination.platform === here.platform && isHere && isChannel;
  });
  const isKnown = caller.managesWorkspace === true || near.length === 0;
  const managed = isKnown ? undefined : await context.managed();
  // Such a person may manage each channel that they are in, and they are in those that they subscribed.
  const isEverywhere = platforms.chat(here.platform)?.managersInDirectMessages === true && caller.mayManageChannel;
  const others = near.filter(
    ({ destination, by }) => managed?.has(destination.channel) !== false || (isEverywhere && by.id === caller.id),
  );
  // The reason says that they may be no member: a guest, or of another organisation.
  const isMember = caller.mayManageChannel || caller.mayNotManage === undefined;
  const ofChannel = isMember ? [channel] : [];
  const keys = [...new Set([own, ...ofChannel, ...others.map(({ destination }) => destinationKey(destination))])];
  const covered = [
    ...(channel === own || !isMember ? [] : ["this channel"]),
    ...(caller.mayManageChannel || others.length > 0 ? ["the channels here that you manage"] : []),
    "your own watches",
  ];
  const words =
    keys.length > 1
      ? `This covers ${listWords(covered, " and ")}.`
      : "This covers your own watches; whoever is a member of a channel can ask there what it was told.";
  return { keys, words };
}

/** One thing that people were told, at all places that may be named. */
export interface ToldLine {
  /** Whether it is an alert, and how much it matters: the lowest first. */
  readonly isAlert: boolean;
  readonly rank: number;
  /** When it was told first. */
  readonly at: Milliseconds;
  readonly what: string;
  readonly lasted: string;
  readonly taker: string;
  /** The keys of the destinations. */
  readonly places: readonly string[];
}

/** Answers to what the caller did, and tests of a place, are left out. */
const LEFT_OUT: readonly AlertMessage["type"][] = ["test", "change", "export"];

type RoutineMessage = MessageOf<"event">;

/** An event that comes again and again: its day has one line, or what matters could not be seen for it. */
function isRoutine(message: AlertMessage): message is RoutineMessage {
  return message.type === "event" && KINDS[message.event.kind].frequent === true;
}

/** Each alert, each event and each digest once, newest first, with days by a zone's clock; no direct message but the caller's. */
export function toldLines(
  told: readonly Told[],
  context: CallerContext,
  now: Milliseconds,
  zone: string,
): readonly ToldLine[] {
  const own = ownKey(context);
  const news = told
    .filter(({ destination }) => destination === own || !isForPerson(destination))
    .filter(({ message }) => !LEFT_OUT.includes(message.type))
    .toSorted((a, b) => b.at - a.at);
  const groups = Map.groupBy(news, ({ at, id, message, episode }) => {
    if (message.type === "rolling") return `${message.kind} ${message.network} ${message.day}`;
    if (isRoutine(message)) return `${message.event.kind} ${message.event.network} on ${dayIn(zone, at)}`;
    return message.type === "condition" && episode !== undefined ? episode.id : id;
  });
  const lines = [...groups.values()].flatMap((group): ToldLine[] => {
    const [last, first = last] = [group[0], group.at(-1)];
    if (last === undefined || first === undefined) return [];
    const places = [...new Set(group.map(({ destination }) => destination))].toSorted();
    const { what, ...more } = wordsOf(last, context, now);
    const count = new Set(group.map(({ message }) => (isRoutine(message) ? message.event.key : ""))).size;
    return count > 1
      ? [{ at: last.at, ...more, ...weightOf(last), what: `${what}, the last of ${formatCount(count)}`, places }]
      : [{ at: first.at, ...more, ...weightOf(last), what, places }];
  });
  return lines.toSorted((a, b) => b.at - a.at);
}

/** What comes again and again matters least, an alert by its severity, and one that is open before those that are over. */
function weightOf({ message, episode }: Told): Pick<ToldLine, "isAlert" | "rank"> {
  if (message.type === "condition" && episode !== undefined) return { isAlert: true, rank: rankOf(episode) };
  const isUsual = isRoutine(message) || message.type === "rolling";
  return { isAlert: false, rank: 2 * SEVERITIES.length + (isUsual ? 1 : 0) };
}

function rankOf(episode: Episode): number {
  return 2 * SEVERITIES.toReversed().indexOf(episode.severity) + (isOpen(episode) ? 0 : 1);
}

/** Alerts that fired within a range, and of which nobody at all was told: none subscribed, or silenced. */
export async function untoldLines(
  { from, to }: Stretch,
  network: string | undefined,
  context: AlertsContext,
  now: Milliseconds,
): Promise<readonly ToldLine[]> {
  const { alerts } = context;
  const [open, last] = await Promise.all([alerts.openEpisodes(network), alerts.lastEpisodes(MAX_EPISODES)]);
  const fired = [...new Map([...open, ...last].map((one) => [one.id, one])).values()].filter((one) => {
    const at = toMillis(timeFromText(one.detected));
    return at >= from && at < to && (network === undefined || one.network === network);
  });
  if (fired.length === 0) return [];
  // Some are told later: once quiet hours are over.
  const { told } = await alerts.told({ from, to: now, destinations: undefined, limit: MAX_MESSAGES });
  const known = new Set(told.map(({ episode }) => episode?.id));
  return fired
    .filter(({ id }) => !known.has(id))
    .map((one) => ({
      ...episodeWordsOf(one, context, now),
      isAlert: true,
      rank: rankOf(one),
      at: toMillis(timeFromText(one.detected)),
      places: [],
    }));
}

/** Who watches these places: what is subscribed, and since when; nobody was in a range before. */
export async function watchingNow(
  { to }: Stretch,
  keys: readonly string[] | undefined,
  network: string | undefined,
  context: AlertsContext,
): Promise<{ readonly notes: readonly TextPart[]; readonly isSubscribed: boolean }> {
  const { alerts } = context;
  const isSeen = (key: string): boolean => keys?.includes(key) ?? !isForPerson(key);
  const all = (await alerts.subscriptions()).filter(
    ({ state, destination, network: on }) =>
      state === "active" && isSeen(destinationKey(destination)) && (network === undefined || on === network),
  );
  const unwatched = alerts.verdict === undefined ? ["Bellwether is not running now: nothing is watched."] : [];
  if (all.length === 0) {
    const where = isOperator(context) ? "Nobody is subscribed" : "Nothing is subscribed here";
    return { notes: [`${where}: no alert is told.`, ...unwatched], isSubscribed: false };
  }
  const named = [...new Set(all.map((one) => plainText(subscriptionWords(one))))];
  const more = named.length - NAMED_PLACES;
  const words = [...named.slice(0, NAMED_PLACES), ...(more > 0 ? [`${more} more`] : [])].join("; ");
  const first = Math.min(...all.map(({ created }) => created));
  const subscribed = text`${first >= to ? "Nobody was subscribed then; s" : "S"}ubscribed since ${time(fromMillis(first))}: ${words}.`;
  return { notes: [subscribed, ...unwatched], isSubscribed: true };
}

/** Those that matter most first, of equals the newest. */
export function worstFirst(lines: readonly ToldLine[]): readonly ToldLine[] {
  return lines.toSorted((a, b) => a.rank - b.rank || b.at - a.at);
}

function wordsOf({ message, episode }: Told, context: CallerContext, now: Milliseconds) {
  if (message.type !== "condition" || episode === undefined) {
    return { what: sentence(describe(message, {}, context.platforms).title), lasted: "–", taker: "–" };
  }
  return episodeWordsOf(episode, context, now, message);
}

function episodeWordsOf(known: Episode, context: CallerContext, now: Milliseconds, message?: AlertMessage) {
  const episode = seenHere(known, context);
  const { now: present, past, bad } = conditionWords(episode);
  const unseen = UNSEEN_ENDS[episode.state];
  const said = isOpen(episode) ? present : unseen === undefined ? past : text`${bad}: ${unseen}`;
  const critical = episode.severity === "critical" ? (isOpen(episode) ? ", critical" : ", was critical") : "";
  const title = text`${said}${critical}`;
  const what = sentence(message === undefined ? title : markedTitle(title, message));
  return { what, lasted: lengthWords(episode, now), taker: episode.acknowledged?.by ?? "–" };
}

/** Without the mark of simulated networks, which the answer has itself. */
function sentence(title: Text): string {
  return plainText(shortText(title)).replace(/^SIMULATED · /u, "");
}

function dayIn(zone: string, at: Milliseconds): string {
  return localText(zone, at).slice(0, 10);
}

/** A table for each day by the clock of a zone, the newest day first, and in it what matters most. */
export function toldTables(lines: readonly ToldLine[], context: CallerContext, zone: string): Table[] {
  const days = Map.groupBy(lines, ({ at }) => dayIn(zone, at));
  return [...days].map(([day, rows]) =>
    toldTable(worstFirst(rows), { name: `alerts-told-${day}`, title: toText(dayWords(day)) }, context),
  );
}

/** `dayIn`: the zone of the days that stand with the times, where no title names one. */
export function toldTable(
  rows: readonly ToldLine[],
  { dayIn: zone, ...names }: { readonly name: string; readonly title?: Text; readonly dayIn?: string | undefined },
  context: CallerContext,
): Table {
  const whereOf = placesWords(context);
  const whenOf = ({ at }: ToldLine): Inline =>
    zone === undefined ? time(fromMillis(at), "clock") : clockTime(fromMillis(at), localText(zone, at).slice(5));
  return table<ToldLine>({
    ...names,
    rows,
    columns: [
      ["What", ({ what }) => what],
      ["When", whenOf],
      ["How long", ({ lasted }) => lasted],
      ["Taken by", ({ taker }) => taker, 2],
      ["Where", ({ places }) => (places.length === 0 ? "nobody" : whereOf(places)), 2],
    ],
  });
}

/** `Friday, 2026-05-01`. */
function dayWords(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}`;
}

/** Where direct messages to the caller go; an operator has no such place. */
function ownKey(context: CallerContext): string | undefined {
  return isOperator(context) ? undefined : destinationKey(directMessages(context));
}

function isForPerson(key: string): boolean {
  return destinationFromKey(key).channel.startsWith("user:");
}

function placesWords(context: CallerContext): (places: readonly string[]) => Text {
  const own = ownKey(context);
  const placeOf = destinationKeyWords(context);
  const wordsOf = (key: string): Text => (key === own ? toText("your direct messages") : placeOf(key));
  return (places) => {
    const left = places.length - NAMED_PLACES;
    return joinText([...places.slice(0, NAMED_PLACES).map(wordsOf), ...(left > 0 ? [`${left} more`] : [])], ", ");
  };
}
