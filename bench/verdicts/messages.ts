import { existsSync } from "node:fs";

import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import { type AlertKind, KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Delivery, Receipt, Sender } from "../../src/alerts/sender.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis } from "../../src/units/nanoseconds.ts";
import { settled, VirtualClock } from "../../test/api/virtual-clock.ts";
import { scratchFolder } from "../support/export-once.ts";
import { subscriptionOf } from "../support/subscription-of.ts";
import { Bellwether, configFor, observationOf, SourcesJudge } from "./engine.ts";
import { DAY } from "./plan.ts";
import { fault, type Span } from "./sickness.ts";
import { BEGAN, clockAt } from "./chain.ts";
import { nodeName, type Round, World, type WorldPlan } from "./world.ts";

/** Troubles that are this close to each other are one incident. */
const APART = 600_000;
/** How long after an incident a message can still be about it: a flapping rule says so only after half an hour of calm. */
const AFTERMATH = 2_400_000;

/** An event, and when it is found: milliseconds of true time. In order. */
interface News {
  readonly at: number;
  readonly event: AlertEvent;
}

/** What one destination got of a world. */
export interface Messages {
  readonly rounds: number;
  readonly messages: number;
  readonly edits: number;
  /** Of each incident. */
  readonly incidents: readonly { readonly what: string; readonly messages: number }[];
  /** Those that came without one: beside a node that is sick all day. */
  readonly besides: number;
}

/**
 * Sends a world's alerts through the engine, the outbox and the dispatcher, on a database, to one destination that is
 * subscribed to `ops`. A round that is quiet, and stands between quiet ones, is not stored: it changes no state, and
 * nothing is owed by it (the pure engine says which rounds these are).
 */
