import { onTestFinished } from "vitest";

import type { AlertKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { ApiClient } from "../../src/api/api-client.ts";
import { silentLog } from "../../src/log.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { type Schedule, startSchedule } from "../../src/watchers/schedule.ts";
import { aSubscription } from "../alerts/samples.ts";
import { openStage, type Stage } from "../alerts/stage.ts";
import { clientOf } from "../api/client-under-test.ts";
import { requestsUnderWay } from "./requests-under-way.ts";

export interface WatchedTestnet {
  readonly stage: Stage;
  readonly simulator: Simulator;
  readonly api: ApiClient;
  /** Begins to watch, with the state in the store. */
  readonly watch: () => Schedule;
  /** Lets so many seconds pass, and returns the gist of each message posted meanwhile. */
  readonly pass: (seconds: number) => Promise<readonly string[]>;
}

/** End to end from a simulated network to a channel that subscribes to some kinds, in virtual time. */
export async function watchedTestnet(
  kinds: readonly AlertKind[],
  options: {
    /** Whether messages are marked as simulated. */
    readonly marked?: boolean;
    readonly simulator?: SimulatorOptions;
    /** Only these watchers. */
    readonly watchers?: readonly string[];
  } = {},
): Promise<WatchedTestnet> {
  const network = "testnet";
  const stage = await openStage(options.marked === true ? { simulated: [network] } : {});
  const { clock, config } = stage;
  const simulator = await startSimulator({ now: () => clock.wallClock(), rateLimit: false, ...options.simulator });
  onTestFinished(() => simulator.close());
  const urls = simulator.networks[network].map(({ url }) => url);
  const api = clientOf(urls, { clock, network });
  const settle = requestsUnderWay();
  await stage.engine.putSubscriptions([aSubscription({ network, kinds: [...kinds] })], "ada");
  const all = createWatchers({ network, nodes: urls.length, config, clock });
  return {
    stage,
    simulator,
    api,
    watch: () =>
      startSchedule({
        api,
        watchers: all.filter(({ name }) => options.watchers?.includes(name) ?? true),
        load: async (of, watcher) => (await stage.engine.snapshot(of, watcher))?.data,
        subjects: () => [],
        sink: async (observation) => void (await stage.engine.processObservation(observation)),
        log: silentLog(),
        clock,
        random: () => 0.5,
      }),
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        await settle();
      }
      await stage.pass(0);
      return stage.sender.take();
    },
  };
}
