import { z } from "zod";

import {
  type Condition,
  condition,
  HistoryField,
  IntegerText,
  MillisField,
  OF_NETWORK,
  OF_NODE,
  type Severity,
  type Shape,
  TimeText,
} from "./kind.ts";
import { MARKET_CONDITIONS } from "./market-conditions.ts";
import { SERVICE_CONDITIONS } from "./service-conditions.ts";

/** Common to all readings. */
const common = {
  network: z.string(),
  /** A node's name, a market's id; empty where the condition is the network's. */
  subject: z.string(),
  /**
   * `unknown` freezes every timer of the condition: nothing fires by it and nothing resolves. A kind with parameters
   * of its own (lagging, overdue, clock, price, bound) is judged by its facts; its state then only says `unknown`, or
   * anything else. A price or a bound without its figures is what the state says: a market that is over has neither.
   */
  state: z.enum(["good", "bad", "unknown"]),
  /** The nodes that show it. */
  seenBy: z.array(z.string()).readonly(),
  /** How many nodes are configured. */
  nodes: z.int().nonnegative(),
  /** One clause for people: why it is so. */
  why: z.string().exactOptional(),
  /** How long it has been bad already, where the watcher measures that itself; blind time is not part of it. */
  badForMillis: MillisField.exactOptional(),
  /** Of what is bad: when it began, where the watcher knows; blind time is part of that. */
  since: TimeText.exactOptional(),
};

const Millis = z.int().nonnegative();
const Count = z.int().positive();

/** How each node voted, and where it was. */
const votes = z
  .array(
    z.object({
      node: z.string(),
      vote: z.enum(["moves", "climbs", "syncs", "stands", "waits", "silent"]),
      time: TimeText.exactOptional(),
      height: IntegerText.exactOptional(),
    }),
  )
  .readonly()
  .exactOptional();

