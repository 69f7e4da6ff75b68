import { fork } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import type { AlertKind } from "../../src/alerts/kinds.ts";
import type { Delivery, Sender } from "../../src/alerts/sender.ts";
import type { Clock } from "../../src/api/clock.ts";
import { createApiClient } from "../../src/api/create-api-client.ts";
import { silentLog } from "../../src/log.ts";
import { createAlerting } from "../../src/main/alerting.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis, type Nanoseconds } from "../../src/units/nanoseconds.ts";
import { scratchFolder } from "./export-once.ts";
import { subscriptionOf } from "./subscription-of.ts";

/** Monday, 2024-06-03 12:00 UTC. */
const BEGAN = 1_717_416_000_000;

/** The whole way from data nodes in another process to platforms that take everything, in virtual time. */
export interface VirtualLife extends AsyncDisposable {
  pass(millis: number): Promise<void>;
  /** Requests that the data nodes were sent, and messages that the platforms were. */
  readonly counts: { requests: number; messages: number };
}

class SteppedClock implements Clock {
  readonly #setTime: (millis: number) => Promise<void>;
  readonly #settle: () => Promise<void>;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  #millis = 0;

  constructor(setTime: (millis: number) => Promise<void>, settle: () => Promise<void>) {
    this.#setTime = setTime;
    this.#settle = settle;
  }

  monotonicMillis(): number {
    return this.#millis;
  }

  wallClock(): Nanoseconds {
    return fromMillis(Math.round(BEGAN + this.#millis));
  }

  sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const leave = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const sleeper = { until: this.#millis + millis, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  async pass(millis: number): Promise<void> {
    const end = this.#millis + millis;
    for (;;) {
      await this.#settle();
      let next: { readonly until: number; readonly wake: () => void } | undefined;
      for (const one of this.#sleepers) if (next === undefined || one.until < next.until) next = one;
      if (next === undefined || next.until > end) break;
      this.#millis = Math.max(this.#millis, next.until);
      await this.#setTime(Math.round(BEGAN + this.#millis));
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#millis = end;
  }
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
  const [settle, deafen] = underWay();
  const clock = new SteppedClock(setTime, settle);
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
  const alerting = createAlerting({
    store,
    networks: { clients: [api], simulated: false },
    config: DEFAULT_ALERTS_CONFIG,
    console: false,
    log,
    clock,
  });
  await store.transaction(async ({ alerts }) => {
    for (let index = 0; index < options.subscriptions; index += 1) {
      const events = index % 2 === 0 ? "usual" : "each";
      const one = subscriptionOf(index, { platform: "taking", channel: `c${index}` }, options.kinds, events, "testnet");
      await alerts.choices.putSubscription(one);
    }
  });
  const starting = alerting.start([new TakingSender(counts)]);
  await clock.pass(1000);
  await starting;
  return {
    counts,
    pass: (millis) => clock.pass(millis),
    async [Symbol.asyncDispose]() {
      const stopping = alerting.stop();
      await clock.pass(10_000);
      await stopping;
      deafen();
      await api.close();
      await store.close();
      network.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Resolves once no request is under way, and all that its answer set going has gone on. */
function underWay(): [settle: () => Promise<void>, deafen: () => void] {
  let open = 0;
  const begin = (): void => void (open += 1);
  const end = (): void => void (open -= 1);
  const channels = [
    ["undici:request:create", begin],
    ["undici:request:trailers", end],
    ["undici:request:error", end],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  const settle = async (): Promise<void> => {
    for (let calm = 0; calm < 4; calm += 1) {
      await setImmediate();
      if (open > 0) calm = -1;
    }
  };
  const deafen = (): void => {
    for (const [name, listener] of channels) unsubscribe(name, listener);
  };
  return [settle, deafen];
}
