// The pure part of reading a history: what a node's list means after all that was seen before. A new row is recognized
// by its block and its name, not by its place in the list.
import type { History } from "../../api/histories.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import {
  type BlockClock,
  blockPointOf,
  isPlausibleTime,
  lookAtBlock,
  timeBeforeLooks,
  timeBetweenLooks,
} from "../block-time.ts";
import type { HistoryState, KnownRow } from "./history.ts";
import { type Listing, REMEMBERED_ROWS } from "./read-rows.ts";

/** A row of a node's list. */
interface ListedRow<T> extends KnownRow {
  readonly row: T;
  readonly node: string;
}

/** How a node's list goes on from the rows seen before. */
type Relation =
  | "continues"
  /** Its answer is older than an earlier one, or empty: nothing follows from it. */
  | "behind"
  /** It ends before the newest row seen, and differs in nothing else. */
  | "lacks"
  /** It has other rows in blocks that are remembered. */
  | "differs"
  /** It begins only after the newest row seen. */
  | "pruned"
  /** It is another one: the newest row seen is gone. */
  | "begun anew";

export interface HistoryUpdate<T> {
  /** The rows not seen before, in chain order. */
  readonly fresh: readonly ListedRow<T>[];
  /** The newest row taken; absent where none was. */
  readonly newest?: T;
  readonly state: HistoryState;
  readonly relation: Relation;
}

/** The most new rows of one observation; the rest follow with the next ones. */
export const MAX_FRESH_ROWS = 1000;
/** So many losses are remembered: where a node changes between histories, each is told once. */
const REMEMBERED_LOSSES = 8;
/** A node that keeps up lacks fewer rows than this. Every version remembered at least so many rows, where there were so many. */
const MANY_ROWS = 32;

/** What follows from a node's list. Pure: neither the order of its rows nor rows that come twice matter. */
export function updateHistory<T>(
  history: Pick<History<T>, "blockOf" | "nameOf">,
  stored: HistoryState | undefined,
  listing: Listing<T>,
): HistoryUpdate<T> {
  const before = stored === undefined ? undefined : forgetGuesses(stored);
  const rows = placeRows(history, before, listing);
  if (before === undefined) return { ...take(rows), fresh: [], state: begin(rows, listing), relation: "continues" };
  const relation = relate(rows, before, listing);
  switch (relation) {
    case "behind": {
      const { reset: _, ...rest } = before;
      return { fresh: [], state: { ...rest, ...answered(listing), behind: true }, relation };
    }
    case "lacks":
      return { fresh: [], state: goOn([], before, listing), relation };
    case "begun anew": {
      const state = withLoss(begin(rows, listing), before, rows, listing.complete);
      return { ...take(rows), fresh: [], state, relation };
    }
    default: {
      const unknown = rows.filter(isNew(before, listing));
      const fresh = unknown.slice(0, MAX_FRESH_ROWS);
      const rest = unknown[MAX_FRESH_ROWS];
      const taken = rest === undefined ? rows : rows.slice(0, rows.indexOf(rest));
      const state = goOn(taken, before, listing);
      const lost = relation === "pruned" ? withLoss(state, before, rows, true, { pruned: true }) : state;
      return { ...take(taken), fresh, state: lost, relation };
    }
  }
}

/** The listed rows in chain order, each once, with their times as far as the looks tell. */
function placeRows<T>(
  history: Pick<History<T>, "blockOf" | "nameOf">,
  before: HistoryState | undefined,
  { rows, asOf }: Listing<T>,
): readonly ListedRow<T>[] {
  const point = blockPointOf(asOf);
  const clock = clockBefore(before, asOf);
  const placed = new Map<string, ListedRow<T>>();
  for (const { node: row, asOf: answer } of rows) {
    const block = history.blockOf(row);
    if (block === undefined) continue;
    const key = `${block}/${history.nameOf(row)}`;
    const at = point === undefined ? undefined : timeBetweenLooks(block, clock, lookAtBlock(clock, point));
    placed.set(key.toLowerCase(), { key, block, row, node: answer.node, ...withoutUndefined({ at }) });
  }
  // The newest row comes first. Of one block the list alone can tell the order.
  const ordered = [...placed.values()].toReversed().toSorted((a, b) => compareIntegers(a.block, b.block));
  // Where nodes do not give their block, the newest of the new rows can be as young as the observation.
  const newest = before === undefined || point !== undefined ? undefined : ordered.findLast(isNew(before, { asOf }));
  return newest === undefined
    ? ordered
    : ordered.map((one) => (one === newest ? { ...one, at: asOf.receivedAt } : one));
}

