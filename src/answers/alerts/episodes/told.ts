import { destinationFromKey, destinationKey } from "../../../alerts/destination.ts";
import { KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { SEVERITIES, timeFromText } from "../../../alerts/judge/kinds/kind.ts";
import { type Episode, isDrill, isOpen } from "../../../alerts/judge/rules/episode.ts";
import type { AlertMessage, MessageOf } from "../../../alerts/message/message.ts";
import type { Told } from "../../../alerts/service/service.ts";
import { happening } from "../../../alerts/words/condition-words.ts";
import { endOf, lengthWords, markedTitle, UNSEEN_ENDS } from "../../../alerts/words/phrases.ts";
import { describe } from "../../../alerts/words/words.ts";
import { table, type Table } from "../../../reply/block.ts";
import { listWords } from "../../../reply/enum-words.ts";
import { shortText } from "../../../reply/fold.ts";
import { plainText } from "../../../reply/plain-text.ts";
import { clockTime, type Inline, joinText, text, type Text, time, toText } from "../../../reply/text.ts";
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
import { placeOf, reach, seenHere } from "./episodes.ts";

/** More are below the fold, in a chat and elsewhere. */
const [IN_CHAT, ELSEWHERE] = [5, 20];
/** How many places a line names, or what is subscribed; the rest is counted. */
export const NAMED_PLACES = 3;
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

/** One thing that happened, or several alike, with all places that were told and may be named. */
export interface ToldLine {
  readonly isAlert: boolean;
  /** A test of the way of alerts: nothing happened. */
  readonly isDrill: boolean;
  /** How much it matters, by one measure after the other: the lowest first. */
  readonly rank: readonly number[];
  /** When it began, of an event its own time: people may have been told later. */
  readonly at: Milliseconds;
  readonly what: string;
  /** What it was, for a first line: a sentence that its length continues, where it is over. */
  readonly first: { readonly words: string; readonly isOver: boolean };
  readonly lasted: string;
  readonly taker: string;
  /** The alert, of several the worst. */
  readonly episode?: Episode;
  /** The keys of the destinations. */
  readonly places: readonly string[];
  /** What those that are alike share, and how many stand in this line. */
  readonly alike: string;
  readonly count: number;
}

type ToldContext = CallerContext & { readonly networks: readonly string[] };

/** So many alike, or more, share a line. */
const FOLDED_FROM = 3;
/** How far apart an alert and the change that set it off are seen. */
const SAME_CHANGE: Milliseconds = 120_000;

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
  context: ToldContext,
  now: Milliseconds,
  zone: string,
): readonly ToldLine[] {
  const own = ownKey(context);
  const auctions = told.flatMap(({ episode }) => (episode?.kind === "market.auction" ? [episode] : []));
  const news = told
    .filter(({ destination }) => destination === own || !isForPerson(destination))
    .filter(({ message }) => !LEFT_OUT.includes(message.type))
    .flatMap((one) => withoutAuctions(one, auctions))
    .toSorted((a, b) => b.at - a.at);
  const groups = Map.groupBy(news, ({ at, id, message, episode }) => {
    if (message.type === "rolling") return `${message.kind} ${message.network} ${message.day}`;
    if (isRoutine(message)) return `${message.event.kind} ${message.event.network} on ${dayIn(zone, at)}`;
    return message.type === "condition" && episode !== undefined ? episode.id : id;
  });
  const lines = [...groups.values()].flatMap((group): ToldLine[] => {
    const [last] = group;
    if (last === undefined) return [];
    const places = [...new Set(group.map(({ destination }) => destination))].toSorted();
    const line = { ...lineOf(last, context, now), places };
    const count = new Set(group.map(({ message }) => (isRoutine(message) ? message.event.key : ""))).size;
    return [count > 1 ? { ...line, ...counted(line, `the last of ${formatCount(count)}`) } : line];
  });
  return withAlike(lines).toSorted((a, b) => b.at - a.at);
}

function counted({ what, first }: ToldLine, more: string): Pick<ToldLine, "what" | "first"> {
  return { what: `${what}, ${more}`, first: { ...first, words: `${first.words}, ${more}` } };
}

/** Without the changes of markets that an alert of an auction tells, too. */
function withoutAuctions(told: Told, auctions: readonly Episode[]): readonly Told[] {
  const { message } = told;
  const isTold = ({ kind, network, subject, at }: RoutineMessage["event"]): boolean =>
    kind === "market.state" &&
    auctions.some(
      (one) =>
        one.network === network &&
        one.subject === subject &&
        [one.began, one.detected, endOf(one)].some(
          (moment) => Math.abs(millisOf(moment) - millisOf(at)) <= SAME_CHANGE,
        ),
    );
  if (message.type === "event") return isTold(message.event) ? [] : [told];
  if (message.type !== "rolling") return [told];
  const events = message.events.filter((event) => !isTold(event));
  const total = message.total - (message.events.length - events.length);
  return events.length === 0 ? [] : [{ ...told, message: { ...message, events, total } }];
}

/** Many that are over and alike in one line: the worst of them, with the longest length. */
function withAlike(lines: readonly ToldLine[]): readonly ToldLine[] {
  return [...Map.groupBy(lines, ({ alike }) => alike)].flatMap(([alike, group]) => {
    const [worst, ...others] = worstFirst(group);
    if (worst === undefined || alike === "" || group.length < FOLDED_FROM) return group;
    const takers = [...new Set(group.map(({ taker }) => taker).filter((taker) => taker !== "–"))];
    return [
      {
        ...worst,
        what: `${worst.what}, and ${formatCount(others.length)} more alike`,
        taker: takers.length === 0 ? "–" : takers.join(", "),
        places: [...new Set(group.flatMap(({ places }) => places))].toSorted(),
        count: group.length,
      },
    ];
  });
}

