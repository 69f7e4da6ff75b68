import { z } from "zod";

import type { AlertEvent } from "../../alerts/kinds/event.ts";
import { timeToText } from "../../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { integerCodec, timeCodec } from "../snapshot-schema.ts";

/** The part of a row by which it is recognized. */
const knownRow = z.object({
  /** Unique in the history: its block, then its name within the block. */
  key: z.string(),
  block: integerCodec,
  /** When its block was made, possibly estimated. */
  at: timeCodec.exactOptional(),
});
export type KnownRow = z.output<typeof knownRow>;

/** How far a history was read. */
export const historyState = z.object({
  /** The last rows seen, in chain order, the newest last. */
  recent: z.array(knownRow).readonly(),
  /** Where to continue: a row of an earlier block than the newest, since another row of the newest may still appear. */
  cursor: z.object({ node: z.string(), cursor: z.string() }).exactOptional(),
  /** The latest block of an answer, and its time, where nodes give it. */
  point: z.object({ height: integerCodec, time: timeCodec }).exactOptional(),
  /** Of the last answer. */
  node: z.string(),
  receivedAt: timeCodec,
  /** The node was behind an earlier answer, so that nothing in its own was new. */
  behind: z.boolean(),
  /** The newest row seen is gone, and reading has begun anew. */
  reset: z
    .object({ lastSeen: knownRow, oldest: integerCodec.exactOptional(), newest: integerCodec.exactOptional() })
    .exactOptional(),
});
export type HistoryState = z.output<typeof historyState>;

type ResetEvent = Extract<AlertEvent, { kind: "history.reset" }>;

/** One event where the last row seen is gone; its key is that row, so that it is announced once. */
export function resetEvents(
  network: string,
  what: ResetEvent["what"],
  { reset, node }: HistoryState,
  at: Nanoseconds,
): readonly ResetEvent[] {
  if (reset === undefined) return [];
  const { lastSeen, oldest, newest } = reset;
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
      ...(oldest === undefined ? {} : { oldest: oldest.toString() }),
      ...(newest === undefined ? {} : { newest: newest.toString() }),
    },
  ];
}