/** Whether a row was not seen before. Rows before those remembered are old ones, unless the node had none of them. */
function isNew(
  { recent, wholeOf }: HistoryState,
  { asOf }: Pick<Listing<unknown>, "asOf">,
): (one: KnownRow) => boolean {
  const known = knownRows(recent);
  const floor = wholeOf === asOf.node ? undefined : recent[0]?.block;
  // Where the memory is full, it may have only some of the rows of its first block.
  const isLater = (block: bigint): boolean =>
    floor === undefined || block > floor || (block === floor && recent.length < MANY_ROWS);
  return (one) => isLater(one.block) && !known(one);
}

/** Some nodes write hashes in other letters; where one leaves them out, the block alone identifies its row. */
function knownRows(recent: readonly KnownRow[]): (one: KnownRow) => boolean {
  const keys = new Set(recent.map(({ key }) => key.toLowerCase()));
  const blocks = new Set(recent.map(({ block }) => block));
  return ({ key, block }) =>
    keys.has(key.toLowerCase()) || keys.has(`${block}/`) || (key.endsWith("/") && blocks.has(block));
}

function relate(rows: readonly KnownRow[], before: HistoryState, listing: Listing<unknown>): Relation {
  const { recent } = before;
  const [oldest, last] = [recent[0], recent.at(-1)];
  if (oldest === undefined || last === undefined) return "continues";
  const known = knownRows(recent);
  const isThere = rows.some((one) => one.block === last.block && known(one));
  const first = rows[0];
  if (first === undefined || (!isThere && isBehind(rows, before, listing))) return "behind";
  const remembered = Map.groupBy(recent, ({ block }) => block);
  const differs = [...Map.groupBy(rows, ({ block }) => block)].some(
    ([block, there]) => remembered.has(block) && !there.some(known),
  );
  if (differs && (isThere || rows.some(({ block }) => block >= last.block) || rows.some(known))) return "differs";
  if (isThere) return "continues";
  const height = listing.asOf.blockHeight;
  if (height === undefined || height >= last.block) {
    const since = rows.filter(({ block }) => block >= oldest.block);
    const manyLacking = since.length === 0 && height !== undefined && recent.length >= MANY_ROWS;
    // Another history would show a row of its own sooner or later, or a lower height.
    if ((since.length > 0 && !since.some(isNew(before, listing))) || manyLacking) return "lacks";
  }
  return first.block > last.block && isPruned(rows, before, listing) ? "pruned" : "begun anew";
}

/** Whether the rows seen can be gone for their age: as many blocks were made since as they span, or the node is another. */
function isPruned(rows: readonly KnownRow[], before: HistoryState, { asOf, complete }: Listing<unknown>): boolean {
  const [oldest, last, newest] = [before.recent[0], before.recent.at(-1), rows.at(-1)];
  const { lost = [] } = before;
  if (!complete || oldest === undefined || last === undefined || newest === undefined) return false;
  // A history that was lost before, and is back.
  if (rows.some(({ key }) => lost.includes(key))) return false;
  const made = (asOf.blockHeight ?? newest.block) - last.block;
  return asOf.node !== before.node || made >= last.block - oldest.block;
}

