import { isConditionKind } from "../alerts/kinds/kinds.ts";
import { quietUntil } from "../alerts/routing/quiet-hours.ts";
import type { Silence } from "../alerts/routing/silence.ts";
import { covers, destinationKey, type Subscription } from "../alerts/routing/subscription.ts";
import type { Destination } from "../alerts/sender.ts";
import type { Milliseconds } from "../units/duration.ts";

/** Those who are told, in these places, of what a silence keeps back, and who have quiet hours at some time. */
export function withQuietHours(
  { scope }: Pick<Silence, "scope">,
  places: readonly Destination[],
  subscriptions: readonly Subscription[],
): Subscription[] {
  const keys = new Set(places.map(destinationKey));
  return subscriptions.filter(
    (one) =>
      one.state === "active" &&
      one.quietHours !== undefined &&
      keys.has(destinationKey(one.destination)) &&
      // What one waits for oneself is silenced by silences of its own place alone.
      (one.personal !== true || scope.destination !== undefined) &&
      one.kinds.some((kind) => isConditionKind(kind) && (scope.kind ?? kind) === kind) &&
      covers(one, { network: scope.network ?? one.network, subject: scope.subject ?? "" }),
  );
}

/** When the quiet hours end that run at a moment (Unix milliseconds), each moment once, the first one first. */
export function quietHoursEnds(subscriptions: readonly Subscription[], at: Milliseconds): Milliseconds[] {
  const ends = subscriptions.flatMap(({ quietHours }) =>
    quietHours === undefined ? [] : (quietUntil(quietHours, at) ?? []),
  );
  return [...new Set(ends)].toSorted((a, b) => a - b);
}
