import { z } from "zod";

import type { AlertEvent } from "../../alerts/kinds/event.ts";
import { timeToText } from "../../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { integerCodec, timeCodec } from "../snapshot-schema.ts";

/** A row as it is known again by. */
const knownRow = z.object({
  /** Unique in the history: its block, then what tells it apart from others of the same block. */
  key: z.string(),
  block: integerCodec,
  /** When its block was made, as nearly as could be told. */
  at: timeCodec.exactOptional(),
});
export type KnownRow = z.output<typeof knownRow>;

/** How far a history was read. */
export const historyState = z.object({
  /** The last rows seen, in chain order, the newest last. */
  recent: z.array(knownRow).readonly(),
  /** Where to go on: a row of an earlier block than the newest, since another row of the newest may still appear. */
  cursor: z.object({ node: z.string(), cursor: z.string() }).exactOptional(),
  /** The latest block that an answer spoke for, and its time, where nodes say so. */
  point: z.object({ height: integerCodec, time: timeCodec }).exactOptional(),
  /** Of the last answer. */
  node: z.string(),
  receivedAt: timeCodec,
  /** The node stands before what had been seen already: its answer says nothing new. */
  behind: z.boolean(),
  /** The newest row seen is no longer there, and reading begins anew. */
  reset: z
    .object({ lastSeen: knownRow, oldest: integerCodec.exactOptional(), newest: integerCodec.exactOptional() })
    .exactOptional(),
});
export type HistoryState = z.output<typeof historyState>;

type ResetEvent = Extract<AlertEvent, { kind: "history.reset" }>;

/** One plain event where the last row seen is no longer there; its key is that row, so it is told once. */
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
