import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import type { AlertKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Delivery, Sender } from "../../src/alerts/sender.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { silentLog } from "../../src/log.ts";
import { createAlerting } from "../../src/main/alerting/alerting.ts";
import { createDuties } from "../../src/main/alerting/duties.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis } from "../../src/units/time.ts";
import { VirtualClock } from "../../test/api/virtual-clock.ts";
import { requestsUnderWay } from "../../test/support/requests-under-way.ts";
import { scratchFolder } from "./export-once.ts";
import { subscriptionOf } from "./subscription-of.ts";
import { PLATFORMS } from "../../test/support/platforms.ts";

/** Monday, 2024-06-03 12:00 UTC. */
const BEGAN = 1_717_416_000_000;

/** The whole path from data nodes in another process to platforms that accept everything, in virtual time. */
export interface VirtualLife extends AsyncDisposable {
  pass(millis: number): Promise<void>;
  /** Requests that the data nodes were sent, and messages that the platforms were. */
  readonly counts: { requests: number; messages: number };
}

class TakingSender implements Sender {
  readonly platform = "taking";
  readonly counts: VirtualLife["counts"];

  constructor(counts: VirtualLife["counts"]) {
    this.counts = counts;
  }

  send({ destination }: Delivery) {
    this.counts.messages += 1;
    return Promise.resolve({ platform: "taking", channel: destination.channel, message: String(this.counts.messages) });
  }

  update(): Promise<void> {
    return Promise.resolve();
  }
}

export async function virtualLife(options: {
  readonly nodes: number;
  readonly subscriptions: number;
  readonly kinds: readonly AlertKind[];
}): Promise<VirtualLife> {
  // What is durable is measured elsewhere; a memory disk spares a week's syncs.
  const folder = await scratchFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const log = silentLog();
  const network = fork(new URL("timed-network.ts", import.meta.url), [String(options.nodes)]);
  const [{ urls }] = (await once(network, "message")) as [{ urls: string[] }];
  const setTime = async (millis: number): Promise<void> => {
    const set = once(network, "message");
    network.send(millis);
    await set;
  };
  await setTime(BEGAN);
  const requests = requestsUnderWay(4);
  const clock = new VirtualClock(fromMillis(BEGAN), { settle: () => requests.settle(), moved: setTime });
  const counts = { requests: 0, messages: 0 };
  const api = createApiClient({
    network: "testnet",
    simulated: false,
    nodes: urls.map((url) => ({ url })),
    log,
    clock,
    onRequest: () => {
      counts.requests += 1;
    },
  });
  const store = createStore({ url: `file:${folder.path}/bench.db`, log, now: () => BEGAN + clock.monotonicMillis() });
  const duties = createDuties({ store, clock, log });
  await duties.start();
  const alerting = createAlerting({
    store,
    duties,
    networks: { clients: [api], simulated: false },
    config: DEFAULT_ALERTS_CONFIG,
    console: false,
    platforms: PLATFORMS,
    senders: ["taking"],
    log,
    clock,
  });
  await store.transaction(async ({ alerts }) => {
    for (let index = 0; index < options.subscriptions; index += 1) {
      const events = index % 2 === 0 ? "usual" : "each";
      const one = subscriptionOf(index, { platform: "taking", channel: `c${index}` }, options.kinds, events, "testnet");
      await alerts.subscriptions.put([one]);
    }
  });
  const starting = alerting.start([new TakingSender(counts)]);
  await clock.advance(1000);
  await starting;
  return {
    counts,
    pass: (millis) => clock.advance(millis),
    async [Symbol.asyncDispose]() {
      const stopping = alerting.stop();
      await clock.advance(10_000);
      await stopping;
      requests.end();
      await api.close();
      await store.close();
      network.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
