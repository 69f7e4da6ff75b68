import type { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import { type AlertKind, KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Delivery, Receipt, Sender } from "../../src/alerts/sender.ts";
import { subscriptionOf } from "../support/subscription-of.ts";
import { BEGAN } from "./chain.ts";
import { deliver, type SideWatcher } from "./delivery.ts";
import { Bellwether } from "./engine.ts";
import { DAY } from "./plan.ts";
import { fault, type Span } from "./sickness.ts";
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
 * Sends a world's alerts to one destination that is subscribed to `ops`. A round that is quiet, and stands between quiet
 * ones, is not stored: it changes no state, and nothing is owed by it (the pure engine says which rounds these are).
 */
export async function messagesOf(
  plan: WorldPlan,
  {
    kinds = KIND_GROUPS.ops,
    news = [],
  }: { readonly kinds?: readonly AlertKind[]; readonly news?: readonly News[] } = {},
): Promise<Messages> {
  const loud = loudRounds(plan, news);
  const destination = { platform: "counting", channel: "c" };
  let sender: CountingSender | undefined;
  const rounds = await deliver({
    plan,
    subscriptions: [subscriptionOf(0, destination, kinds, "usual", "mainnet")],
    senderAt: (now) => (sender = new CountingSender(now)),
    beside: [newsWatcher(news)],
    isStored: (index) => loud.has(index),
  });
  if (sender === undefined) throw new Error("no sender");
  return { rounds, ...attribute(plan, sender) };
}

/** Finds events when they are there to be found. */
export function newsWatcher(news: readonly News[]): SideWatcher {
  let found = -1;
  return {
    name: "versions",
    every: 60_000,
    look({ at }) {
      if (found === news.length) return undefined;
      const events = news.filter((one, number) => number >= found && one.at <= at).map(({ event }) => event);
      found = Math.max(0, found) + events.length;
      return { readings: [], events, snapshot: { found } };
    },
  };
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
