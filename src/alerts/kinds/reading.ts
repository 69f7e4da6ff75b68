import { z } from "zod";

import { DecimalText, IntegerText, MillisField, TimeText } from "./json-fields.ts";

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

const market = { label: z.string().exactOptional() };

/** A watcher's statement about one subject in one round: plain JSON, since the last one is stored with its episode. */
export const Reading = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("network.stalled"),
    ...common,
    facts: z.object({ frontier: TimeText.exactOptional(), height: IntegerText.exactOptional() }),
  }),
  z.object({
    kind: z.literal("network.disagree"),
    ...common,
    facts: z.object({ advancing: z.array(z.string()).readonly(), standing: z.array(z.string()).readonly() }),
  }),
  z.object({
    kind: z.literal("network.time-back"),
    ...common,
    /** The subject is the node. */
    facts: z.object({ from: TimeText.exactOptional(), to: TimeText.exactOptional() }),
  }),
  z.object({
    kind: z.literal("network.clock"),
    ...common,
    /** Wall clock minus network time; negative when the network is ahead. */
    facts: z.object({ driftMillis: z.number().exactOptional() }),
  }),
  z.object({
    kind: z.literal("watch.blind"),
    ...common,
    facts: z.object({ nodes: z.array(z.object({ node: z.string(), why: z.string().exactOptional() })).readonly() }),
  }),
  z.object({
    kind: z.literal("node.lagging"),
    ...common,
    facts: z.object({ behindMillis: MillisField.exactOptional(), behindBlocks: IntegerText.exactOptional() }),
  }),
  z.object({ kind: z.literal("node.down"), ...common, facts: z.object({}) }),
  z.object({
    kind: z.literal("checkpoint.overdue"),
    ...common,
    facts: z.object({
      /** Since the last checkpoint was seen. */
      sinceMillis: MillisField.exactOptional(),
      /** The usual spacing, learned from the last ones. */
      usualMillis: MillisField.exactOptional(),
      lastBlock: IntegerText.exactOptional(),
    }),
  }),
  z.object({
    kind: z.literal("market.auction"),
    ...common,
    ...market,
    facts: z.object({
      tradingMode: z.string().exactOptional(),
      trigger: z.string().exactOptional(),
      start: TimeText.exactOptional(),
      end: TimeText.exactOptional(),
    }),
  }),
  z.object({
    kind: z.literal("market.price"),
    ...common,
    ...market,
    /** The mark price in the market's units; left out where its decimals are not known or there is no price. */
    facts: z.object({ price: DecimalText.exactOptional() }),
  }),
  z.object({
    kind: z.literal("market.bound"),
    ...common,
    ...market,
    facts: z.object({
      price: DecimalText.exactOptional(),
      /** The bound that is nearest, and how far it is from the price, in percent of the price. */
      bound: DecimalText.exactOptional(),
      side: z.enum(["lower", "upper"]).exactOptional(),
      distancePercent: DecimalText.exactOptional(),
    }),
  }),
]);
export type Reading = z.infer<typeof Reading>;
