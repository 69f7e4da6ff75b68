import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { AlertKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../src/alerts/route/subscription.ts";
import { systemClock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Destination } from "../../src/alerts/destination.ts";

const CONDITIONS: readonly AlertKind[] = ["network.stalled", "watch.blind", "node.down", "node.lagging"];

/** Subscribes all channels before the bot is started for the first time. */
export async function subscribe(url: string, channels: Readonly<Record<string, string>>): Promise<void> {
  const log = silentLog();
  const store = createStore({ url, log });
  const config = DEFAULT_ALERTS_CONFIG;
  const engine = createAlertEngine({ store, config, clock: systemClock, log, simulated: new Set() });
  for (const [name, channel] of Object.entries(channels)) {
    const [platform = "", kind = ""] = name.split(" ");
    await engine.putSubscriptions([subscriptionOf(name, { platform, channel }, kind)], "campaign");
  }
  await store.close();
}

function subscriptionOf(id: string, destination: Destination, kind: string): Subscription {
  const kinds: Readonly<Record<string, readonly AlertKind[]>> = {
    ops: CONDITIONS,
    chain: ["checkpoint.new", "snapshot.new", "history.reset"],
    live: [...CONDITIONS, "checkpoint.new"],
    markets: ["market.state", "market.auction", "rotation.new", "core.upgraded", "node.version"],
  };
  return {
    id: id.replace(" ", "-"),
    destination: { ...destination },
    network: "testnet",
    kinds: [...(kinds[kind] ?? [])],
    subjects: [],
    parameters: {},
    floor: "info",
    style: kind === "live" ? "live" : "plain",
    events: kind === "live" ? "rolling" : "each",
    state: "active",
    created: Date.now(),
    by: { id: "u1", name: "campaign" },
  };
}
