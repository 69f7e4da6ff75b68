import { type AlertKind, KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../src/alerts/route/subscription.ts";
import type { SideWatcher } from "../verdicts/delivery.ts";
import { newsWatcher, upgradeNews, upgradePlan } from "../verdicts/messages.ts";
import { type Fault, fault, type Sickness, type Span } from "../verdicts/sickness.ts";
import type { WorldPlan } from "../verdicts/world.ts";
import { checkpoints, inAuction, markets, otherHistory, trading } from "./side-watchers.ts";

/** What happens in a world, what a channel is subscribed to, and how many posts it may get. */
export interface Scene {
  readonly name: string;
  readonly plan: WorldPlan;
  readonly kinds: readonly AlertKind[];
  readonly parameters?: Subscription["parameters"];
  /** Made anew for each run: they remember what they saw. */
  readonly beside?: () => readonly SideWatcher[];
  /** The posts in each style when the scene was written down. */
  readonly known: number;
  /** The most that there may be; as many as known where left out. */
  readonly most?: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** When trouble begins. */
const START = 10 * MINUTE;
/** How long most scenes go on after their trouble: what has flapped is called calm half an hour later. */
const AFTER = 45 * MINUTE;
/** Its recovery, if any, is not told. */
const NOTHING_AFTER = 0;

/** Three nodes to which nothing happens but what is given. */
function world(length: number, given: Partial<WorldPlan> = {}, after = AFTER): WorldPlan {
  const nothing = { halts: [], faults: [], away: [], botClock: [], chainClock: [], loss: 0 };
  const usual = { name: "scene", seed: 7, nodes: 3, poll: 5000, block: 800, heights: true };
  return { ...usual, ...nothing, length: START + length + after, ...given };
}

/** So many spans from the beginning on: each lasts `millis`, and begins `every` after the one before. */
function spans(count: number, millis: number, every: number): Span[] {
  return Array.from({ length: count }, (_, index) => {
    const from = START + index * every;
    return { from, to: from + millis };
  });
}

function sick(nodes: readonly number[], { from, to }: Span, sickness: Sickness): Fault[] {
  return nodes.map((node) => fault(node, from, to, sickness));
}

const [TEN_MINUTES = { from: START, to: START }] = spans(1, 10 * MINUTE, 0);
const [FIVE_MINUTES = { from: START, to: START }] = spans(1, 5 * MINUTE, 0);
const DEAD: Sickness = { sort: "dead", speed: 20 };
const CUT: Sickness = { sort: "cut", speed: 20 };
/** Back at the chain's end at once. */
const STANDS: Sickness = { sort: "cut", speed: 100_000 };
/** One every two minutes, but for twenty minutes from the beginning of trouble on. */
const CHECKPOINTS = Array.from({ length: 40 }, (_, index) => index * 2 * MINUTE).filter(
  (at) => at < START || at >= START + 20 * MINUTE,
);
const UPGRADE = upgradePlan(7);

const { ops, markets: ofMarkets } = KIND_GROUPS;

/** All scenes, from few posts to many. */
export const SCENES: readonly Scene[] = [
  {
    name: "node down 10 min",
    plan: world(10 * MINUTE, { faults: sick([0], TEN_MINUTES, DEAD) }),
    kinds: ops,
    known: 2,
  },
  {
    name: "lag",
    plan: world(10 * MINUTE, { faults: sick([0], TEN_MINUTES, CUT) }),
    kinds: ops,
    known: 2,
  },
  {
    name: "one of two down",
    plan: world(10 * MINUTE, { nodes: 2, faults: sick([0], TEN_MINUTES, DEAD) }),
    kinds: ops,
    known: 2,
  },
  {
    name: "2 of 5 cut",
    plan: world(10 * MINUTE, { nodes: 5, faults: sick([0, 1], TEN_MINUTES, CUT) }),
    kinds: ops,
    known: 2,
  },
  {
    name: "checkpoint late",
    plan: world(20 * MINUTE),
    kinds: ops,
    beside: () => [checkpoints(2 * MINUTE, CHECKPOINTS)],
    known: 2,
  },
  {
    name: "clock 1 h off",
    plan: world(10 * MINUTE, { botClock: [{ ...TEN_MINUTES, by: HOUR, gradual: false }] }),
    kinds: ops,
    known: 2,
  },
  {
    name: "another chain",
    plan: world(10 * MINUTE),
    kinds: ops,
    beside: () => [otherHistory(TEN_MINUTES.from, TEN_MINUTES.to)],
    known: 2,
  },
  {
    name: "stall 5 min",
    plan: world(5 * MINUTE, { halts: [FIVE_MINUTES] }),
    kinds: ops,
    known: 3,
  },
  {
    name: "stall seen from one node",
    plan: world(5 * MINUTE, { nodes: 1, halts: [FIVE_MINUTES] }),
    kinds: ops,
    known: 3,
  },
  {
    name: "upgrade of five nodes",
    plan: UPGRADE,
    kinds: KIND_GROUPS.all,
    beside: () => [newsWatcher(upgradeNews(UPGRADE))],
    known: 3,
  },
  {
    name: "3 of 5 stand",
    plan: world(10 * MINUTE, { nodes: 5, faults: sick([0, 1, 2], TEN_MINUTES, STANDS) }),
    kinds: ops,
    known: 3,
  },
  {
    name: "auction of 3 h",
    plan: world(3 * HOUR),
    kinds: ofMarkets,
    beside: () => [markets(1, during({ from: START, to: START + 3 * HOUR }, inAuction(START)))],
    known: 3,
  },
  {
    name: "restored node",
    plan: world(30 * MINUTE, { faults: [fault(0, START, START, { sort: "restored", by: HOUR, speed: 4 })] }),
    kinds: ops,
    known: 4,
  },
  {
    name: "200 auctions",
    plan: world(30 * MINUTE),
    kinds: ofMarkets,
    beside: () => [markets(200, during({ from: START, to: START + 30 * MINUTE }, inAuction(START)))],
    known: 4,
  },
  {
    name: "stall with the bot cut off",
    plan: world(10 * MINUTE, {
      halts: [TEN_MINUTES],
      faults: sick([0, 1, 2], { from: START + 4 * MINUTE, to: START + 6 * MINUTE }, { sort: "unreachable" }),
    }),
    kinds: ops,
    known: 5,
  },
  {
    name: "stall of 2 h with reminders",
    plan: world(2 * HOUR, { halts: spans(1, 2 * HOUR, 0) }),
    kinds: ops,
    known: 6,
  },
  {
    name: "blocks of 40 s for an hour",
    plan: world(HOUR, { halts: spans(90, 40_000, 40_000) }, NOTHING_AFTER),
    kinds: ops,
    known: 7,
  },
  {
    name: "flap every 90 s for 2 h",
    plan: world(2 * HOUR, { faults: spans(80, 45_000, 90_000).flatMap((span) => sick([0], span, DEAD)) }),
    kinds: ops,
    known: 8,
  },
  {
    name: "24 halts of 40 s",
    plan: world(2 * HOUR, { halts: spans(24, 40_000, 5 * MINUTE) }),
    kinds: ops,
    known: 8,
  },
  {
    name: "price crossed 50 times",
    plan: world(200 * MINUTE),
    kinds: ["market.price"],
    parameters: { "market.price": { high: "90000", when: "beyond" } },
    beside: () => [markets(1, (at) => trading(isWithin(spans(50, 2 * MINUTE, 4 * MINUTE), at) ? "92615" : "89000"))],
    known: 8,
  },
  {
    name: "1,000 auctions with a stall in the midst",
    plan: world(HOUR, { halts: [{ from: START + 20 * MINUTE, to: START + 25 * MINUTE }] }),
    kinds: KIND_GROUPS.all,
    beside: () => [markets(1000, during({ from: START, to: START + HOUR }, inAuction(START)))],
    known: 7,
  },
  {
    name: "rolling restart of five",
    plan: world(15 * MINUTE, {
      nodes: 5,
      faults: spans(5, 60_000, 3 * MINUTE).flatMap((span, node) => sick([node], span, DEAD)),
    }),
    kinds: ops,
    known: 10,
    most: 4,
  },
  {
    name: "two nodes lying in turn for an hour",
    plan: world(
      HOUR,
      {
        nodes: 2,
        faults: spans(15, 4 * MINUTE, 4 * MINUTE).flatMap((span, index) =>
          sick([index % 2], span, { sort: "ahead", by: 10 * MINUTE }),
        ),
      },
      NOTHING_AFTER,
    ),
    kinds: ops,
    known: 14,
    most: 8,
  },
  {
    name: "two nodes of which one stands 4 of 8 min for 2 h",
    plan: world(
      2 * HOUR,
      { nodes: 2, faults: spans(15, 4 * MINUTE, 8 * MINUTE).flatMap((span) => sick([0], span, STANDS)) },
      NOTHING_AFTER,
    ),
    kinds: ops,
    known: 37,
    most: 12,
  },
];

function isWithin(all: readonly Span[], at: number): boolean {
  return all.some(({ from, to }) => from <= at && at < to);
}

/** A market that is in an auction for a span, and trades before and after it. */
function during(span: Span, auction: ReturnType<typeof inAuction>): (at: number) => ReturnType<typeof inAuction> {
  return (at) => (isWithin([span], at) ? auction : trading("92000"));
}
