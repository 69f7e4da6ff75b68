import { KIND_GROUPS } from "../alerts/kinds/kinds.ts";
import type { Subscription } from "../alerts/routing/subscription.ts";
import { type AlertService, CONSOLE_DESTINATION } from "../alerts/service/service.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";

/** Under this name the store remembers, beside the watchers, that a network's console was subscribed once. */
const NOTED_AS = "console-subscription";

/**
 * Subscribes the console to everything that happens on a network, once in the life of a database: whoever removes that
 * subscription, or changes it, does so for good.
 */
export async function subscribeConsole(
  desk: Pick<AlertService, "subscriptions" | "putSubscription">,
  store: Pick<Store, "transaction">,
  network: string,
  at: Milliseconds,
): Promise<void> {
  const noted = await store.transaction(({ alerts }) => alerts.watch.snapshot(network, NOTED_AS));
  if (noted !== undefined) return;
  const subscription = consoleSubscription(network, at);
  const known = (await desk.subscriptions()).some(({ id }) => id === subscription.id);
  if (!known) await desk.putSubscription(subscription, subscription.by.name);
  await store.transaction(({ alerts }) => alerts.watch.putSnapshot(network, NOTED_AS, at, "{}"));
}

function consoleSubscription(network: string, created: Milliseconds): Subscription {
  return {
    id: `console-${network}`,
    destination: CONSOLE_DESTINATION,
    network,
    kinds: [...KIND_GROUPS.all],
    subjects: [],
    parameters: {},
    floor: "info",
    // The console lists what it is told and shows how things stand beside it: nothing needs to be edited.
    style: "plain",
    events: "each",
    state: "active",
    created,
    by: { id: "bellwether", name: "Bellwether" },
  };
}
