// What is planned joins the last message with its key to its destination, while that one is open: as an item of a
// message about conditions, which says how each stands, or in the list of a message of the day or of a digest.
// JOIN_RULES in batch.ts is the table of the keys; JoinRule there says how long a message is open.
import type { AlertTables, DeliveryRow, ItemRow } from "../../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, toMillis } from "../../../units/time.ts";
import { destinationKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { timeFromText } from "../../judge/kinds/kind.ts";
import { parseEpisode } from "../../judge/rules/episode.ts";
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

/**
 * Lets the deliveries of a batch join messages that are there, and each other. Returns those that join nothing (`own`), of
 * these the messages that others joined (`begun`), and the messages that were there and have grown.
 */
export async function joinMessages(
  tables: AlertTables,
  given: readonly Planned[],
  messages: MessageCollector,
  at: Milliseconds,
) {
  const cards = await readCards(tables, given, at);
  const planned = given.map((one) => (cards.has(endedCard(one)) ? { ...one, ...ringRule(one, at) } : one));
  const asking = planned.filter((one) => rulesOf(one).length > 0);
  const known = asking.length === 0 ? new Map<string, Joinable>() : await readJoinable(tables, asking, at);
  for (const one of known.values()) if (cards.has(one.id)) cards.set(one.id, one);
  const stored = [...new Set([...known.values(), ...cards.values()])];
  const endOf = await readEnds(tables, stored);
  const lists = await readLists(tables, asking, known);
  /** Most destinations have the same list: it is extended once. */
  const extended = new Map<string, string>();
  /** The id of a list with another one behind it. */
  const extend = (list: string, added: string): string => {
    const key = `${list} ${added}`;
    const done = extended.get(key);
    const [before, more] = [lists.get(list), lists.get(added)];
    if (done !== undefined || before === undefined || more === undefined) return done ?? added;
    const after = addToList(before, more);
    const id = messages.add(after);
    lists.set(id, after);
    extended.set(key, id);
    return id;
  };
  const lastOn = new Map(planned.map((one) => [one.groupKey, one.id]));
  /** The open message that a delivery joins, if there is one. `last`: what has its own key. */
  const openFor = (one: Planned, rules: readonly AppliedRule[], last: Joinable | undefined): Joinable | undefined => {
    const card = cards.get(endedCard(one));
    const isLast = last === undefined && lastOn.get(one.groupKey) === one.id;
    if (card !== undefined && (!isLast || lasts(card, one, endOf))) return card;
    const rule = rules.find(({ key, ...how }) => mayJoin(known.get(key), one, how, at, endOf));
    const open = known.get(rule?.key ?? "");
    if (open !== undefined && rule?.after === undefined) open.openUntil = openUntil(one, open.createdAt, at);
    return open;
  };
  const own: Planned[] = [];
  const begun = new Map<string, Joinable>();
  const items: ItemRow[] = [];
  const decisions: Decision[] = [];
  for (const one of planned) {
    const rules = rulesOf(one);
    const key = rules.find(({ after }) => after === undefined)?.key;
    const last = known.get(key ?? "");
    const open = openFor(one, rules, last);
    if (open !== undefined) {
      open.joined += 1;
      if (lists.has(open.message)) {
        open.message = extend(open.message, one.message);
        continue;
      }
      items.push(addItem(open, one));
      decisions.push(groupedDecision(open, one));
      continue;
    }
    // The list of a message that could not be sent goes on in the next one.
    const isLost = last?.row?.state === "dead" && lists.has(last.message);
    const begins = isLost ? { ...one, message: extend(last.message, one.message) } : one;
    own.push(begins);
    if (key === undefined) continue;
    const opened = newJoinable(begins, at);
    known.set(key, opened);
    begun.set(one.id, opened);
  }
  const grown = stored.filter(({ joined }) => joined > 0);
  return { own, begun, grown, items, decisions };
}

// The end of an alert rings once all of its kind on its card are over, and what the card is about, if none has rung for
// `SLOW_TO_FOLLOW`: otherwise the end is an item of the card, which shows it.

/** The card on which a delivery says an end. */
function endedCard({ phase, cardOf = "" }: Planned): string {
  return phase === "resolve" ? cardOf : "";
}

/** Ends may come in several chunks and rounds, but those of one kind on one card ring once. */
function ringRule({ cardOf, episode }: Planned, at: Milliseconds): Pick<Planned, "groupKey" | "until"> {
  return { groupKey: `rung ${cardOf} ${kindOf(episode)}`, until: at + SLOW_TO_FOLLOW };
}

/** The cards of these ends that say other alerts, too, or may. An end that a deleted card cannot show rings by itself. */
async function readCards(
  tables: AlertTables,
  planned: readonly Planned[],
  at: Milliseconds,
): Promise<Map<string, Joinable>> {
  const rows = await tables.outbox.get([...new Set(planned.map(endedCard))].filter((id) => id !== ""));
  const there = new Set((await tables.outbox.receipts(rows.map(({ id }) => id))).map(({ delivery }) => delivery));
  const sent = rows.filter((row) => !isCertainlyUnsent(row) && (row.shown === null || there.has(row.id)));
  const items = await readItems(tables, sent);
  const shared = sent.filter((row) => items.has(row.id) || (row.open_until ?? 0) > at);
  return new Map(shared.map((row) => [row.id, joinableOf(row, items)]));
}

/** Whether an alert of the kind that ends here, or what the card is about, lasts. */
function lasts({ own, episodes }: Joinable, { episode }: Planned, endOf: EndOf): boolean {
  return [...episodes].some((id) => (id === own || kindOf(id) === kindOf(episode)) && endOf(id) === Infinity);
}

/** The rule of an episode names its kind. */
function kindOf(episode = ""): string {
  return episode.split(/[{|]/u)[0] ?? "";
}

function addItem(open: Joinable, planned: Planned): ItemRow {
  const { id, phase, episode = null, message, urgency = 0, cardOf } = planned;
  if (cardOf === undefined && urgency > open.urgency) open.urgency = urgency;
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

/** A message that a delivery may join, by destination and key; `after`: that of its cause. */
interface AppliedRule extends Pick<Planned, "within" | "until" | "after"> {
  readonly key: string;
}

/** What goes into another thread is another message. */
function rulesOf(one: Planned): AppliedRule[] {
  const { destination, causeKey, after = 0, groupKey, within, until, edits } = one;
  if (edits !== undefined) return [];
  const place = destinationKey(destination);
  return [
    ...(causeKey === undefined ? [] : [{ key: `${place} ${causeKey}`, after }]),
    ...(groupKey === undefined ? [] : [{ key: `${place} ${placedKey(one)}`, within, until }]),
  ];
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
  const keys = new Set(asking.flatMap((one) => [one.causeKey ?? [], placedKey(one)].flat()));
  const rows = await tables.outbox.joinable(destinations, [...keys], at);
  const items = await readItems(tables, [...rows.values()]);
  return new Map([...rows].map(([key, row]) => [key, joinableOf(row, items)]));
}

/** What joined these messages, by the message. */
async function readItems(tables: AlertTables, rows: readonly DeliveryRow[]): Promise<Map<string, ItemRow[]>> {
  const grown = rows.filter(({ revision }) => revision > 0).map(({ id }) => id);
  return Map.groupBy(await tables.items.of(grown), ({ delivery }) => delivery);
}

function joinableOf(row: DeliveryRow, items: ReadonlyMap<string, readonly ItemRow[]>): Joinable {
  const { id, message, episode: own, urgency, created_at: createdAt, open_until: openUntil } = row;
  const said = [own, ...(items.get(id) ?? []).map((one) => one.episode)];
  const episodes = new Set(said.filter((one) => one !== null));
  return { id, row, message, createdAt, openUntil, urgency, own, episodes, joined: 0 };
}

/** When an episode ended (Unix milliseconds): Infinity while it is open. */
type EndOf = (episode: string | null) => Milliseconds;

/** The ends of all episodes that these messages say. */
async function readEnds(tables: AlertTables, said: readonly Joinable[]): Promise<EndOf> {
  const ids = new Set(said.flatMap(({ episodes }) => [...episodes]));
  const ends = new Map(
    (await tables.watch.episodes([...ids])).map((row) => {
      const { ended, detected } = parseEpisode(row);
      return [row.id, row.open === 1 ? Infinity : toMillis(timeFromText(ended ?? detected))] as const;
    }),
  );
  return (episode) => ends.get(episode ?? "") ?? -Infinity;
}

/** The lists among the messages that may join one another, by their ids. */
async function readLists(
  tables: AlertTables,
  asking: readonly Planned[],
  known: ReadonlyMap<string, Joinable>,
): Promise<Map<string, ListMessage>> {
  const added = asking.filter(({ phase }) => LIST_PHASES.includes(phase));
  if (added.length === 0) return new Map();
  const read = await readMessages(tables, [...added, ...known.values()]);
  return new Map([...read].flatMap(([id, message]) => (isList(message) ? [[id, message] as const] : [])));
}

const LIST_PHASES: readonly string[] = ["rolling", "digest"];
const JOINABLE_STATES: readonly DeliveryRow["state"][] = ["held", "owed", "sending", "sent"];
const NEWS_PHASES: readonly string[] = ["trigger", "escalation"];

/**
 * Whether a delivery joins a message. What has the message's key joins one that is certainly unsent. One that was sent has
 * no two episodes of one subject. Once all of its episodes are over, an alert that fires gets a message of its own, unless
 * its kind is slow to follow. The message of a cause is there before its effects, and tells them while it lasts, or a while
 * longer.
 */
function mayJoin(
  message: Joinable | undefined,
  one: Planned,
  { within, until, after }: Omit<AppliedRule, "key">,
  at: Milliseconds,
  endOf: EndOf,
): boolean {
  if (message === undefined || (one.episode !== undefined && one.episode === message.own)) return false;
  const { row, createdAt, own, openUntil: closesAt, episodes } = message;
  if (row !== undefined && !JOINABLE_STATES.includes(row.state)) return false;
  const isCause = after !== undefined;
  if (isCause ? createdAt >= at || endOf(own) + after < at : within === undefined && until === undefined) return false;
  if (row === undefined || row.state === "held" || isCertainlyUnsent(row)) return true;
  if (closesAt !== null && at > closesAt) return false;
  const isOver = ![...episodes].some((id) => endOf(id) === Infinity);
  if (within !== SLOW_TO_FOLLOW && NEWS_PHASES.includes(one.phase) && isOver) return false;
  return within === undefined || ![...episodes].some((other) => subjectOf(other) === subjectOf(one.episode));
}

function isCertainlyUnsent({ state, shown, uncertain_since }: DeliveryRow): boolean {
  return state === "owed" && shown === null && uncertain_since === null;
}

/** The rule, network and subject of an episode. */
function subjectOf(episode = ""): string {
  return episode.slice(0, episode.lastIndexOf("|"));
}
