import { destinationKey, type Subscription } from "../alerts/routing/subscription.ts";
import type { AlertService } from "../alerts/service/service.ts";
import type { Clock } from "../api/clock.ts";
import type { Milliseconds } from "../units/duration.ts";

/** What is not there by then is on its way: nobody is kept waiting for it. */
const DELIVERY_WAIT_MILLIS: Milliseconds = 1500;
const DELIVERY_POLL_MILLIS: Milliseconds = 50;

/**
 * Whether what a new subscription owes its place at once has arrived there, or the place turned out not to be
 * reachable: a channel that the bot is not in. `why` is the platform's.
 */
export async function awaitFirstDelivery(
  desk: Pick<AlertService, "platforms" | "subscriptions" | "settled">,
  { id, destination, created }: Subscription,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly state: "arrived" | "on its way" } | { readonly state: "lost"; readonly why: string }> {
  if (!desk.platforms().includes(destination.platform)) return { state: "on its way" };
  const key = destinationKey(destination);
  const begun = clock.monotonicMillis();
  while (clock.monotonicMillis() - begun < DELIVERY_WAIT_MILLIS) {
    const now = (await desk.subscriptions()).find((one) => one.id === id);
    if (now?.state === "retired") return { state: "lost", why: now.why ?? "it is gone" };
    const [last] = (await desk.settled(1, key)).rows;
    if (last?.state === "sent" && last.created_at >= created) return { state: "arrived" };
    await clock.sleep(DELIVERY_POLL_MILLIS, signal);
  }
  return { state: "on its way" };
}
