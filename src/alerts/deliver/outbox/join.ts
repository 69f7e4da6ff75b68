// What is planned joins the last message with its key to its destination, while that one is open: as an item of a
// message about conditions, which says how each stands, or in the list of a message of the day or of a digest.
// ../../engine/plan-open.ts and plan-events.ts give the keys; JoinRule in batch.ts says how long a message is open.
import type { AlertTables, DeliveryRow, ItemRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { destinationKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { addToList, isList, type ListMessage } from "../../message/list-message.ts";
import { LONGEST_GROUPING, LONGEST_SLOW, SLOW_TO_FOLLOW } from "./batch.ts";
import type { Chunk } from "./chunk.ts";
import { type MessageCollector, readMessages } from "./stored-messages.ts";

type Planned = Chunk["deliveries"][number];

/** A message that may be joined. */
interface Joinable {
  readonly id: string;
  /** As it is stored; absent where it is planned in this batch. */
  readonly row?: DeliveryRow;
  /** The id of its message, which changes where that is a list. */
  message: string;
  readonly createdAt: Milliseconds;
  openUntil: Milliseconds | null;
  urgency: DeliveryRow["urgency"];
  /** The episode of its own delivery, and all that it says. */
  readonly own: string | null;
  readonly episodes: Set<string>;
  /** How many joined it in this batch. */
  joined: number;
}

/** What came of a batch. */
export interface JoinedBatch {
  /** The deliveries that join nothing. */
  readonly own: readonly Planned[];
  /** Of those, the message that others joined. */
  readonly begun: ReadonlyMap<string, Joinable>;
  /** Messages that were there, and have grown. */
  readonly grown: readonly Joinable[];
  readonly items: readonly ItemRow[];
  readonly decisions: readonly Decision[];
}

/** What came of the ends of alerts. */
interface JoinedEnds {
  /** The deliveries that are left. */
  readonly left: readonly Planned[];
  readonly items: readonly ItemRow[];
  /** How many joined each card. */
  readonly cards: ReadonlyMap<string, number>;
  readonly decisions: readonly Decision[];
}

/**
 * The end of an alert rings once all of its kind on its card are over, and what the card is about, if none has rung for
 * `SLOW_TO_FOLLOW`: otherwise the end is an item of the card, which shows it.
 */
export async function joinCards(
  tables: AlertTables,
  planned: readonly Planned[],
  at: Milliseconds,
): Promise<JoinedEnds> {
  const ends = planned.filter(({ phase, cardOf }) => phase === "resolve" && cardOf !== undefined);
  const rows = new Map(
    (await tables.outbox.get(ends.flatMap(({ cardOf }) => cardOf ?? []))).map((row) => [row.id, row]),
  );
  const grown = [...rows.values()].filter((row) => row.revision > 0 && !isCertainlyUnsent(row)).map(({ id }) => id);
  const said = Map.groupBy(await tables.items.of(grown), ({ delivery }) => delivery);
  const there = new Set((await tables.outbox.receipts([...rows.keys()])).map(({ delivery }) => delivery));
  const ids = new Set([...rows.values(), ...[...said.values()].flat()].flatMap(({ episode }) => episode ?? []));
  const open = new Set((await tables.watch.episodes([...ids])).flatMap((row) => (row.open === 1 ? [row.id] : [])));
  const rung = await readRung(tables, ends, at);
  const joined = new Set<string>();
  const ringing = new Map<string, string>();
  const items: ItemRow[] = [];
  const cards = new Map<string, number>();
  const decisions: Decision[] = [];
  for (const [id, all] of Map.groupBy(ends, ({ cardOf }) => cardOf ?? "")) {
    const row = rows.get(id);
    // The next ones may join a card that is open.
    const isShared = said.has(id) || (row?.open_until ?? 0) > at;
    if (row === undefined || isCertainlyUnsent(row) || !isShared) continue;
    // What a deleted card cannot show rings by itself.
    if (row.shown !== null && !there.has(id)) continue;
    for (const [kind, alike] of Map.groupBy(all, ({ episode }) => kindOf(episode))) {
      const others = (said.get(id) ?? []).flatMap(({ episode }) => (kindOf(episode) === kind ? (episode ?? []) : []));
      const lasts = [row.episode ?? "", ...others].some((one) => open.has(one));
      const last = lasts || rung.has(ringKey(id, kind)) ? undefined : alike.at(-1);
      if (last !== undefined) ringing.set(last.id, ringKey(id, kind));
      for (const one of last === undefined ? alike : alike.slice(0, -1)) {
        const by = (cards.get(id) ?? 0) + 1;
        cards.set(id, by);
        joined.add(one.id);
        const { episode = null, message, phase } = one;
        items.push({ id: one.id, delivery: id, revision: row.revision + by, phase, episode, message });
        decisions.push(groupedDecision({ id }, one));
      }
    }
  }
  const left = planned.flatMap((one) => {
    const groupKey = ringing.get(one.id);
    return joined.has(one.id) ? [] : [groupKey === undefined ? one : { ...one, groupKey, until: at + SLOW_TO_FOLLOW }];
  });
  return { left, items, cards, decisions };
}

/** Ends may come in several chunks and rounds, but those of one kind on one card ring once in `SLOW_TO_FOLLOW`. */
function ringKey(card: string, kind: string): string {
  return `rung ${card} ${kind}`;
}

async function readRung(tables: AlertTables, ends: readonly Planned[], at: Milliseconds): Promise<ReadonlySet<string>> {
  const destinations = new Set(ends.map(({ destination }) => destinationKey(destination)));
  const keys = new Set(ends.map(({ cardOf = "", episode }) => ringKey(cardOf, kindOf(episode))));
  const rows = await tables.outbox.joinable([...destinations], [...keys], at);
  return new Set([...rows.values()].flatMap((row) => row.join_key ?? []));
}

/** The rule of an episode names its kind. */
function kindOf(episode: string | null | undefined): string {
  return (episode ?? "").split(/[{|]/u)[0] ?? "";
}

/** Lets the deliveries of a batch join messages that are there, and each other. */
export async function joinMessages(
  tables: AlertTables,
  planned: readonly Planned[],
  messages: MessageCollector,
  at: Milliseconds,
): Promise<JoinedBatch> {
  const asking = planned.filter((one) => one.groupKey !== undefined && one.edits === undefined);
  const known = asking.length === 0 ? new Map<string, Joinable>() : await readJoinable(tables, asking, at);
  const stored = [...known.values()];
  const isOver = await overEpisodes(tables, known);
  const lists = new Lists(await readLists(tables, asking, known), messages);
  const own: Planned[] = [];
  const begun = new Map<string, Joinable>();
  const items: ItemRow[] = [];
  const decisions: Decision[] = [];
  for (const one of planned) {
    const key = joinKey(one);
    const open = key === undefined ? undefined : known.get(key);
    if (key === undefined || open === undefined || !mayJoin(open, one, at, isOver)) {
      // The list of a message that could not be sent goes on in the next one.
      const isLost = open?.row?.state === "dead" && lists.has(open.message);
      const begins = isLost ? { ...one, message: lists.extend(open.message, one.message) } : one;
      own.push(begins);
      if (key === undefined) continue;
      const opened = newJoinable(begins, at);
      known.set(key, opened);
      begun.set(one.id, opened);
      continue;
    }
    open.joined += 1;
    open.openUntil = openUntil(one, open.createdAt, at);
    if (lists.has(open.message)) {
      open.message = lists.extend(open.message, one.message);
      continue;
    }
    items.push(addItem(open, one));
    decisions.push(groupedDecision(open, one));
  }
  const grown = stored.filter(({ joined }) => joined > 0);
  return { own, begun, grown, items, decisions };
}

function addItem(open: Joinable, planned: Planned): ItemRow {
  const { id, phase, episode = null, message, urgency = 0 } = planned;
  if (urgency > open.urgency) open.urgency = urgency;
  if (episode !== null) open.episodes.add(episode);
  return { id, delivery: open.id, revision: (open.row?.revision ?? 0) + open.joined, phase, episode, message };
}

function groupedDecision(open: Pick<Joinable, "id">, { id, phase, episode, destination }: Planned): Decision {
  return {
    what: "grouped",
    ...(episode === undefined ? {} : { episode, network: episode.split("|")[1] ?? "" }),
    destination: destinationKey(destination),
    delivery: id,
    detail: `its ${phase} is said by the message of delivery ${open.id}`,
  };
}

/** The destination and key of what may join a message. What goes into another thread is another message. */
function joinKey({ destination, groupKey, within, edits, threadOf = "" }: Planned): string | undefined {
  if (groupKey === undefined || edits !== undefined) return undefined;
  return `${destinationKey(destination)} ${placedKey({ groupKey, within, threadOf })}`;
}

/** The key with the thread, where it has one. */
export function placedKey(of: Pick<Planned, "groupKey" | "within" | "threadOf">): string {
  const { groupKey = "", within, threadOf = "" } = of;
  return within === undefined ? groupKey : `${groupKey} ${threadOf}`.trim();
}

/** Until when a message is open once this has joined it; null as long as its key is used. */
export function openUntil(
  { within, until }: Pick<Planned, "within" | "until">,
  createdAt: Milliseconds,
  at: Milliseconds,
): Milliseconds | null {
  if (within === undefined) return until ?? null;
  return Math.min(at + within, createdAt + (within === SLOW_TO_FOLLOW ? LONGEST_SLOW : LONGEST_GROUPING));
}

function newJoinable(one: Planned, at: Milliseconds): Joinable {
  const { id, message, episode, urgency = 0 } = one;
  const episodes = new Set(episode === undefined ? [] : [episode]);
  const own = episode ?? null;
  return { id, message, createdAt: at, openUntil: openUntil(one, at, at), urgency, own, episodes, joined: 0 };
}

async function readJoinable(
  tables: AlertTables,
  asking: readonly Planned[],
  at: Milliseconds,
): Promise<Map<string, Joinable>> {
  const destinations = [...new Set(asking.map(({ destination }) => destinationKey(destination)))];
  const rows = await tables.outbox.joinable(destinations, [...new Set(asking.map(placedKey))], at);
  const grown = [...rows.values()].filter(({ revision }) => revision > 0).map(({ id }) => id);
  const items = Map.groupBy(await tables.items.of(grown), ({ delivery }) => delivery);
  return new Map(
    [...rows].map(([key, row]): [string, Joinable] => {
      const { id, message, episode, urgency, created_at: createdAt, open_until } = row;
      const said = [episode, ...(items.get(id) ?? []).map((one) => one.episode)];
      const episodes = new Set(said.filter((one) => one !== null));
      const own = episode;
      return [key, { id, row, message, createdAt, openUntil: open_until, urgency, own, episodes, joined: 0 }];
    }),
  );
}

/** Whether each episode that these messages say is over. */
async function overEpisodes(
  tables: AlertTables,
  known: ReadonlyMap<string, Joinable>,
): Promise<(message: Joinable) => boolean> {
  const ids = new Set([...known.values()].flatMap(({ episodes }) => [...episodes]));
  const open = new Set((await tables.watch.episodes([...ids])).flatMap((row) => (row.open === 1 ? [row.id] : [])));
  return ({ episodes }) => ![...episodes].some((id) => open.has(id));
}

/** Messages that are lists, by their ids. */
class Lists {
  readonly #known: Map<string, ListMessage>;
  readonly #messages: MessageCollector;
  /** Most destinations have the same list: it is extended once. */
  readonly #extended = new Map<string, string>();

  constructor(known: Map<string, ListMessage>, messages: MessageCollector) {
    this.#known = known;
    this.#messages = messages;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** The id of a list with another one behind it. */
  extend(list: string, added: string): string {
    const key = `${list} ${added}`;
    const done = this.#extended.get(key);
    const [before, more] = [this.#known.get(list), this.#known.get(added)];
    if (done !== undefined || before === undefined || more === undefined) return done ?? added;
    const after = addToList(before, more);
    const id = this.#messages.add(after);
    this.#known.set(id, after);
    this.#extended.set(key, id);
    return id;
  }
}

/** The lists among the messages that may join one another, by their ids. */
async function readLists(
  tables: AlertTables,
  asking: readonly Planned[],
  known: ReadonlyMap<string, Joinable>,
): Promise<Map<string, ListMessage>> {
  const added = asking.filter(({ phase }) => LIST_PHASES.includes(phase)).map(({ message }) => message);
  if (added.length === 0) return new Map();
  const read = await readMessages(tables, [...added, ...[...known.values()].map(({ message }) => message)]);
  return new Map([...read].flatMap(([id, message]) => (isList(message) ? [[id, message] as const] : [])));
}

const LIST_PHASES: readonly string[] = ["rolling", "digest"];
const JOINABLE_STATES: readonly DeliveryRow["state"][] = ["held", "owed", "sending", "sent"];
const NEWS_PHASES: readonly string[] = ["trigger", "escalation"];

/**
 * Whether a delivery joins a message. One that is certainly unsent takes in all with its key. One that was sent has no
 * two episodes of one subject. Once all of its episodes are over, an alert that fires gets a message of its own, unless its
 * kind is slow to follow.
 */
function mayJoin(message: Joinable, one: Planned, at: Milliseconds, isOver: (message: Joinable) => boolean): boolean {
  if (one.episode !== undefined && one.episode === message.own) return false;
  const { row } = message;
  if (row !== undefined && !JOINABLE_STATES.includes(row.state)) return false;
  if (row === undefined || row.state === "held" || isCertainlyUnsent(row)) return true;
  if (message.openUntil !== null && at > message.openUntil) return false;
  if (one.within !== SLOW_TO_FOLLOW && NEWS_PHASES.includes(one.phase) && isOver(message)) return false;
  return (
    one.within === undefined || ![...message.episodes].some((other) => subjectOf(other) === subjectOf(one.episode))
  );
}

function isCertainlyUnsent({ state, shown, uncertain_since }: DeliveryRow): boolean {
  return state === "owed" && shown === null && uncertain_since === null;
}

/** The rule, network and subject of an episode. */
function subjectOf(episode = ""): string {
  return episode.slice(0, episode.lastIndexOf("|"));
}
