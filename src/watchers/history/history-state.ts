import { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { Shape } from "../../alerts/judge/kinds/kind.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { integerCodec, timeCodec } from "../snapshot-schema.ts";

/** The part of a row by which it is recognized. */
const knownRow = z.object({
  /** Unique in the history: its block, then its name within the block. */
  key: z.string(),
  block: integerCodec,
  /** When its block was made, as far as looks before and after it tell. */
  at: timeCodec.exactOptional(),
});
export type KnownRow = z.output<typeof knownRow>;

const blockPoint = z.object({ height: integerCodec, time: timeCodec });

/** What is remembered of a history. */
export const historyState = z.object({
  /** The rows seen that have the latest blocks, in chain order, the newest last. */
  recent: z.array(knownRow).readonly(),
  /** The node whose whole list is in `recent`: a row of an early block that it lists later on is new, too. */
  wholeOf: z.string().exactOptional(),
  /** The times of blocks (see BlockClock), where nodes give them. */
  first: blockPoint.exactOptional(),
  point: blockPoint.exactOptional(),
  paces: z.array(integerCodec).readonly().exactOptional(),
  /** Of the last answer. */
  node: z.string(),
  receivedAt: timeCodec,
  /** The node was behind an earlier answer, so that nothing in its own was new. */
  behind: z.boolean(),
  /** The newest row seen is gone. */
  reset: z
    .object({
      lastSeen: knownRow,
      oldest: integerCodec.exactOptional(),
      newest: integerCodec.exactOptional(),
      /** The list only begins later now, and what it has was read on; else reading has begun anew. */
      pruned: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  /** The keys of the rows whose loss was told, the last ones. */
  lost: z.array(z.string()).readonly().exactOptional(),
});
export type HistoryState = z.output<typeof historyState>;

/** What is remembered of a list, with its new rows in chain order; `fields` are those of a row's event. */
export function listState<F extends Shape>(fields: F) {
  return z.object({
    history: historyState,
    fresh: z.array(z.object({ key: z.string(), node: z.string(), ...fields })),
  });
}

type ResetEvent = Extract<AlertEvent, { kind: "history.reset" }>;

/** One event where the last row seen is gone; its key is that row, so that it is announced once. */
export function resetEvents(
  network: string,
  what: ResetEvent["what"],
  { reset, node }: HistoryState,
  at: Nanoseconds,
): readonly ResetEvent[] {
  if (reset === undefined) return [];
  const { lastSeen, oldest, newest, pruned } = reset;
  return [
    {
      kind: "history.reset",
      network,
      subject: "",
      key: `${what}/${lastSeen.key}`,
      at: timeToText(at),
      node,
      what,
      lastSeen: lastSeen.block.toString(),
      ...withoutUndefined({ oldest: oldest?.toString(), newest: newest?.toString(), pruned }),
    },
  ];
}
