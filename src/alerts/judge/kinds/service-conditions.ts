import { z } from "zod";

import { condition, IntegerText, MillisField, OF_NETWORK, OF_NODE } from "./kind.ts";

const Millis = z.int().nonnegative();
const Count = z.int().nonnegative();

/** What the conditions of lists have in common, whose newest row is compared with the usual spacing. */
const OVERDUE = {
  worst: "warning",
  parameters: z.strictObject({ factor: z.number().positive(), atLeast: Millis }),
  defaults: ({ overdue }: { readonly overdue: { readonly factor: number; readonly atLeast: number } }) => overdue,
  reading: {
    facts: z.object({
      /** Since the last one was seen. */
      sinceMillis: MillisField.exactOptional(),
      /** The usual spacing, learned from the last ones. */
      usualMillis: MillisField.exactOptional(),
      lastBlock: IntegerText.exactOptional(),
    }),
  },
  isBad(
    { factor, atLeast }: { readonly factor: number; readonly atLeast: number },
    { facts: { sinceMillis, usualMillis = 0 } }: { readonly facts: { sinceMillis?: number; usualMillis?: number } },
  ): boolean | undefined {
    return sinceMillis === undefined ? undefined : sinceMillis > Math.max(atLeast, factor * usualMillis);
  },
} as const;

/** Conditions of nodes that serve badly, and of a network that goes on, but not as usual. */
export const SERVICE_CONDITIONS = {
  "node.refuses": condition({
    words: "a node refuses to answer",
    meaning: () => "Something answers at its address, but gives the bot nothing: it limits, bans or redirects the bot.",
    remedy:
      "Ask the node's operator to admit the bot's address, or raise its limit; check that the address is the node's.",
    ...OF_NODE,
    parameters: z.strictObject({ for: Millis }),
    defaults: ({ refuses }) => refuses,
    seenByBot: true,
    reading: { facts: z.object({}) },
  }),
  "node.slow": condition({
    words: "a node answers slowly",
    meaning: () => "Its answers are right but late: commands wait for it, and some give up.",
    remedy: "Check the node's load and disk, and the connection between it and the bot's machine.",
    ...OF_NODE,
    parameters: z.strictObject({}),
    reading: {
      facts: z.object({
        /** Its answers of late, how many of them came late, and what that means. */
        answers: Count.exactOptional(),
        late: Count.exactOptional(),
        limitMillis: MillisField.exactOptional(),
      }),
    },
  }),
  "network.slow": condition({
    words: "blocks come slowly",
    meaning: () => "The network goes on, but at a small part of its usual pace: transactions wait for their block.",
    remedy: "Ask the validators how many of them take part in consensus, and whether blocks time out.",
    ...OF_NETWORK,
    parameters: z.strictObject({}),
    reading: {
      facts: z.object({
        /** The mean time from block to block, of late and usually. */
        blockMillis: MillisField.exactOptional(),
        usualMillis: MillisField.exactOptional(),
      }),
    },
  }),
  "checkpoint.overdue": condition({
    ...OVERDUE,
    words: "a checkpoint is overdue",
    meaning: () => "Without new checkpoints a restart of the network would lose what happened since the last one.",
    remedy: "Note the hash of the last checkpoint, and ask the validators before anybody restarts the network.",
    groups: ["ops", "checkpoints"],
    watchers: ["checkpoints"],
  }),
  "snapshot.overdue": condition({
    ...OVERDUE,
    words: "a snapshot is overdue",
    meaning: () => "Without new snapshots a node that restarts or joins replays every block since the last one.",
    remedy: "Keep the last snapshot; check disk and logs of the nodes that make them before any node is restarted.",
    groups: ["ops"],
    watchers: ["snapshots"],
  }),
} as const;
