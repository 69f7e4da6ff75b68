import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Delivery, Receipt, Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { silentLog } from "../../src/log.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import { aSubscription } from "../alerts/samples.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { requestsUnderWay } from "../support/requests-under-way.ts";
import { scratchDatabase } from "../support/scratch-database.ts";
import { NOON } from "../support/talk.ts";
import { PLATFORMS } from "../support/platforms.ts";

/** A message as it was posted, or as it was edited to be. */
export interface Told {
  readonly at: Nanoseconds;
  readonly how: "posted" | "edited";
  readonly reply: Reply;
}

const SECOND = 1000;

/**
 * What a channel reads of a bad quarter of an hour on the simulated mainnet, in virtual time: a node dies and comes back,
 * then the network stands still until it is critical, and goes on. Real watchers, engine and dispatcher.
 */
export async function tellIncident(): Promise<readonly Told[]> {
  const network = "mainnet";
  const log = silentLog();
  const scratch = await scratchDatabase();
  const underWay = requestsUnderWay(3);
  const clock = new VirtualClock(NOON, { settle: () => underWay.settle() });
  const simulator = await startSimulator({ now: () => clock.wallClock(), rateLimit: false });
  const api = createApiClient({
    network,
    nodes: simulator.networks[network].map(({ url, name }) => ({ url, name, coreUrl: simulator.coreUrls[network] })),
    simulated: false,
    log,
    clock,
    random: () => 0.5,
  });
  const store = createStore({ url: `file:${scratch.file}`, log });
  const channel = new Channel(() => clock.wallClock());
  const dispatcher = createDispatcher({
    store,
    clock,
    log,
    senders: [channel],
    describe: (message, context) => describe(message, context, PLATFORMS),
    platforms: PLATFORMS,
    random: () => 0,
  });
  const config = DEFAULT_ALERTS_CONFIG;
  const engine = createAlertEngine({
    store,
    config,
    clock,
    log,
    simulated: new Set(),
    onOwed: () => dispatcher.wake(),
  });
  const stop = new AbortController();
  const delivering = dispatcher.run(stop.signal);
  const kinds = [...KIND_GROUPS.ops, "market.auction", "market.state"] as const;
  await engine.putSubscriptions(
    [aSubscription({ destination: CHANNEL, network, kinds: [...kinds], style: "live", events: "usual" })],
    "ada",
  );
  const watching = startSchedule({
    api,
    watchers: createWatchers({ network, nodes: 3, config, clock }),
    load: async (of, watcher) => (await engine.snapshot(of, watcher))?.data,
    subjects: () => [],
    sink: async (observation) => void (await engine.processObservation(observation)),
    log,
    clock,
    random: () => 0.5,
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 5) {
      await clock.advance(5 * SECOND);
      await engine.upkeep();
    }
  };
  try {
    await pass(30);
    simulator.faults.set({ kind: "die", network, node: 3 });
    await pass(60);
    simulator.faults.clear();
    await pass(60);
    simulator.faults.set({ kind: "stall", network });
    await pass(300);
    simulator.faults.clear();
    await pass(120);
    return channel.told;
  } finally {
    const stopped = watching.stop();
    stop.abort();
    await clock.advance(10 * SECOND);
    await Promise.all([stopped, delivering]);
    await api.close();
    underWay.end();
    await store.close();
    await simulator.close();
    await scratch.remove();
  }
}

const CHANNEL = { platform: "discord", channel: "1122334455667788990" };

/** A channel that keeps all it is told. */
class Channel implements Sender {
  readonly platform = CHANNEL.platform;
  readonly told: Told[] = [];
  readonly #now: () => Nanoseconds;

  constructor(now: () => Nanoseconds) {
    this.#now = now;
  }

  async send({ destination }: Delivery, reply: Reply): Promise<Receipt> {
    this.told.push({ at: this.#now(), how: "posted", reply });
    return { platform: this.platform, channel: destination.channel, message: `${this.told.length}` };
  }

  async update(_receipt: Receipt, reply: Reply): Promise<void> {
    this.told.push({ at: this.#now(), how: "edited", reply });
  }
}
