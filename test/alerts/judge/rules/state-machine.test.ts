import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type AlertsConfig, parseAlertsConfig } from "../../../../src/alerts/alerts-config.ts";
import type { Reading } from "../../../../src/alerts/judge/kinds/reading.ts";
import { type Episode, freshMachine, isOpen, type Machine } from "../../../../src/alerts/judge/rules/episode.ts";
import { judgeReading, type Rule, ruleFor, timingOf } from "../../../../src/alerts/judge/rules/rules.ts";
import { endFlapping, isCalmed, step } from "../../../../src/alerts/judge/rules/state-machine.ts";
import { lengthWords } from "../../../../src/alerts/words/phrases.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { down, stalled } from "../../readings.ts";

const config = parseAlertsConfig("{}");
const START = 1_700_000_000_000;

/** One machine in virtual time: rounds of `everyMillis`, and restarts. */
function run(
  rule: Rule,
  reading: (state: Reading["state"]) => Reading,
  everyMillis = 5000,
  given: AlertsConfig = config,
) {
  let machine: Machine = freshMachine({ rule: rule.id, kind: rule.kind, network: "mainnet", subject: "" });
  let episode: Episode | undefined;
  let millis = START;
  let downtimeMillis: number | undefined;
  let met = true;
  const changes: string[] = [];

  const observe = (state: Reading["state"], badForMillis?: number): void => {
    const shown = { ...reading(state), ...(badForMillis === undefined ? {} : { badForMillis }) };
    const round = {
      judgement: judgeReading(rule, shown),
      reading: shown,
      timing: timingOf(rule, everyMillis),
      config: given,
      at: fromMillis(millis),
      elapsedMillis: met ? everyMillis : 0,
      previous: undefined,
      downtimeMillis,
    };
    const next = step(machine, episode !== undefined && isOpen(episode) ? episode : undefined, round);
    machine = next.machine;
    episode = next.episode ?? episode;
    for (const change of next.changes) changes.push(`${change} ${(millis - START) / 1000}`);
    millis += everyMillis;
    // As in the engine: a process meets a machine with its first known reading.
    if (state !== "unknown") downtimeMillis = undefined;
    met = true;
  };
  return {
    changes,
    observe(states: string) {
      for (const one of states.replaceAll(" ", "")) observe(one === "g" ? "good" : one === "b" ? "bad" : "unknown");
      return this;
    },
    badFor(badForMillis: number) {
      observe("bad", badForMillis);
      return this;
    },
    restart(away: number) {
      millis += away;
      downtimeMillis = away;
      met = false;
      return this;
    },
    /** The wall clock jumps, or is set right. */
    jump(byMillis: number) {
      millis += byMillis;
      return this;
    },
    calm: () => endFlapping(machine, fromMillis(millis), given) !== undefined,
    machine: () => machine,
    episode: () => episode,
  };
}

const stall = () => run(ruleFor("network.stalled", {}, config), (state) => stalled(state));
const node = () => run(ruleFor("node.down", {}, config), (state) => down(state));

describe("a clock that was wrong", () => {
  it.each([
    ["ahead", 4_140_000],
    ["behind", -4_140_000],
  ])("%s lasted as long as it was seen to be so", (_name, off) => {
    let drift = 0;
    const clock = run(ruleFor("network.clock", {}, config), (state) => {
      const common = { kind: "network.clock", network: "mainnet", subject: "", seenBy: [], nodes: 3 } as const;
      return { ...common, state, facts: { driftMillis: drift } };
    }).observe("gg");
    drift = off;
    clock.jump(off).observe("bbbbbbbbbbbb");
    drift = 0;
    clock.jump(-off).observe("ggggg");
    const episode = clock.episode();
    expect(episode?.state).toBe("resolved");
    expect(lengthWords(episode!, 0)).toBe("1 min");
  });

  it("of the network lasted as the bot's clock says", () => {
    let drift = -4_140_000;
    const clock = run(ruleFor("network.clock", {}, config), (state) => {
      const common = { kind: "network.clock", network: "mainnet", subject: "", seenBy: [], nodes: 3 } as const;
      return { ...common, state, facts: { driftMillis: drift } };
    }).observe("bbbbbbbbbbbb");
    drift = 0;
    expect(lengthWords(clock.observe("ggggg").episode()!, 0)).toBe("1 min");
  });
});

