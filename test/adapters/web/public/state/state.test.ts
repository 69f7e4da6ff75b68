import { describe, expect, test } from "vitest";

import type { OpenAlert, WatchedNetwork } from "../../../../../src/adapters/web/alerts/watch.ts";
import {
  createPace,
  networkLines,
  networkPills,
  paceWords,
} from "../../../../../src/adapters/web/public/state/state.js";
import { faultOf } from "../../../../../src/adapters/web/public/vnode/vnode.js";
import { elementsOf, textsOf } from "../../print-tree.ts";

const NOW = 1_772_443_800_000;
const at = (millis: number): string => `${BigInt(NOW + millis)}000000`;
const verdict = (more: Partial<NonNullable<WatchedNetwork["verdict"]>> = {}) => ({
  state: "healthy" as const,
  why: "the network time advances",
  at: at(-2000),
  height: "175188841",
  time: at(-3000),
  ...more,
});
const network = (more: Partial<WatchedNetwork> = {}): WatchedNetwork => ({
  network: "mainnet",
  nodes: [
    { node: "a", state: "ok", vote: "moves" },
    { node: "b", state: "down", vote: "silent" },
  ],
  verdict: verdict(),
  stalled: { phase: "ok" },
  ...more,
});
function line(watched: WatchedNetwork, gone = false, open: readonly OpenAlert[] = []) {
  const [tree] = networkLines({ networks: [watched], open }, { now: NOW, gone, pace: () => 1.25 });
  if (tree === undefined) throw new Error("no line");
  expect(elementsOf(tree).flatMap((element) => faultOf(element) ?? [])).toEqual([]);
  return { tone: tree.attrs["data-tone"], said: textsOf(tree).join(" "), tree };
}

test("a line says the verdict, the height, its age, the pace and the nodes that answer", () => {
  const { said, tone } = line(network());
  expect(tone).toBe("warning");
  for (const part of ["mainnet", "175,188,841", "1 s old", "2 s ago", "1.3 blocks/s", "1 of 2 answer"]) {
    expect(said).toContain(part);
  }
});

test.each([
  ["healthy", "good"],
  ["contested", "warning"],
  ["unconfirmed", "warning"],
  ["syncing", "warning"],
  ["stalled", "bad"],
  ["blind", "warning"],
] as const)("%s has a tone, a shape and a word of its own, and says why unless all is well", (state, tone) => {
  const nodes = [{ node: "a:1", state: "ok", vote: "moves" }] as const;
  const shown = line(network({ nodes, verdict: verdict({ state, why: "no node answers" }) }));
  expect(shown.tone).toBe(tone);
  expect(elementsOf(shown.tree).filter(({ attrs }) => attrs["class"] === "shape")).toHaveLength(1);
  expect(shown.said.includes("No node answers")).toBe(state !== "healthy");
  const [pill] = networkPills({ networks: [network({ nodes, verdict: verdict({ state }) })] }, false);
  expect(pill?.attrs["data-tone"]).toBe(tone);
});

test.each([
  ["healthy", "1.3 blocks/s"],
  ["stalled", "no blocks"],
  ["blind", "–"],
] as const)("%s: the pace is %s, whatever came in the last half minute", (state, pace) => {
  const facts = elementsOf(line(network({ verdict: verdict({ state }) })).tree).filter(({ tag }) => tag === "dd");
  expect(facts.map((one) => textsOf(one).join(""))[2]).toBe(pace);
});

test("the words of the verdicts differ", () => {
  const states = ["healthy", "contested", "unconfirmed", "syncing", "stalled", "blind"] as const;
  const words = states.map((state) => {
    const tree = elementsOf(line(network({ verdict: verdict({ state }) })).tree);
    return textsOf(tree.find(({ attrs }) => attrs["class"] === "word") ?? "").join("");
  });
  expect(new Set(words).size).toBe(states.length);
});

test("the age of the last block is that of the look, as the verdict says it", () => {
  const { said } = line(network({ verdict: verdict({ at: at(-9000), time: at(-24_000) }) }));
  expect(said).toContain("15 s old");
  expect(said).not.toContain("24 s");
});

test("of a network that stands still the line has one span, as its alert counts it", () => {
  const why = "no block is seen";
  const seen = verdict({ state: "stalled", why, at: at(-2000), stillMillis: 123_000, time: at(-129_000) });
  const watched = network({ verdict: seen });
  expect(line(watched).said.match(/\d+ min(?: \d+ s)?/gu)).toEqual(["2 min 5 s"]);
  const alert = {
    kind: "network.stalled",
    network: watched.network,
    severity: "warning",
    began: at(-126_000),
  } as OpenAlert;
  expect(line(watched, false, [alert]).said.match(/\d+ min(?: \d+ s)?/gu)).toEqual(["2 min 6 s"]);
});

test("while nothing answers no network is said to be well", () => {
  const { said, tone } = line(network(), true);
  expect(tone).toBe("neutral");
  expect(said).not.toMatch(/healthy|running|blocks\/s|answer/iu);
  const [pill] = networkPills({ networks: [network()] }, true);
  expect(pill?.attrs["data-tone"]).toBe("neutral");
});

test("before the first look nothing is said to be known", () => {
  const { verdict: _, ...unseen } = network({ nodes: [] });
  const { said, tone } = line(unseen);
  expect(tone).toBe("neutral");
  expect(said).not.toMatch(/ago|\d of/u);
});

describe("the pace", () => {
  const looked = (...looks: readonly [millis: number, height: string][]): number | undefined => {
    const pace = createPace();
    for (const [millis, height] of looks) {
      pace.look([network({ verdict: verdict({ at: at(millis), height }) })]);
    }
    return pace.of("mainnet");
  };

  test("is known after two looks, and is that of the last half minute", () => {
    expect(looked([0, "100"])).toBeUndefined();
    expect(looked([0, "100"], [0, "100"])).toBeUndefined();
    expect(looked([0, "100"], [5000, "110"])).toBe(2);
    expect(looked([0, "0"], [20_000, "1000"], [40_000, "1010"])).toBe(0.5);
    expect(looked([0, "18446744073709551000"], [10_000, "18446744073709551010"])).toBe(1);
  });

  test("is none where no block comes", () => {
    expect(looked([0, "100"], [5000, "100"])).toBe(0);
  });

  test("is in blocks a second, slow ones a minute", () => {
    expect([paceWords(2.04), paceWords(0.05), paceWords(0)]).toEqual(["2.0 blocks/s", "3.0 blocks/min", "no blocks"]);
  });
});