/** An alert by its severity, its network's place, its reach and its length; what comes again and again matters less, a test least. */
function rankOf(episode: Episode, { networks }: ToldContext, now: Milliseconds): readonly number[] {
  if (isDrill(episode)) return [3];
  const length = (isOpen(episode) ? now : millisOf(endOf(episode))) - millisOf(episode.began);
  return [-SEVERITIES.indexOf(episode.severity), placeOf(episode.network, networks), reach(episode), -length];
}

/** Alerts that fired within a range, and of which nobody at all was told: none subscribed, or silenced. */
export async function untoldLines(
  { from, to }: Stretch,
  network: string | undefined,
  context: AlertsContext & ToldContext,
  now: Milliseconds,
): Promise<readonly ToldLine[]> {
  const { alerts } = context;
  const [open, last] = await Promise.all([alerts.openEpisodes(network), alerts.lastEpisodes(MAX_EPISODES)]);
  const fired = [...new Map([...open, ...last].map((one) => [one.id, one])).values()].filter((one) => {
    const at = millisOf(one.detected);
    return at >= from && at < to && (network === undefined || one.network === network);
  });
  if (fired.length === 0) return [];
  // Some are told later: once quiet hours are over.
  const { told } = await alerts.told({ from, to: now, destinations: undefined, limit: MAX_MESSAGES });
  const known = new Set(told.map(({ episode }) => episode?.id));
  const lines = fired.filter(({ id }) => !known.has(id)).map((one) => episodeLine(one, context, now));
  return withAlike(lines.map((line) => ({ ...line, places: [] })));
}

/** Those that matter most first, of equals the newest. */
export function worstFirst(lines: readonly ToldLine[]): readonly ToldLine[] {
  return lines.toSorted((a, b) => {
    const differs = a.rank.findIndex((measure, at) => measure !== b.rank[at]);
    return differs === -1 ? b.at - a.at : (a.rank[differs] ?? 0) - (b.rank[differs] ?? 0);
  });
}

function lineOf({ at, message, episode }: Told, context: ToldContext, now: Milliseconds): Omit<ToldLine, "places"> {
  if (message.type === "condition" && episode !== undefined) return episodeLine(episode, context, now, message);
  const what = sentence(describe(message, {}, context.platforms).title);
  const rank = [isRoutine(message) || message.type === "rolling" ? 2 : 1];
  const first = { words: what, isOver: false };
  const moment = message.type === "event" ? millisOf(message.event.at) : at;
  return {
    isAlert: false,
    isDrill: false,
    rank,
    at: moment,
    what,
    first,
    lasted: "–",
    taker: "–",
    alike: "",
    count: 1,
  };
}

function episodeLine(
  known: Episode,
  context: ToldContext,
  now: Milliseconds,
  message?: AlertMessage,
): Omit<ToldLine, "places"> {
  const episode = seenHere(known, context);
  const unseen = UNSEEN_ENDS[episode.state];
  const said = text`${happening(episode)}${unseen === undefined ? "" : `: ${unseen}`}`;
  const title = text`${said}, ${episode.severity}`;
  return {
    isAlert: true,
    isDrill: isDrill(episode),
    rank: rankOf(episode, context, now),
    at: millisOf(episode.began),
    what: sentence(message === undefined ? title : markedTitle(title, message)),
    first: { words: sentence(said), isOver: !isOpen(episode) && unseen === undefined },
    lasted: lengthWords(episode, now),
    taker: episode.acknowledged?.by ?? "–",
    episode,
    alike: isOpen(episode) ? "" : `${episode.kind} ${episode.network} ${episode.state}`,
    count: 1,
  };
}

/** Without the mark of simulated networks, which the answer has itself. */
function sentence(title: Text): string {
  return plainText(shortText(title)).replace(/^SIMULATED · /u, "");
}

function millisOf(moment: string): Milliseconds {
  return toMillis(timeFromText(moment));
}

function dayIn(zone: string, at: Milliseconds): string {
  return localText(zone, at).slice(0, 10);
}

/** One table of all, what matters most first and so much of it above the fold; `shown` writes a moment. */
export function toldTable(
  rows: readonly ToldLine[],
  names: { readonly name: string; readonly title?: Text },
  shown: (at: Milliseconds) => Inline,
  context: CallerContext,
): Table {
  const whereOf = placesWords(context);
  return table<ToldLine>({
    ...names,
    fold: isOperator(context) ? ELSEWHERE : IN_CHAT,
    rows: worstFirst(rows),
    columns: [
      ["What", ({ what }) => what],
      ["When", ({ at }) => shown(at)],
      ["How long", ({ lasted }) => lasted],
      ["Taken by", ({ taker }) => taker, 2],
      ["Where", ({ places }) => (places.length === 0 ? "nobody" : whereOf(places)), 2, "varies"],
    ],
  });
}

/** A moment of this day, or with its day: by the clock of the zone that the reader chose, else by the reader's own. */
export function momentOf(at: Milliseconds, zone: string | undefined): Inline {
  if (zone === undefined) return time(fromMillis(at), "clock");
  if (zone === "UTC") return time(fromMillis(at));
  return clockTime(fromMillis(at), localText(zone, at).slice(5));
}

/** Where direct messages to the caller go; an operator has no such place. */
function ownKey(context: CallerContext): string | undefined {
  return isOperator(context) ? undefined : destinationKey(directMessages(context));
}

/** Whether a destination is one person alone. */
export function isForPerson(key: string): boolean {
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