/** Whether the node was behind an earlier answer, perhaps of another node. */
function isBehind(rows: readonly KnownRow[], before: HistoryState, { asOf }: Listing<unknown>): boolean {
  const [then, now] = [clockBefore(before, asOf).point, blockPointOf(asOf)];
  if (then !== undefined && now !== undefined) return now.time < then.time;
  const [last, newest] = [before.recent.at(-1), rows.at(-1)];
  const notNewer = last !== undefined && newest !== undefined && newest.block <= last.block;
  return notNewer && rows.some(knownRows(before.recent));
}

/** The first observation: all rows count as seen. */
function begin(rows: readonly KnownRow[], listing: Listing<unknown>): HistoryState {
  return {
    recent: newestRows(rows),
    ...(listing.complete && rows.length <= REMEMBERED_ROWS ? { wholeOf: listing.asOf.node } : {}),
    ...lookAtBlock({}, blockPointOf(listing.asOf)),
    ...answered(listing),
    behind: false,
  };
}

/** What is remembered after rows that continue the history. */
function goOn(rows: readonly KnownRow[], before: HistoryState, listing: Listing<unknown>): HistoryState {
  const { wholeOf, lost } = before;
  const known = knownRows(before.recent);
  const all = [...before.recent, ...rows.filter((one) => !known(one))];
  const clock = lookAtBlock(clockBefore(before, listing.asOf), blockPointOf(listing.asOf));
  return {
    recent: newestRows(all).map((one) => withTime(one, clock)),
    ...(wholeOf === listing.asOf.node && all.length <= REMEMBERED_ROWS ? { wholeOf } : {}),
    ...clock,
    ...answered(listing),
    behind: false,
    ...withoutUndefined({ lost }),
  };
}

function newestRows(rows: readonly KnownRow[]): readonly KnownRow[] {
  return rows
    .map(({ key, block, at }): KnownRow => ({ key, block, ...withoutUndefined({ at }) }))
    .toSorted((a, b) => compareIntegers(a.block, b.block) || (a.key < b.key ? -1 : 1))
    .slice(-REMEMBERED_ROWS);
}

/** The time of a row from before the first look, once the pace of the blocks is known. */
function withTime(row: KnownRow, clock: BlockClock): KnownRow {
  return { ...row, ...withoutUndefined({ at: row.at ?? timeBeforeLooks(row.block, clock) }) };
}

/** Records that the newest row seen is gone, unless that is recorded already. */
function withLoss(
  state: HistoryState,
  { recent, lost = [] }: HistoryState,
  rows: readonly KnownRow[],
  complete: boolean,
  how: { readonly pruned?: true } = {},
): HistoryState {
  const lastSeen = recent.at(-1);
  if (lastSeen === undefined || lost.includes(lastSeen.key)) return { ...state, lost };
  const [oldest, newest] = [complete ? rows[0]?.block : undefined, rows.at(-1)?.block];
  return {
    ...state,
    lost: [...lost, lastSeen.key].slice(-REMEMBERED_LOSSES),
    reset: {
      lastSeen,
      ...withoutUndefined({ oldest, newest }),
      ...how,
    },
  };
}

/** An earlier version guessed the times of blocks before its first look. */
function forgetGuesses(stored: HistoryState): HistoryState {
  const { point, first } = stored;
  if (point === undefined || first !== undefined) return stored;
  return { ...stored, first: point, recent: stored.recent.map(({ key, block }) => ({ key, block })) };
}

/** The block times known before an answer. A node may have sent a time that cannot be true. */
function clockBefore(before: HistoryState | undefined, asOf: Listing<unknown>["asOf"]): BlockClock {
  if (before === undefined) return {};
  const { first, point, paces } = before;
  const isCredible = point !== undefined && isPlausibleTime(point.time, asOf);
  return withoutUndefined({ first, point: isCredible ? point : undefined, paces });
}

function answered({ asOf: { node, receivedAt } }: Listing<unknown>): Pick<HistoryState, "node" | "receivedAt"> {
  return { node, receivedAt };
}

function take<T>(rows: readonly ListedRow<T>[]): { newest?: T } {
  const newest = rows.at(-1);
  return newest === undefined ? {} : { newest: newest.row };
}
