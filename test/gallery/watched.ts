import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { systemClock } from "../../src/api/clock.ts";
import type { Verdict } from "../../src/api/verdict/verdict.ts";
import { silentLog } from "../../src/log.ts";
import type { NetworkName } from "../../src/simulator/network.ts";
import { sourcesWatcher } from "../../src/watchers/sources/sources.ts";
import { openSimulatorTalk, type SimulatorTalk, type SimulatorTalkOptions } from "../support/simulator-talk.ts";

export interface WatchedTalk extends SimulatorTalk {
  /** So many looks at all networks, 5 s apart. */
  readonly watch: (looks: number) => Promise<void>;
}

/** A conversation with a process that watches its networks, by the real watcher of sources. */
export async function openWatchedTalk(options: SimulatorTalkOptions): Promise<WatchedTalk> {
  const verdicts = new Map<string, Verdict>();
  // Real time goes on, too; looks and answers read one clock.
  let skippedMillis = 0;
  const clientClock = { monotonicMillis: () => systemClock.monotonicMillis() + skippedMillis };
  const talk = await openSimulatorTalk({ ...options, clientClock, verdict: (network) => verdicts.get(network) });
  const clock = { ...systemClock, ...clientClock, wallClock: () => talk.now() };
  const names: readonly NetworkName[] = ["mainnet", "testnet"];
  const watched = names.map((network) => {
    const nodes = talk.simulator.networks[network].map(({ url, name }) => ({ url, name }));
    const api = createApiClient({ network, nodes, simulated: false, log: silentLog(), clock });
    const onVerdict = (verdict: Verdict): void => void verdicts.set(network, verdict);
    const watcher = sourcesWatcher({ network, config: DEFAULT_ALERTS_CONFIG, clock, onVerdict });
    return { network, api, watcher };
  });
  const signal = new AbortController().signal;
  const look = async ({ network, api, watcher }: (typeof watched)[number]): Promise<void> => {
    const known = watcher.snapshot.safeParse((await talk.engine.snapshot(network, watcher.name))?.data);
    const before = known.data;
    const snapshot = await watcher.observe(api, { before, subjects: () => [] }, signal);
    const { readings, events } = watcher.judge(before, snapshot, talk.now());
    await talk.engine.processObservation({ network, watcher, snapshot, readings, events, at: talk.now() });
  };
  const close = talk[Symbol.asyncDispose];
  return Object.assign(talk, {
    watch: async (looks: number): Promise<void> => {
      for (let round = 0; round < looks; round += 1) {
        await Promise.all(watched.map(look));
        talk.advance(5000);
        skippedMillis += 5000;
        await talk.engine.upkeep();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(watched.map(({ api }) => api.close()));
      await close();
    },
  });
}
