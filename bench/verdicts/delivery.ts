import { existsSync } from "node:fs";

import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { silentLog } from "../../src/log.ts";
import type { SubscriptionRow } from "../../src/store/alert-tables/alert-tables.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis } from "../../src/units/time.ts";
import type { Findings } from "../../src/watchers/watcher.ts";
import { settled, VirtualClock } from "../../test/api/virtual-clock.ts";
import { scratchFolder } from "../support/export-once.ts";
import { BEGAN, clockAt } from "./chain.ts";
import { configFor, observationOf, SourcesJudge } from "./engine.ts";
import { type Round, World, type WorldPlan } from "./world.ts";

/** A watcher of the world's network beside the one of sources. */
export interface SideWatcher {
  readonly name: string;
  readonly every: number;
  /** What it finds after a round; undefined where it does not look then. */
  look(round: Round): (Findings & { readonly snapshot: unknown }) | undefined;
}

/**
 * Sends a world's alerts through the engine, the outbox and the dispatcher, on a database, to what is subscribed.
 * `isStored` says of each round, by its number, whether it is stored; all of them where left out. Resolves, a minute
 * after the world's end, with the number of rounds stored.
 */
export async function deliver(options: {
  readonly plan: WorldPlan;
  readonly subscriptions: readonly SubscriptionRow[];
  /** `now` says the milliseconds of the world. */
  readonly senderAt: (now: () => number) => Sender;
  readonly beside?: readonly SideWatcher[];
  readonly isStored?: (index: number) => boolean;
}): Promise<number> {
  const { plan, subscriptions, senderAt, beside = [], isStored = () => true } = options;
  // What is durable is measured elsewhere; a memory disk spares the syncs.
  await using folder = await scratchFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const clock = new VirtualClock(fromMillis(BEGAN));
  const wallMillis = (): number => Number(clock.wallClock() / 1_000_000n);
  const log = silentLog();
  const store = createStore({ url: `file:${folder.path}/bench.db`, log, now: wallMillis });
  const senders = [senderAt(() => clock.monotonicMillis())];
  const config = configFor(plan);
  const judge = new SourcesJudge(config);
  await store.transaction(({ alerts }) => alerts.subscriptions.put(subscriptions));
  const parts = { store, config, clock, log, simulated: new Set<string>() };
  let process = -1;
  let wrong = 0;
  let engine: AlertEngine | undefined;
  let stop = async (): Promise<void> => undefined;
  let rounds = 0;
  try {
    for (const [index, round] of [...new World(plan).rounds()].entries()) {
      // The judge has to see every round.
      const readings = judge.readings(round);
      if (!isStored(index)) continue;
      await clock.advance(round.at - clock.monotonicMillis());
      const offset = clockAt(plan.botClock, round.at);
      clock.setWall(offset - wrong);
      wrong = offset;
      if (engine === undefined || round.process !== process) {
        await stop();
        process = round.process;
        const dispatcher = createDispatcher({ ...parts, senders, describe, random: () => 0 });
        const end = new AbortController();
        const running = dispatcher.run(end.signal);
        engine = createAlertEngine({ ...parts, onOwed: () => dispatcher.wake() });
        stop = async () => {
          end.abort();
          await settled();
          await running;
        };
      }
      await engine.processObservation({ ...observationOf(round, readings, plan.poll), snapshot: { round: index } });
      for (const side of beside) {
        const found = side.look(round);
        if (found === undefined) continue;
        const { name, every } = side;
        await engine.processObservation({ ...observationOf(round, [], every), watcher: { name, every }, ...found });
      }
      await engine.upkeep();
      await settled();
      rounds += 1;
    }
    await clock.advance(60_000);
  } finally {
    await stop();
    await store.close();
  }
  return rounds;
}
