import { CONSOLE } from "../../adapters/web/platform.ts";
import { KIND_GROUPS } from "../../alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../alerts/route/subscription.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";

/** The name, among the watchers' snapshots, that records a network's console subscription. */
const SNAPSHOT_NAME = "console-subscription";

/**
 * Subscribes the console to everything that happens on a network, once in the life of a database: removing or changing
 * that subscription is final.
 */
export async function subscribeConsole(
  service: Pick<AlertService, "subscriptions" | "putSubscriptions">,
  store: Pick<Store, "transaction">,
  network: string,
  at: Milliseconds,
): Promise<void> {
  const recorded = await store.transaction(({ alerts }) => alerts.watch.snapshot(network, SNAPSHOT_NAME));
  if (recorded !== undefined) return;
  const subscription = consoleSubscription(network, at);
  const known = (await service.subscriptions()).some(({ id }) => id === subscription.id);
  if (!known) await service.putSubscriptions([subscription], subscription.by.name);
  await store.transaction(({ alerts }) => alerts.watch.putSnapshot(network, SNAPSHOT_NAME, at, "{}"));
}

function consoleSubscription(network: string, created: Milliseconds): Subscription {
  return {
    id: `console-${network}`,
    destination: CONSOLE,
    network,
    kinds: [...KIND_GROUPS.all],
    groups: ["all"],
    subjects: [],
    parameters: {},
    floor: "info",
    // The console lists messages and shows the current state beside them: no message needs an edit.
    style: "plain",
    events: "each",
    state: "active",
    created,
    by: { id: "bellwether", name: "Bellwether" },
  };
}
