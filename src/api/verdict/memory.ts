// What a poll finds and what is remembered of it, as schemas: a watcher stores it. The types of both come from here.
import { z } from "zod";

import { type Nanoseconds, timeFromText, timeToText } from "../../units/time.ts";

const IntegerText = z.string().regex(/^-?\d+$/u);

/** A point in time, stored as decimal nanoseconds. */
export const timeCodec = z.codec(
  IntegerText,
  z.custom<Nanoseconds>((value) => typeof value === "bigint"),
  { decode: timeFromText, encode: timeToText },
);

/** An integer of any size, stored in decimal. */
export const integerCodec = z.codec(IntegerText, z.bigint(), {
  decode: (stored) => BigInt(stored),
  encode: (value) => value.toString(),
});

/** A schema for stored JSON that `state` can decode; it leaves the JSON as it is. */
export function storedAs<S extends z.ZodType>(state: S) {
  return z.custom<z.input<S>>((stored) => z.safeDecode(state, stored as z.input<S>).success);
}

/** The answer of one node in one poll. */
const Witness = z.object({
  node: z.string(),
  reachable: z.boolean(),
  /** Why it was not reachable: one short clause for people. */
  why: z.string().exactOptional(),
  /** Set if it answered, even uselessly. */
  answered: z.literal(true).exactOptional(),
  /** Set where no data node answers at its address. */
  foreign: z.literal(true).exactOptional(),
  /** Set if the node runs but refused our request (rate limit, ban, our own budget): it is not down. */
  refused: z.literal(true).exactOptional(),
  time: timeCodec.exactOptional(),
  height: integerCodec.exactOptional(),
  /** The time of the block at `height`, if sent: two nodes at one height must agree on it. */
  blockTime: timeCodec.exactOptional(),
  roundTripMillis: z.number().exactOptional(),
  /** Wall clock of the answer: in a poll that waited for another node, some seconds before its end. */
  receivedAt: timeCodec.exactOptional(),
});
export type Witness = Readonly<z.output<typeof Witness>>;

/** One poll of all configured nodes of a network, at about the same moment. */
export const PollRound = z.object({
  witnesses: z.array(Witness).readonly(),
  /** Local monotonic clock. */
  atMillis: z.number(),
  /** Wall clock. */
  wallClock: timeCodec,
});
export type PollRound = z.output<typeof PollRound>;

/** What a node says: a later time is further, then a higher block. */
const Position = z.object({ time: timeCodec, height: integerCodec.exactOptional() }).readonly();
export type Position = z.output<typeof Position>;

/** The confirmed frontier: as far as a quorum of nodes has been. It never goes back. */
const Frontier = Position.unwrap().extend({
  /** The node that confirmed it. */
  node: z.string(),
  /** Local monotonic clock when it last advanced; undefined until an advance is observed. */
  advancedAtMillis: z.number().exactOptional(),
  /** Wall clock of the same moment. */
  advancedAt: timeCodec.exactOptional(),
});
export type Frontier = z.output<typeof Frontier>;

/** The furthest position that a believed node has shown. */
const Tip = Position.unwrap().extend({
  node: z.string(),
  /** When a believed node was last there, or nearly. */
  shownAtMillis: z.number(),
});
export type Tip = z.output<typeof Tip>;

/** The memory of one node from poll to poll. All moments are of the local monotonic clock. */
const NodeMemory = z.object({
  node: z.string(),
  /** Its last answer, believed or not. */
  last: Position.exactOptional(),
  /** The furthest position that it said; none ahead of the wall clock. It counts as long as the node is believed. */
  peak: Position.exactOptional(),
  /** Polls in a row that it missed. */
  missed: z.int().nonnegative(),
  /** It was seen, or believed again, and has not moved since. */
  fresh: z.literal(true).exactOptional(),
  /** When it last passed its peak, and since when it has done so without a pause. */
  movedAtMillis: z.number().exactOptional(),
  movingSinceMillis: z.number().exactOptional(),
  /** When it last said a later time than before, behind its peak. */
  climbedAtMillis: z.number().exactOptional(),
  /** Since when it has neither moved nor climbed; stops while it misses polls. */
  stillSinceMillis: z.number(),
  /** Since when it has been behind its peak. */
  belowSinceMillis: z.number().exactOptional(),
  /** Why it is not believed. */
  disbelief: z.enum(["ahead", "odd", "outvoted"]).exactOptional(),
  /** Polls in a row in which it was not believed. */
  disbelieved: z.int().positive().exactOptional(),
  /** Its time ran while its height stood, or the reverse: the first and the last time without a pause. */
  oddSinceMillis: z.number().exactOptional(),
  oddAtMillis: z.number().exactOptional(),
  /** When it was last outvoted. */
  outvotedAtMillis: z.number().exactOptional(),
  /** Since then: the polls in which it was near others and contradicted none, and the first of them. */
  agreedRounds: z.number().int().positive().exactOptional(),
  agreedSinceMillis: z.number().exactOptional(),
});
export type NodeMemory = z.output<typeof NodeMemory>;
export type Disbelief = NonNullable<NodeMemory["disbelief"]>;

/** A disagreement, from the first divided poll until it is known to be over. */
const DisagreementMemory = z.object({
  sinceMillis: z.number(),
  /** Divided polls in a row, and how old the disagreement is. */
  rounds: z.int().positive(),
  ageMillis: z.number(),
  moving: z.array(z.string()).readonly(),
  standing: z.array(z.string()).readonly(),
  /** When two nodes, of which none stands, last showed what cannot be of one chain. */
  quarrelledAtMillis: z.number().exactOptional(),
});
export type DisagreementMemory = z.output<typeof DisagreementMemory>;

/** The memory from one poll to the next: plain data. */
export const SourceMemory = z.object({
  frontier: Frontier.exactOptional(),
  tip: Tip.exactOptional(),
  /** When observation of the present frontier began: the first poll, or the first one after a long pause. */
  watchedSinceMillis: z.number(),
  /** The time of the last poll. */
  atMillis: z.number(),
  nodes: z.array(NodeMemory).readonly(),
  /** While a stall lasts: the furthest position at which a believed node stood meanwhile. */
  mark: Position.exactOptional(),
  /** Since when all nodes but the movers have been silent or on the way, and when that last was confirmation enough. */
  unopposedSinceMillis: z.number().exactOptional(),
  confirmedAtMillis: z.number().exactOptional(),
  /** When polls began again after a pause in which the network may have stood. */
  unseenAtMillis: z.number().exactOptional(),
  disagreement: DisagreementMemory.exactOptional(),
  /** By how much a majority was ahead of the wall clock, which is wrong since. */
  clockBehindMillis: z.number().exactOptional(),
});
export type SourceMemory = z.output<typeof SourceMemory>;
