import { isDeepStrictEqual } from "node:util";

import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import { quietUntil } from "./quiet-hours.ts";
import { destinationKey, type Subscription } from "./subscription.ts";

/**
 * What waits for quiet hours to end waits for them as they are now: a place whose quiet hours were changed, or taken
 * away, is told when those that it has end. `all` is how subscriptions stand with the changes.
 */
export async function rescheduleHeld(
  tables: Pick<AlertTables, "backlog">,
  before: ReadonlyMap<string, Subscription>,
  changed: readonly Subscription[],
  all: readonly Subscription[],
  at: Milliseconds,
): Promise<void> {
  const places = new Set(
    changed
      .filter(({ id, quietHours }) => before.has(id) && !isDeepStrictEqual(before.get(id)?.quietHours, quietHours))
      .map(({ destination }) => destinationKey(destination)),
  );
  for (const place of places) {
    await tables.backlog.reschedule(place, quietHoursEndAt(place, all, at));
  }
}

/** When the quiet hours that a place has at a moment end; that moment where it has none. */
export function quietHoursEndAt(place: string, all: readonly Subscription[], at: Milliseconds): Milliseconds {
  const ends = all.flatMap(({ destination, state, quietHours }) => {
    const listens = destinationKey(destination) === place && (state === "active" || state === "ended");
    return listens && quietHours !== undefined ? [quietUntil(quietHours, at) ?? at] : [];
  });
  return Math.max(at, ...ends);
}