describe("what comes near its threshold again and again", () => {
  const lag = (...behind: readonly (number | undefined)[]) => {
    let millis: number | undefined;
    const common = { kind: "node.lagging", network: "mainnet", subject: "a", seenBy: [], nodes: 3 } as const;
    const node = run(ruleFor("node.lagging", {}, config), (state) => {
      return { ...common, state, facts: millis === undefined ? {} : { behindMillis: millis } };
    });
    for (const one of behind) {
      millis = one;
      node.observe("b");
    }
    return node.changes;
  };

  it("is as long as it is not below it, and fires only beyond it", () => {
    expect(lag(0, 61_000, 59_000, 59_000, 61_000, 58_000, 58_000, 58_000, 58_000, 61_000)).toEqual([
      "pending 5",
      "fired 45",
    ]);
    expect(lag(0, 61_000, 59_000, 59_000, 45_000, 61_000, 58_000, 58_000)).toEqual([
      "pending 5",
      "dismissed 20",
      "pending 25",
    ]);
  });

  it("does not last while it is not seen", () => {
    const [unseen, near] = [undefined, 59_000];
    expect(lag(0, 61_000, unseen, unseen, unseen, unseen, unseen, unseen, near, 61_000)).toEqual(["pending 5"]);
  });
});

describe("an alert's state", () => {
  it("fires once it was bad for long enough, and resolves after two good rounds and 15 s", () => {
    const { changes } = stall().observe("g bbbbbbb ggggg");
    expect(changes).toEqual(["pending 5", "fired 35", "recovering 40", "resolved 55"]);
  });

  it("resolves after as many good rounds as are asked for, however soon that is", () => {
    const slow = parseAlertsConfig('{"keep": {"rounds": 4, "for": "1ms"}}');
    const one = run(ruleFor("node.down", {}, slow), (state) => down(state), 5000, slow).observe("bbb gggg");
    expect(one.changes).toEqual(["pending 0", "fired 10", "recovering 15", "resolved 30"]);
  });

  it("says nothing of what passes", () => {
    expect(
      stall()
        .observe("g bbb g bbb g")
        .changes.filter((one) => one.startsWith("fired")),
    ).toEqual([]);
  });

  it("freezes while blind: no time counts, nothing fires, nothing resolves", () => {
    const blind = "?".repeat(100);
    expect(stall().observe(`bbb${blind}bbb`).changes).toEqual(["pending 0"]);
    expect(stall().observe(`bbbbbbb${blind}`).changes).toEqual(["pending 0", "fired 30"]);
    const recovering = stall().observe(`bbbbbbb gg ${blind}`);
    expect(recovering.changes).toEqual(["pending 0", "fired 30", "recovering 35"]);
    expect(recovering.observe("g").changes).toHaveLength(3);
    expect(recovering.observe("gg").changes.at(-1)).toMatch(/^resolved/u);
  });

  it("takes a relapse for the same episode", () => {
    const one = stall().observe("bbbbbbb gg b ggggg");
    expect(one.changes.map((change) => change.split(" ")[0])).toEqual([
      "pending",
      "fired",
      "recovering",
      "relapsed",
      "recovering",
      "resolved",
    ]);
    expect(one.episode()?.number).toBe(1);
  });

  it("escalates once what lasts is critical", () => {
    const one = stall().observe("b".repeat(60));
    expect(one.changes).toEqual(["pending 0", "fired 30", "escalated 180"]);
    expect(one.episode()).toMatchObject({ severity: "critical", state: "firing" });
    // What was good in between is no time in which it was bad.
    expect(stall().observe(`bbbbbbb ${"gb".repeat(60)}`).changes).not.toContainEqual(
      expect.stringContaining("escalated"),
    );
  });

  it("counts the time that the watcher itself has measured", () => {
    const one = stall().observe("g").badFor(29_999).badFor(34_999);
    expect(one.changes).toEqual(["pending 5", "fired 10"]);
    expect(one.episode()?.began).toBe(String(fromMillis(START + 5000 - 29_999)));
  });

  it("counts rounds in a row where rounds are the rule", () => {
    expect(node().observe("bb g bb g").changes).not.toContainEqual(expect.stringContaining("fired"));
    expect(node().observe("bbb").changes).toEqual(["pending 0", "fired 10"]);
    expect(node().observe("b?b?b").changes).toEqual(["pending 0", "fired 20"]);
  });

  it("starts counting rounds again when more went unseen than it counts", () => {
    expect(node().observe("bb???b").changes).toEqual(["pending 0", "fired 25"]);
    expect(node().observe("bb????b").changes).toEqual(["pending 0", "dismissed 25", "pending 30"]);
    expect(node().observe("bb???b? g bb???").changes).not.toContainEqual(expect.stringContaining("dismissed 60"));
    // Time that was held is no count.
    expect(stall().observe("bbb????bbbbb").changes).toEqual(["pending 0", "fired 55"]);
  });

  it("never fires, escalates nor resolves by the first observation of a process", () => {
    expect(stall().restart(0).badFor(1_000_000).changes).toEqual(["pending 0"]);
    expect(node().observe("bb").restart(1).observe("b").changes).toEqual(["pending 0"]);
    const firing = stall().observe("bbbbbbb").restart(1).badFor(1_000_000);
    expect(firing.changes).toEqual(["pending 0", "fired 30"]);
    expect(firing.badFor(1_005_000).changes.at(-1)).toMatch(/^escalated/u);
    const recovering = stall().observe("bbbbbbb ggg").restart(3_600_000).observe("g");
    expect(recovering.changes).toEqual(["pending 0", "fired 30", "recovering 35"]);
    // Good readings before a blind time do not count towards the recovery.
    expect(recovering.observe("gg").changes.at(-1)).toBe("recovering 35");
    expect(recovering.observe("g").changes.at(-1)).toMatch(/^resolved/u);
  });

  it("goes on after a short downtime as if it had not been, and begins again after a long one", () => {
    expect(stall().observe("bbbb").restart(30_000).observe("bbbb").changes).toEqual(["pending 0", "fired 65"]);
    const long = stall().observe("bbbb").restart(30_001).observe("bbbb");
    expect(long.changes).toEqual(["pending 0"]);
    expect(long.observe("bbb").changes.at(-1)).toMatch(/^fired/u);
  });

  it("keeps when it began over a restart, and says where that is only known as then or earlier", () => {
    const begun = (one: ReturnType<typeof node>) => {
      const { began, beganBefore } = one.episode() ?? {};
      return [(Number(BigInt(began ?? 0) / 1_000_000n) - START) / 1000, beganBefore];
    };
    expect(begun(node().observe("g bbb"))).toEqual([5, undefined]);
    expect(begun(node().observe("g b").restart(10_000).observe("bb"))).toEqual([5, undefined]);
    expect(begun(node().observe("g bbb").restart(3_600_000).observe("bb"))).toEqual([5, undefined]);
    // It was not observed when it began.
    expect(begun(node().observe("g").restart(10_000).observe("bbb"))).toEqual([15, true]);
    expect(begun(node().observe("g b").restart(3_600_000).observe("bbb"))).toEqual([3610, true]);
    expect(begun(node().observe("g ? bbb"))).toEqual([10, true]);
    // Once it is over, the next one is another.
    expect(begun(node().restart(0).observe("bbb ggggg bbb"))).toEqual([40, undefined]);
  });

  it("believes a watcher that knows better when it began", () => {
    const since = String(fromMillis(START - 40_000));
    const one = run(ruleFor("network.stalled", {}, config), (state) => ({
      ...stalled(state),
      ...(state === "bad" ? { since } : {}),
    }));
    one.observe("g").restart(60_000).observe("b");
    expect(one.machine()).toMatchObject({ phase: "pending", began: since });
    expect(one.machine()).not.toHaveProperty("beganBefore");
    one.observe("bbbbbb");
    expect(one.episode()).toMatchObject({ began: since, detected: String(fromMillis(START + 95_000)) });
    expect(one.episode()).not.toHaveProperty("beganBefore");
  });

  it.each([
    ["not before now", 0, undefined],
    ["in the future, which is ignored", 1, true],
  ])("believes a first observation by a watcher that says it began %s", (_what, millis, beganBefore) => {
    const since = String(fromMillis(START + millis));
    const one = run(ruleFor("network.stalled", {}, config), (state) => ({ ...stalled(state), since }));
    const { began, ...rest } = one.restart(0).observe("b").machine();
    expect([began, rest.beganBefore]).toEqual([String(fromMillis(START)), beganBefore]);
  });

  it("numbers its episodes, and finds out when it flaps and when it is calm again", () => {
    const one = stall();
    for (let time = 0; time < 4; time += 1) one.observe("bbbbbbb gggg");
    expect(one.changes.filter((change) => change.startsWith("flapping"))).toEqual(["flapping 195"]);
    expect(one.episode()?.id).toBe("network.stalled|mainnet||4");
    expect(one.calm()).toBe(false);
    one.observe("g".repeat(358));
    expect(one.calm()).toBe(false);
    one.observe("gg");
    expect(one.calm()).toBe(true);
  });

  it("does not flap where its episodes are far apart", () => {
    const one = node();
    for (let episode = 0; episode < 8; episode += 1) one.observe(`bbb${"g".repeat(117)}`);
    expect(one.machine().number).toBe(8);
    expect(one.changes).not.toContainEqual(expect.stringContaining("flapping"));
    // The fourth within half an hour does.
    for (let episode = 0; episode < 3; episode += 1) one.observe(`bbb${"g".repeat(17)}`);
    expect(one.changes.filter((change) => change.startsWith("flapping"))).toHaveLength(1);
  });

  it("is not called calm for what was not observed: blind, down, or between", () => {
    const one = stall();
    for (let time = 0; time < 4; time += 1) one.observe("bbbbbbb gggg");
    one.observe("?".repeat(400)).observe("g");
    expect(one.calm()).toBe(false);
    one.restart(1_800_000).observe("?".repeat(5)).observe("g");
    expect(one.calm()).toBe(false);
    one.observe("g".repeat(356));
    expect(one.calm()).toBe(false);
    one.observe("gg");
    expect(one.calm()).toBe(true);
  });

  it.each([
    ["the first two are told", [50, 50], [false, false], [50, 50], []],
    ["the third of equal length is not", [50, 50, 50, 53], [false, false, true, true], [50, 50, 50, 50], []],
    [
      "a longer one is, and is the measure from then on",
      [50, 50, 60, 60],
      [false, false, false, true],
      [50, 50, 60, 60],
      [1],
    ],
    [
      "what never was critical counts for nothing",
      [50, 20, 20, 50],
      [false, false, false, false],
      [50, 50, 50, 50],
      [],
    ],
  ] as const)("of what becomes critical time and again, %s", (_what, lengths, calmed, longest, outlasted) => {
    const one = stall();
    const seen = lengths.map((rounds) => {
      one.observe("b".repeat(rounds));
      const isKept = isCalmed(one.machine());
      one.observe("g".repeat(6));
      return [isKept, (one.machine().critical?.longestMillis ?? 0) / 5000 + 1];
    });
    expect(seen).toEqual(calmed.map((kept, index) => [kept, longest[index]]));
    expect(one.changes.filter((change) => change.startsWith("outlasted"))).toHaveLength(outlasted.length);
    expect(one.machine().flapping !== undefined).toBe(lengths.length > 2);
  });

  it("tells what is critical again once none was for the time of flapping", () => {
    const one = stall().observe("b".repeat(50)).observe("g".repeat(6)).observe("b".repeat(50)).observe("g".repeat(366));
    expect(isCalmed(one.observe("b".repeat(50)).machine())).toBe(false);
    expect(one.machine().flapping).toBeUndefined();
  });

  it("never skips a state, whatever comes", () => {
    const follows: Record<string, string[]> = {
      pending: ["start", "dismissed", "resolved"],
      dismissed: ["pending"],
      fired: ["pending"],
      escalated: ["fired", "recovering", "relapsed"],
      outlasted: ["fired", "recovering", "relapsed", "escalated"],
      recovering: ["fired", "relapsed", "escalated", "outlasted"],
      relapsed: ["recovering"],
      resolved: ["recovering"],
    };
    const script = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom("b", "g", "?", "bbbb", "gggg") },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(script, (parts) => {
        const one = stall();
        for (const part of parts) {
          const before = part === "?" ? one.changes.length : undefined;
          if (typeof part === "number") one.restart(part);
          else one.observe(part);
          // A blind observation changes nothing at all.
          expect(before ?? one.changes.length).toBe(one.changes.length);
        }
        const names = one.changes.map((change) => change.split(" ")[0]!).filter((name) => name !== "flapping");
        for (const [index, name] of names.entries()) expect(follows[name]).toContain(names[index - 1] ?? "start");
      }),
    );
  });
});
