import { describe, expect, it } from "vitest";

import { DEFAULT_ALERTS_CONFIG as config } from "../../../../src/alerts/alerts-config.ts";
import type { GivenParameters } from "../../../../src/alerts/judge/kinds/kind.ts";
import { CONDITION_KINDS, needsThreshold } from "../../../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../../../src/alerts/judge/kinds/reading.ts";
import { judgeReading, ruleFor } from "../../../../src/alerts/judge/rules/rules.ts";
import { auction, price, stalled } from "../../readings.ts";

const OVER: Reading = { ...price("1"), state: "good", facts: {} } as Reading;
const common = { network: "mainnet", subject: "n", state: "good", seenBy: [], nodes: 1 } as const;

describe("a rule", () => {
  it.each(CONDITION_KINDS.filter((kind) => !needsThreshold(kind)))("of kind %s is called so by default", (kind) => {
    expect(ruleFor(kind, {}, config).id).toBe(kind);
  });

  it("is the same for the same thresholds, however they are written", () => {
    const id = (given: GivenParameters) => ruleFor("market.price", given, config).id;
    expect(id({ high: "1.50", low: "1" })).toBe("market.price{high=1.5,low=1}");
    expect(id({ low: "1.0", high: "1.5", when: "beyond" })).toBe(id({ high: "1.500", low: "1" }));
    expect(ruleFor("network.stalled", { for: 30_000 }, config).id).toBe("network.stalled");
    expect(ruleFor("network.stalled", { for: 60_000 }, config).id).toBe("network.stalled{for=60000}");
  });

  it.each<[Parameters<typeof ruleFor>[0], GivenParameters]>([
    ["market.price", {}],
    ["market.price", { low: "1", when: "within" }],
    ["market.price", { low: "2", high: "1" }],
    ["market.price", { low: "cheap" }],
    ["network.stalled", { four: 1 }],
    ["node.down", { rounds: 0 }],
    ["network.time-back", { for: 1 }],
  ])("of kind %s refuses %j with a sentence", (kind, given) => {
    expect(() => ruleFor(kind, given, config)).toThrow(
      expect.objectContaining({ name: "UserError", message: expect.stringContaining(kind) }),
    );
  });

  it.each<[Parameters<typeof ruleFor>[0], GivenParameters, RegExp, RegExp]>([
    ["network.stalled", { four: 1 }, /network\.stalled: \w/u, /\bfor\b.*\bcriticalFor\b/u],
    ["network.stalled", { for: "soon" }, /network\.stalled: for: \w/u, /\bfor\b.*\bcriticalFor\b/u],
    ["network.time-back", { for: 1 }, /network\.time-back: \w/u, /^network\.time-back (?!.*\bfor\b)/u],
  ])("of kind %s names the thresholds at fault in %j, and those it takes", (kind, given, message, remedy) => {
    const says = { message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) };
    expect(() => ruleFor(kind, given, config)).toThrow(expect.objectContaining(says));
  });

  it.each<[string, Parameters<typeof ruleFor>[0], GivenParameters, Reading, string]>([
    ["below the low price", "market.price", { low: "100", high: "200" }, price("99.99"), "bad"],
    ["at the low price", "market.price", { low: "100", high: "200" }, price("100.00"), "good"],
    ["beyond 2^53", "market.price", { high: "9007199254740993" }, price("9007199254740993.1"), "bad"],
    ["within the band", "market.price", { low: "1", high: "2", when: "within" }, price("1.5"), "bad"],
    ["outside the band", "market.price", { low: "1", high: "2", when: "within" }, price("2.5"), "good"],
    ["no price", "market.price", { low: "1" }, price(undefined), "unknown"],
    ["a market that is over", "market.price", { low: "1" }, OVER, "good"],
    ["one over, within", "market.price", { low: "1", high: "2", when: "within" }, OVER, "good"],
    ["bounds of one over", "market.bound", {}, { kind: "market.bound", ...common, facts: {} }, "good"],
    [
      "lagging by time",
      "node.lagging",
      {},
      { kind: "node.lagging", ...common, facts: { behindMillis: 60_001 } },
      "bad",
    ],
    ["by blocks", "node.lagging", {}, { kind: "node.lagging", ...common, facts: { behindBlocks: "101" } }, "bad"],
    ["not lagging", "node.lagging", {}, { kind: "node.lagging", ...common, facts: { behindMillis: 50_000 } }, "good"],
    [
      "lagging nearly",
      "node.lagging",
      {},
      { kind: "node.lagging", ...common, facts: { behindMillis: 60_000 } },
      "near",
    ],
    [
      "lagging nearly in blocks",
      "node.lagging",
      {},
      { kind: "node.lagging", ...common, facts: { behindBlocks: "84" } },
      "near",
    ],
    ["lag not known", "node.lagging", {}, { kind: "node.lagging", ...common, state: "unknown", facts: {} }, "unknown"],
    ["lag behind no other", "node.lagging", {}, { kind: "node.lagging", ...common, facts: {} }, "good"],
    [
      "clock nearly off",
      "network.clock",
      {},
      { kind: "network.clock", ...common, facts: { driftMillis: 25_001 } },
      "near",
    ],
    ["clock right", "network.clock", {}, { kind: "network.clock", ...common, facts: { driftMillis: -25_000 } }, "good"],
    ["clock behind", "network.clock", {}, { kind: "network.clock", ...common, facts: { driftMillis: -30_001 } }, "bad"],
    [
      "overdue by what is usual",
      "checkpoint.overdue",
      {},
      { kind: "checkpoint.overdue", ...common, facts: { sinceMillis: 900_001, usualMillis: 300_000 } },
      "bad",
    ],
    [
      "late, but not by three times what is usual",
      "checkpoint.overdue",
      {},
      { kind: "checkpoint.overdue", ...common, facts: { sinceMillis: 900_000, usualMillis: 300_000 } },
      "good",
    ],
    [
      "overdue, but not for five minutes",
      "checkpoint.overdue",
      {},
      { kind: "checkpoint.overdue", ...common, facts: { sinceMillis: 299_000, usualMillis: 1000 } },
      "good",
    ],
    [
      "near a bound",
      "market.bound",
      {},
      { kind: "market.bound", ...common, facts: { distancePercent: "1.00" } },
      "bad",
    ],
    ["in an auction", "market.auction", {}, auction("bad"), "bad"],
    ["another kind's reading", "market.auction", {}, stalled("bad"), "unknown"],
    ["unknown", "network.stalled", {}, stalled("unknown"), "unknown"],
  ])("judges %s", (_name, kind, given, reading, state) => {
    expect(judgeReading(ruleFor(kind, given, config), reading).state).toBe(state);
  });
});
