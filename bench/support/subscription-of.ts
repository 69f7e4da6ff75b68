import type { AlertKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../src/alerts/route/subscription.ts";
import type { SubscriptionRow } from "../../src/store/alert-tables/alert-tables.ts";
import { type Destination, destinationKey } from "../../src/alerts/destination.ts";

/** An ordinary subscription, with what differs from that in `more`, as it is stored. */
export function subscriptionOf(
  index: number,
  destination: Destination,
  kinds: readonly AlertKind[],
  events: Subscription["events"],
  network: string,
  more: Partial<Pick<Subscription, "style" | "parameters">> = {},
): SubscriptionRow {
  const subscription: Subscription = {
    id: `s${index}`,
    destination: { ...destination },
    network,
    kinds: [...kinds],
    subjects: [],
    parameters: {},
    floor: "info",
    style: "plain",
    events,
    state: "active",
    created: 1_700_000_000_000,
    by: { id: "u1", name: "bench" },
    ...more,
  };
  const { id, state } = subscription;
  return { id, destination: destinationKey(destination), network, state, data: JSON.stringify(subscription) };
}