export async function messagesOf(
  plan: WorldPlan,
  {
    kinds = KIND_GROUPS.ops,
    news = [],
  }: { readonly kinds?: readonly AlertKind[]; readonly news?: readonly News[] } = {},
): Promise<Messages> {
  const loud = loudRounds(plan, news);
  await using folder = await scratchFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const clock = new VirtualClock(fromMillis(BEGAN));
  const wallMillis = (): number => Number(clock.wallClock() / 1_000_000n);
  const log = silentLog();
  const store = createStore({ url: `file:${folder.path}/bench.db`, log, now: wallMillis });
  const sender = new CountingSender(() => clock.monotonicMillis());
  const config = configFor(plan);
  const judge = new SourcesJudge(config);
  await store.transaction(({ alerts }) =>
    alerts.subscriptions.put([
      subscriptionOf(0, { platform: sender.platform, channel: "c" }, kinds, "usual", "mainnet"),
    ]),
  );
  const parts = { store, config, clock, log, simulated: new Set<string>() };
  let process = -1;
  let wrong = 0;
  let engine: AlertEngine | undefined;
  let stop = async (): Promise<void> => undefined;
  let rounds = 0;
  let found = 0;
  try {
    for (const [index, round] of [...new World(plan).rounds()].entries()) {
      // The judge has to see every round; what it says of a quiet one is as good as the last.
      const readings = judge.readings(round);
      if (!loud.has(index)) continue;
      await clock.advance(round.at - clock.monotonicMillis());
      const offset = clockAt(plan.botClock, round.at);
      clock.setWall(offset - wrong);
      wrong = offset;
      if (engine === undefined || round.process !== process) {
        await stop();
        process = round.process;
        const dispatcher = createDispatcher({ ...parts, senders: [sender], describe, random: () => 0 });
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
      if (rounds === 0 || found < news.length) {
        const events = news.filter((one, number) => number >= found && one.at <= round.at).map(({ event }) => event);
        found += events.length;
        const watcher = { name: "versions", every: 60_000 };
        await engine.processObservation({ ...observationOf(round, [], 60_000), watcher, events, snapshot: { found } });
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
  return { rounds, ...attribute(plan, sender) };
}

/** Five nodes, a halt of ten minutes; each node goes down in it and comes back with the new version. */
export function upgradePlan(seed: number): WorldPlan {
  const [minute, nodes] = [60_000, 5];
  const halt = { from: 20 * minute, to: 30 * minute };
  const faults = Array.from({ length: nodes }, (_, node) => {
    const down = halt.from + (1.5 * node + 1) * minute;
    return fault(node, down, down + minute, { sort: "dead", speed: 20 });
  });
  const calm = { away: [], botClock: [], chainClock: [], loss: 0.002 };
  const world = { length: 90 * minute, nodes, poll: 5000, block: 800, heights: true };
  return { name: "upgrade", seed, ...world, ...calm, halts: [halt], faults };
}

/** What the watchers of versions find of that upgrade: each node's a minute after it is back, the protocol's at last. */
export function upgradeNews({ faults, halts }: WorldPlan): readonly News[] {
  const minute = 60_000;
  const of = { network: "mainnet", at: `${BEGAN}000000` };
  const nodes = faults.map(({ node, to }): News => {
    const subject = nodeName(node);
    const release = { before: { version: "v0.73.1" }, after: { version: "v0.74.0" } };
    return {
      at: to + minute,
      event: { kind: "node.version", ...of, subject, node: subject, key: subject, ...release },
    };
  });
  const after = { at: (halts[0]?.to ?? 0) + 3 * minute, key: "v0.74.0", subject: "", from: "v0.73.1", to: "v0.74.0" };
  const { at, ...upgraded } = after;
  return [...nodes, { at, event: { kind: "core.upgraded", ...of, ...upgraded } }];
}

/** The rounds to store: those that are not quiet or find something, each process's first, and those beside them. */
function loudRounds(plan: WorldPlan, news: readonly News[]): ReadonlySet<number> {
  const watch = new Bellwether(plan);
  const loud = new Set<number>();
  let process = -1;
  let index = 0;
  const mark = (): void => {
    for (const one of [index - 1, index, index + 1]) loud.add(one);
  };
  for (const round of new World(plan).rounds() as Iterable<Round>) {
    watch.see(round);
    const finds = news.some(({ at }) => Math.abs(at - round.at) <= plan.poll);
    if (round.process !== process || !watch.isQuiet || finds) mark();
    process = round.process;
    index += 1;
  }
  return loud;
}

class CountingSender implements Sender {
  readonly platform = "counting";
  /** When each message came, in milliseconds of the world. */
  readonly sent: number[] = [];
  edits = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  send({ destination }: Delivery): Promise<Receipt> {
    this.sent.push(this.#now());
    return Promise.resolve({ ...destination, message: String(this.sent.length) });
  }

  update(): Promise<void> {
    this.edits += 1;
    return Promise.resolve();
  }
}

function attribute(plan: WorldPlan, { sent, edits }: CountingSender): Omit<Messages, "rounds"> {
  const troubles: (Span & { readonly what: string })[] = [
    ...plan.halts.map((halt) => ({ ...halt, what: "halt" })),
    ...plan.faults.map(({ from, until, sick }) => ({ from, to: until, what: sick.sort })),
    ...[...plan.botClock, ...plan.chainClock].map(({ from, to }) => ({ from, to, what: "clock" })),
  ].filter(({ from, to }) => to - from < DAY / 2);
  const incidents: { from: number; to: number; what: Set<string>; messages: number }[] = [];
  for (const { from, to, what } of troubles.toSorted((a, b) => a.from - b.from)) {
    const last = incidents.at(-1);
    if (last !== undefined && from < last.to + APART) {
      last.to = Math.max(last.to, to);
      last.what.add(what);
    } else {
      incidents.push({ from, to, what: new Set([what]), messages: 0 });
    }
  }
  let besides = 0;
  for (const at of sent) {
    const of = incidents.findLast(({ from, to }) => from <= at && at < to + AFTERMATH);
    if (of === undefined) besides += 1;
    else of.messages += 1;
  }
  return {
    messages: sent.length,
    edits,
    besides,
    incidents: incidents.map(({ what, messages }) => ({ what: [...what].toSorted().join(" + "), messages })),
  };
}
