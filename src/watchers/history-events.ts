import type { AlertEvent } from "../alerts/kinds/event.ts";
import { timeToText } from "../alerts/kinds/json-fields.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import type { HistoryState } from "./history-state.ts";

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