/** Every condition, in the usual order. */
export const CONDITIONS = {
  "network.stalled": condition({
    words: "no new block",
    meaning: ({ nodes }) =>
      nodes === 1
        ? "Seen from one node; network and node cannot be told apart: ask a second node first."
        : "A majority of the nodes answers, and none of them gets a new block: the network itself has stopped.",
    remedy: "Ask the validators whether consensus has halted; restart nothing before they answer.",
    ...OF_NETWORK,
    worst: "critical",
    parameters: z.strictObject({ for: Millis, criticalFor: Millis }),
    defaults: ({ stalled }) => stalled,
    reading: {
      facts: z.object({
        frontier: TimeText.exactOptional(),
        height: IntegerText.exactOptional(),
        /** The nodes that say a later time, and why they are not believed. */
        doubted: z
          .array(z.object({ node: z.string(), why: z.string() }))
          .readonly()
          .exactOptional(),
        votes,
      }),
    },
    // Only its duration makes a stall critical.
    begins: () => "warning",
  }),
  "network.disagree": condition({
    words: "the nodes disagree about the network",
    meaning: ({ nodes }) =>
      nodes === 2
        ? "One of the two nodes is wrong, or cut off from the network, and it is not known which."
        : "Most nodes stand still while the others go on. One of the two parts is cut off from the network, and it is not known which.",
    remedy:
      "Trust no single node: compare their blocks, and ask the operators of both sides which one the validators are on.",
    ...OF_NETWORK,
    worst: "critical",
    parameters: z.strictObject({ for: Millis, criticalFor: Millis }),
    defaults: ({ stalled }) => stalled,
    // Only its duration makes a disagreement critical.
    begins: () => "warning",
    reading: {
      facts: z.object({ advancing: z.array(z.string()).readonly(), standing: z.array(z.string()).readonly(), votes }),
    },
  }),
  "network.time-back": condition({
    words: "a node's time went back",
    meaning: () => "The node says an earlier time than it did before: it was swapped or restored from a backup.",
    remedy: "Ask the node's operator whether it was restored; use another node until its blocks match the others.",
    groups: ["ops", "network", "nodes"],
    worst: "warning",
    about: "node",
    watchers: ["sources"],
    parameters: z.strictObject({}),
    reading: { facts: z.object({ from: TimeText.exactOptional(), to: TimeText.exactOptional() }) },
  }),
  "network.clock": condition({
    words: "network time far from the bot's clock",
    meaning: () =>
      "Blocks come, but their time differs from the bot's clock: the network catches up, or a clock is wrong. It is no stall.",
    remedy:
      "Check the clock of the bot's machine and its time service first; if they are right, wait for the network to catch up.",
    ...OF_NETWORK,
    parameters: z.strictObject({ drift: Millis, for: Millis }),
    defaults: ({ clock }) => clock,
    /** Wall clock minus network time; negative when the network is ahead. */
    reading: { facts: z.object({ driftMillis: z.number().exactOptional() }) },
    isBad: ({ drift }, { facts: { driftMillis } }) => {
      if (driftMillis === undefined) return undefined;
      const off = Math.abs(driftMillis);
      if (off > drift) return true;
      // As for a lag, it neither begins nor ends near the threshold: the time of a block is as old as the block.
      return off * 6 > drift * 5 ? "near" : false;
    },
  }),
  "watch.blind": condition({
    words: "too few nodes answer to judge the network",
    meaning: () => "Nothing can be said of the network meanwhile: no other alert of it begins or ends.",
    remedy: "Check the connection of the bot's machine and the addresses of the data nodes; npm run doctor asks each.",
    ...OF_NETWORK,
    parameters: z.strictObject({ rounds: Count }),
    defaults: ({ blind }) => blind,
    seenByBot: true,
    reading: {
      facts: z.object({ nodes: z.array(z.object({ node: z.string(), why: z.string().exactOptional() })).readonly() }),
    },
  }),
  "node.lagging": condition({
    words: "a node lags behind",
    meaning: () => "The network goes on without this node: what it answers is old.",
    remedy: "Ask another node meanwhile; check this one's disk, memory and peers.",
    ...OF_NODE,
    parameters: z.strictObject({ behind: Millis, blocks: Count, for: Millis }),
    defaults: ({ lagging }) => lagging,
    reading: {
      facts: z.object({ behindMillis: MillisField.exactOptional(), behindBlocks: IntegerText.exactOptional() }),
    },
    isBad: ({ behind, blocks }, { state, facts: { behindMillis, behindBlocks } }) => {
      // One that another node contradicts has no place behind it.
      if (behindMillis === undefined && behindBlocks === undefined) return state === "good" ? false : undefined;
      const millis = behindMillis ?? 0;
      // True of nearly all readings.
      if (millis === 0 && (behindBlocks ?? "0") === "0") return false;
      if (millis > behind) return true;
      const count = BigInt(behindBlocks ?? "0");
      if (count > blocks) return true;
      // Between five sixths of a threshold and all of it, the lag neither begins nor ends.
      return millis * 6 > behind * 5 || count * 6n > blocks * 5 ? "near" : false;
    },
  }),
  "node.down": condition({
    words: "a node does not answer",
    meaning: ({ nodes }) =>
      nodes === 1
        ? "The node does not answer, and it is the only one there is to ask."
        : "Questions go to the nodes that answer.",
    remedy: "Check whether machine and process run, and whether the address answers from elsewhere.",
    ...OF_NODE,
    parameters: z.strictObject({ rounds: Count }),
    defaults: ({ down }) => down,
    seenByBot: true,
    reading: { facts: z.object({}) },
  }),
  "node.lying": condition({
    words: "a node gives answers that cannot be right",
    meaning: () => "Its answers contradict the clock, each other or most other nodes, so they do not count.",
    remedy: "Ask the node's operator to check its clock and its database; read nothing from it until then.",
    ...OF_NODE,
    parameters: z.strictObject({}),
    reading: {
      facts: z.object({
        /** Ahead of the wall clock, time and block at odds, or contradicted by the other nodes. */
        by: z.enum(["ahead", "odd", "outvoted"]).exactOptional(),
      }),
    },
  }),
  "node.diverges": condition({
    words: "a node's history is not that of the others",
    meaning: () =>
      "Nodes of one network cannot differ in this: the node is on another chain, its database is damaged, or it makes things up.",
    remedy: "Read nothing from the node; ask its operator to compare it with the validators', and to restore it.",
    ...OF_NODE,
    watchers: ["node-histories"],
    parameters: z.strictObject({}),
    reading: {
      facts: z.object({
        what: HistoryField.exactOptional(),
        /** The first block that differs, and how many do. */
        block: IntegerText.exactOptional(),
        blocks: z.int().positive().exactOptional(),
        field: z.string().exactOptional(),
        /** The validator whose address it is. */
        of: z.string().exactOptional(),
        says: z.array(z.string()).readonly().exactOptional(),
        others: z.array(z.string()).readonly().exactOptional(),
        /** The nodes that say otherwise. */
        by: z.array(z.string()).readonly().exactOptional(),
      }),
    },
  }),
  ...SERVICE_CONDITIONS,
  ...MARKET_CONDITIONS,
} as const;
type Conditions = typeof CONDITIONS;
export type ConditionKind = keyof Conditions;
export const CONDITION_KINDS = Object.keys(CONDITIONS) as readonly ConditionKind[];

/** The parameters of a kind. */
export type RuleParameters<K extends ConditionKind> = z.output<Conditions[K]["parameters"]>;

/** The names of all parameters. */
export type ParameterName = { [K in ConditionKind]: keyof Conditions[K]["parameters"]["shape"] }[ConditionKind];

type ReadingSchema = {
  [K in ConditionKind]: z.ZodObject<
    typeof common & { kind: z.ZodLiteral<K> } & Extract<Conditions[K]["reading"], Shape>
  >;
}[ConditionKind];

/** A watcher's statement about one subject in one round: plain JSON, since the last one is stored with its episode. */
export const Reading = z.discriminatedUnion(
  "kind",
  CONDITION_KINDS.map((kind) =>
    z.object({ kind: z.literal(kind), ...common, ...CONDITIONS[kind].reading }),
  ) as unknown as [ReadingSchema, ...ReadingSchema[]],
);
export type Reading = z.infer<typeof Reading>;

/** What people call its subject, where that has a name. */
export function labelOf(reading: Reading): string | undefined {
  return "label" in reading ? reading.label : undefined;
}

/** How bad a condition is when it begins under these parameters. */
export function severityOfReading(reading: Reading, parameters: RuleParameters<ConditionKind>): Severity {
  const kind: Condition = CONDITIONS[reading.kind];
  return kind.begins?.(reading, parameters) ?? kind.worst;
}
