import { expect, it } from "vitest";

import type { AlertDependencies } from "../../../src/alerts/dependencies.ts";
import { type AlertEngine, createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import { silentLog } from "../../../src/log.ts";
import { price } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage } from "../stage.ts";

const OPS = { platform: "fake", channel: "ops" };
const NEWS = { destination: OPS, message: { type: "test", by: "ada", at: "1" } } as const;
const WATCHER = { network: "mainnet", watcher: { name: "w", every: 5000 } };

/** The engine of a process on the stage's database. */
function engineOf(stage: Stage, more: Partial<AlertDependencies>): AlertEngine {
  const { store, config, clock } = stage;
  return createAlertEngine({ store, config, clock, log: silentLog(), simulated: new Set(), ...more });
}

/** The engine of a process that ends after so many committed transactions. */
function dying(stage: Stage, kept: number): AlertEngine {
  let left = kept;
  return engineOf(stage, {
    store: {
      transaction: (work) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error("the process is gone")) : stage.store.transaction(work);
      },
    },
  });
}

const owed = async ({ engine }: Stage): Promise<number> => (await engine.outboxDepth())[0]?.owed ?? 0;

it("leaves an observation and its deliveries, both or neither", async () => {
  const stage = await openStage();
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"], events: "each" })], "ada");
  await stage.round([]);
  await stage.stopDelivering();
  const event = { kind: "checkpoint.new", network: "mainnet", subject: "", key: "7/h", at: "1" } as const;
  const events = [{ ...event, atBlock: "7", hash: "h" }];
  const kept = async (): Promise<unknown> => (await stage.engine.snapshot("mainnet", "w"))?.data;
  const before = await kept();
  for (const [transactions, snapshot, messages] of [
    [0, before, 0],
    [1, { seen: "it" }, 1],
  ] as const) {
    const at = stage.clock.wallClock();
    const round = { ...WATCHER, snapshot: { seen: "it" }, readings: [], events, at };
    await dying(stage, transactions)
      .processObservation(round)
      .catch(() => undefined);
    expect([await kept(), await owed(stage)]).toEqual([snapshot, messages]);
  }
});

it("leaves nothing of an observation in the midst of which it comes: the next one finds the same", async () => {
  const stage = await openStage();
  const parameters = { "market.price": { high: "100" } };
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["market.price"], parameters })], "ada");
  await stage.round([price("50")]);
  await stage.pass(5000);
  const engine = engineOf(stage, {
    onStep: (step) => {
      if (step === "observation written") throw new Error("the process is gone");
    },
  });
  const before = await stage.engine.snapshot("mainnet", "w");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const round = { ...WATCHER, snapshot: {}, readings: [price("500")], events: [], at: stage.clock.wallClock() };
    await expect(engine.processObservation(round)).rejects.toThrow("the process is gone");
  }
  expect(await stage.engine.snapshot("mainnet", "w")).toEqual(before);
  expect([await stage.engine.openEpisodes(), await stage.engine.outboxDepth()]).toEqual([[], []]);
  await stage.rounds(1, [price("500")]);
  expect(stage.sender.take()).toHaveLength(1);
});

/** A change that is announced to the channel, and whether it was made. */
interface Announced {
  readonly what: string;
  readonly change: (engine: AlertEngine, stage: Stage) => Promise<unknown>;
  readonly made: (stage: Stage) => Promise<boolean>;
}

const announced: readonly Announced[] = [
  {
    what: "a subscription",
    change: (engine) => engine.putSubscriptions([aSubscription({ id: "new" })], "ada", [NEWS]),
    made: async ({ engine }) => (await engine.subscriptions()).some(({ id }) => id === "new"),
  },
  {
    what: "a silence",
    change: (engine, stage) => {
      const from = stage.now();
      const silence = { id: "s1", scope: {}, from, until: from + 60_000, by: "ada", created: from };
      return engine.putSilence(silence, "ada", [NEWS]);
    },
    made: async ({ engine }) => (await engine.silences()).length > 0,
  },
];

it.each(announced)("leaves $what and its announcement, both or neither", async ({ change, made }) => {
  const stage = await openStage();
  await stage.stopDelivering();
  await change(dying(stage, 0), stage).catch(() => undefined);
  expect([await made(stage), await owed(stage)]).toEqual([false, 0]);
  await change(dying(stage, 1), stage).catch(() => undefined);
  expect([await made(stage), await owed(stage)]).toEqual([true, 1]);
});
