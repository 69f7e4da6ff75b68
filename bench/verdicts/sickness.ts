import type { SeededRandom } from "../../test/campaign/seeded-random.ts";

/** In milliseconds of the world's true time, `to` not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * What is wrong with a node for a while. Durations are milliseconds; `speed` and `rate` are seconds of chain ingested a
 * second.
 */
export type Sickness =
  // It is behind, and honest.
  | { readonly sort: "cut"; readonly speed: number }
  | { readonly sort: "slow"; readonly rate: number; readonly speed: number }
  | { readonly sort: "stale"; readonly by: number }
  | { readonly sort: "restored"; readonly by: number; readonly speed: number }
  // Part of its answers takes so much longer; they are right.
  | { readonly sort: "tardy"; readonly by: number; readonly share: number }
  // It says nothing of use.
  | { readonly sort: "dead"; readonly speed: number }
  | { readonly sort: "unreachable" | "banned" | "garbage" | "empty" }
  | { readonly sort: "sluggish"; readonly share: number }
  | { readonly sort: "comes-and-goes"; readonly every: number }
  // A load balancer over itself and another: a stale node, a dead one, a liar.
  | { readonly sort: "balanced"; readonly over: "stale" | "dead" | "liar"; readonly by: number; readonly share: number }
  // It lies. `frozen` alone repeats itself; with `but` that one runs on.
  | { readonly sort: "frozen"; readonly but?: "time" | "height" }
  | { readonly sort: "ahead"; readonly by: number }
  | { readonly sort: "back"; readonly by: number; readonly every: number }
  | { readonly sort: "plausible" }
  | { readonly sort: "changing"; readonly every: number }
  // It contradicts the others.
  | { readonly sort: "other-times"; readonly by: number }
  | { readonly sort: "other-heights"; readonly by: number }
  // It serves another network, `lag` behind.
  | { readonly sort: "other-chain"; readonly by: number; readonly lag: number }
  | { readonly sort: "drifting"; readonly rate: number };

/** One node's sickness from `from` to `to`; it has caught up by `until`. */
export interface Fault extends Span {
  readonly node: number;
  readonly sick: Sickness;
  readonly until: number;
}

export function fault(node: number, from: number, to: number, sick: Sickness): Fault {
  return { node, from, to, sick, until: Math.max(to, caughtUpAt(sick, from, to)) };
}

/** When the node is at the chain's end again: what it missed, at the speed by which it gains on the present. */
function caughtUpAt(sick: Sickness, from: number, to: number): number {
  switch (sick.sort) {
    case "cut":
    case "dead":
      return to + (to - from) / (sick.speed - 1);
    case "slow":
      return to + ((to - from) * (1 - sick.rate)) / (sick.speed - 1);
    case "restored":
      return from + sick.by / (sick.speed - 1);
    default:
      return to;
  }
}

/** The moment up to which an honest node has ingested the chain at `t`, before its own latency. */
export function viewAt({ sick, from, to }: Fault, t: number): number {
  switch (sick.sort) {
    case "cut":
    case "dead":
      return t < to ? from : Math.min(t, from + (t - to) * sick.speed);
    case "slow": {
      const behind = from + (Math.min(t, to) - from) * sick.rate;
      return t < to ? behind : Math.min(t, behind + (t - to) * sick.speed);
    }
    case "stale":
      return t - sick.by;
    case "restored":
      return Math.min(t, from - sick.by + (t - from) * sick.speed);
    default:
      return t;
  }
}

const LYING: ReadonlySet<Sickness["sort"]> = new Set([
  "frozen",
  "ahead",
  "back",
  "plausible",
  "changing",
  "other-times",
  "other-heights",
  "other-chain",
  "drifting",
]);

/** Whether it says what is not, or no longer, so. */
export function lies(sick: Sickness): boolean {
  return LYING.has(sick.sort) || (sick.sort === "balanced" && sick.over === "liar");
}

/** What a liar that changes does in its n-th stretch. */
export function changedTo(stretch: number): Sickness {
  const turns: readonly Sickness[] = [
    { sort: "plausible" },
    { sort: "frozen" },
    { sort: "ahead", by: 7000 },
    { sort: "back", by: 120_000, every: 60_000 },
    { sort: "other-times", by: 1500 },
    { sort: "ahead", by: 600_000 },
  ];
  return turns[(stretch * 5 + 1) % turns.length] ?? { sort: "plausible" };
}

/** Draws a liar of one of the five sorts. */
export function drawLiar(random: SeededRandom): Sickness {
  switch (Math.floor(random.next() * 5)) {
    case 0: {
      const but = random.next();
      return but < 0.5 ? { sort: "frozen" } : { sort: "frozen", but: but < 0.75 ? "time" : "height" };
    }
    case 1:
      return { sort: "ahead", by: logBetween(random, 2000, 3_600_000) };
    case 2:
      return { sort: "back", by: logBetween(random, 10_000, 3_600_000), every: logBetween(random, 20_000, 900_000) };
    case 3:
      return { sort: "plausible" };
    default:
      return { sort: "changing", every: logBetween(random, 30_000, 1_200_000) };
  }
}

/** Draws a contradiction. */
export function drawContradiction(random: SeededRandom): Sickness {
  const kind = random.next();
  if (kind < 0.4) return { sort: "other-times", by: -logBetween(random, 200, 8000) };
  if (kind < 0.55) return { sort: "other-chain", by: Math.round(random.between(-4e6, 4e6)), lag: 300 };
  if (kind < 0.75) return { sort: "other-heights", by: Math.round(random.between(-3000, 3000)) };
  return { sort: "drifting", rate: random.between(-0.05, 0.02) };
}

/** Each order of magnitude is as likely as the others. */
export function logBetween(random: SeededRandom, low: number, high: number): number {
  return low * (high / low) ** random.next();
}
