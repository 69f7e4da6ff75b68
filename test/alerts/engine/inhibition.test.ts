import { expect, it } from "vitest";

import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import { happening } from "../../../src/alerts/words/condition-words.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { auction, blind, down, price, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage } from "../stage.ts";

// A condition keeps back what follows from it, and the log says which one did.

const common = { network: "mainnet", subject: "", state: "bad", seenBy: ["a:1"], nodes: 3 } as const;
const disagree: Reading = {
  ...common,
  kind: "network.disagree",
  badForMillis: 60_000,
  facts: { advancing: ["a:1"], standing: ["b:1", "c:1"] },
};
const stall = stalled("bad", { badForMillis: 60_000 });
const lying: Reading = { ...common, kind: "node.lying", subject: "a:1", facts: {} };
const lagging = (node: string): Reading => ({
  ...common,
  kind: "node.lagging",
  subject: node,
  badForMillis: 60_000,
  facts: { behindMillis: 90_000 },
});
const overdue: Reading = {
  ...common,
  kind: "checkpoint.overdue",
  facts: { sinceMillis: 3_600_000, usualMillis: 60_000, lastBlock: "1" },
};
const snapshot: Reading = {
  ...common,
  kind: "snapshot.overdue",
  facts: { sinceMillis: 7_200_000, usualMillis: 900_000, lastBlock: "1" },
};
const refuses = (node: string): Reading => {
  return { ...common, kind: "node.refuses", subject: node, badForMillis: 300_000, facts: {} };
};
const slow = (node: string): Reading => ({ ...common, kind: "node.slow", subject: node, facts: {} });
const slowNetwork: Reading = { ...common, kind: "network.slow", facts: {} };
const bound: Reading = {
  ...common,
  kind: "market.bound",
  subject: "m1",
  facts: { price: "100", bound: "100", side: "upper", distancePercent: "0" },
};
const FOLLOW: readonly Reading[] = [overdue, auction("bad"), price("150"), bound, lagging("a:1"), lagging("b:1")];
const SERVICE: readonly Reading[] = [
  overdue,
  snapshot,
  refuses("a:1"),
  refuses("b:1"),
  slow("a:1"),
  slow("b:1"),
  slowNetwork,
];

it.each<[string, Reading, readonly Reading[], number]>([
  ["a stall: all that hangs on new blocks", stall, FOLLOW, 6],
  ["a disagreement: the same", disagree, FOLLOW, 6],
  ["a node that is down: its own lag", down("bad"), [lagging("a:1"), lagging("b:1")], 1],
  ["a node that is not believed: its own lag", lying, [lagging("a:1"), lagging("b:1")], 1],
  ["a stall: what serves badly", stall, SERVICE, 7],
  ["a disagreement: the same, too", disagree, SERVICE, 7],
  ["a node that is down: its own refusals and late answers", down("bad"), SERVICE, 2],
  ["a node that is not believed: none of them", lying, [overdue, refuses("a:1"), slow("a:1")], 0],
  ["an auction: nothing", auction("bad"), [price("150"), overdue, lagging("a:1")], 0],
])("kept back by %s", async (_by, cause, readings, kept) => {
  const it = await openStage();
  const kinds = [cause, ...readings].map(({ kind }) => kind);
  const parameters = { "market.price": { high: "100" }, "node.down": { rounds: 1 } };
  await it.engine.putSubscriptions([aSubscription({ kinds: [...new Set(kinds)], parameters })], "ada");
  const advance = cause === stall ? [] : [stalled("good")];
  await it.rounds(2, [blind("good"), stalled("good")]);
  // What is seen for the first time does not fire.
  await it.rounds(3, [blind("good"), ...advance, cause]);
  const [episode] = await it.engine.openEpisodes();
  expect(it.sender.take()).toHaveLength(1);
  await it.rounds(3, [blind("good"), ...advance, cause, ...readings]);
  await it.pass(3000);
  const told = [...it.sender.take(), ...it.sender.takeEdits()].length;
  const log = await it.engine.decisions({ limit: 100 });
  const suppressed = log.filter(({ what }) => what === "suppressed by inhibition");
  expect([suppressed.length, told]).toEqual([kept, readings.length - kept]);
  for (const { detail } of suppressed) expect(detail).toContain(plainText(happening(episode!)));
});

it("what nobody is subscribed to any more keeps nothing back from that moment on", async () => {
  const it = await openStage();
  const destination = { platform: "fake", channel: "desk" };
  const early = aSubscription({ kinds: ["node.down"], parameters: { "node.down": { rounds: 1 } } });
  await it.engine.putSubscriptions([early], "ada");
  await it.engine.putSubscriptions([aSubscription({ id: "desk", destination, kinds: ["node.lagging"] })], "ada");
  const healthy = { ...lagging("a:1"), state: "good", badForMillis: 0, facts: { behindMillis: 0 } } as Reading;
  await it.rounds(2, [blind("good"), stalled("good"), down("good"), healthy]);
  await it.rounds(1, [blind("good"), stalled("good"), down("bad"), lagging("a:1")]);
  expect(it.sender.take()).toEqual(["warning: node.down{rounds=1} of a:1 on mainnet"]);
  await it.engine.putSubscriptions([{ ...early, state: "removed" }], "ada");
  await it.clock.advance(0);
  expect(it.sender.take().filter((one) => one.startsWith("desk"))).toEqual([
    "desk: warning: node.lagging of a:1 on mainnet",
  ]);
});
