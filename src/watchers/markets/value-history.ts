// The least and the most of a value over a span of time. What can no longer become either is forgotten.
import { z } from "zod";

import { DecimalText } from "../../alerts/judge/kinds/kind.ts";
import { compareDecimals, parseDecimal } from "../../units/decimal.ts";
import { type Milliseconds, MINUTE } from "../../units/time.ts";

/** Moments of the watcher's own clock with their values; the first one is the least, or the most. */
const points = z.array(z.tuple([z.number(), DecimalText])).readonly();
type Points = z.infer<typeof points>;

export const ValueHistory = z.object({ low: points, high: points });
export type ValueHistory = z.infer<typeof ValueHistory>;

/** Over a longer span, moments are exact to a minute, so that there are not too many. */
const EXACT_SPAN: Milliseconds = 3_600_000;

/** The history with one more value. `span`: what is older is forgotten. */
export function withValue(
  before: ValueHistory | undefined,
  at: Milliseconds,
  value: string,
  span: Milliseconds,
): ValueHistory {
  return {
    low: pushed(before?.low ?? [], at, value, span, -1),
    high: pushed(before?.high ?? [], at, value, span, 1),
  };
}

/** `sign`: 1 for the most, -1 for the least. */
function pushed(before: Points, at: Milliseconds, value: string, span: Milliseconds, sign: 1 | -1): Points {
  const exact = parseDecimal(value);
  if (exact === undefined) return before;
  let from = 0;
  while ((before[from]?.[0] ?? at) < at - span) from += 1;
  let to = before.length;
  // A value that is reached again later is never the first of a time again.
  while (to > from && compareDecimals(exact, parseDecimal(before[to - 1]?.[1] ?? "") ?? exact) * sign >= 0) to -= 1;
  const kept = before.slice(from, to);
  const last = kept.at(-1);
  if (span > EXACT_SPAN && last !== undefined && at - last[0] < MINUTE) return kept;
  return [...kept, [at, value]];
}

/** The least and the most within a time before a moment; undefined where nothing was seen. */
export function extremesOf(
  { low, high }: ValueHistory,
  at: Milliseconds,
  within: Milliseconds,
): readonly [low: string, high: string] | undefined {
  const [least, most] = [low, high].map((all) => all.find(([moment]) => moment >= at - within)?.[1]);
  return least === undefined || most === undefined ? undefined : [least, most];
}
