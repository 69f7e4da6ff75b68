import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type AlertsConfig, parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import type { Reading } from "../../../src/alerts/kinds/reading.ts";
import { type Episode, freshMachine, isOpen, type Machine } from "../../../src/alerts/rules/episode.ts";
import { judgeReading, type Rule, ruleFor, timingOf } from "../../../src/alerts/rules/rules.ts";
import { endFlapping, step } from "../../../src/alerts/rules/state-machine.ts";
import { fromMillis } from "../../../src/units/nanoseconds.ts";
import { down, stalled } from "../readings.ts";

const config = parseAlertsConfig("{}");
const START = 1_700_000_000_000;

/** One machine in virtual time: rounds of `everyMillis`, restarts as told. */
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
  const told: string[] = [];

  const look = (state: Reading["state"], badForMillis?: number): void => {
    const shown = { ...reading(state), ...(badForMillis === undefined ? {} : { badForMillis }) };
    const round = {
      judgement: judgeReading(rule, shown),
      reading: shown,
      timing: timingOf(rule, everyMillis),
      config: given,
      at: fromMillis(millis),
      elapsedMillis: met ? everyMillis : 0,
      ...(downtimeMillis === undefined ? {} : { downtimeMillis }),
    };
    const next = step(machine, episode !== undefined && isOpen(episode) ? episode : undefined, round);
    machine = next.machine;
    episode = next.episode ?? episode;
    for (const change of next.changes) told.push(`${change} ${(millis - START) / 1000}`);
    millis += everyMillis;
    // As for the engine: a process meets a machine by its first look that can tell.
    if (state !== "unknown") downtimeMillis = undefined;
    met = true;
  };
  return {
    told,
    look(states: string) {
      for (const one of states.replaceAll(" ", "")) look(one === "g" ? "good" : one === "b" ? "bad" : "unknown");
      return this;
    },
    badFor(badForMillis: number) {
      look("bad", badForMillis);
      return this;
    },
    restart(away: number) {
      millis += away;
      downtimeMillis = away;
      met = false;
      return this;
    },
    calm: () => endFlapping(machine, fromMillis(millis), given) !== undefined,
    machine: () => machine,
    episode: () => episode,
  };
}

const stall = () => run(ruleFor("network.stalled", {}, config), (state) => stalled(state));
const node = () => run(ruleFor("node.down", {}, config), (state) => down(state));

describe("an alert's state", () => {
  it("fires once it was bad for long enough, and resolves after two good rounds and 15 s", () => {
    const { told } = stall().look("g bbbbbbb ggggg");
    expect(told).toEqual(["pending 5", "fired 35", "recovering 40", "resolved 55"]);
  });

  it("resolves after as many good rounds as are asked for, however soon that is", () => {
    const slow = parseAlertsConfig('{"keep": {"rounds": 4, "for": "1ms"}}');
    const one = run(ruleFor("node.down", {}, slow), (state) => down(state), 5000, slow).look("bbb gggg");
    expect(one.told).toEqual(["pending 0", "fired 10", "recovering 15", "resolved 30"]);
  });

  it("says nothing of what passes", () => {
    expect(
      stall()
        .look("g bbb g bbb g")
        .told.filter((one) => one.startsWith("fired")),
    ).toEqual([]);
  });

  it("freezes while blind: no time counts, nothing fires, nothing resolves", () => {
    const blind = "?".repeat(100);
    expect(stall().look(`bbb${blind}bbb`).told).toEqual(["pending 0"]);
    expect(stall().look(`bbbbbbb${blind}`).told).toEqual(["pending 0", "fired 30"]);
    const recovering = stall().look(`bbbbbbb gg ${blind}`);
    expect(recovering.told).toEqual(["pending 0", "fired 30", "recovering 35"]);
    expect(recovering.look("g").told).toHaveLength(3);
    expect(recovering.look("gg").told.at(-1)).toMatch(/^resolved/u);
  });

  it("takes a relapse for the same episode", () => {
    const one = stall().look("bbbbbbb gg b ggggg");
    expect(one.told.map((change) => change.split(" ")[0])).toEqual([
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
    const one = stall().look("b".repeat(60));
    expect(one.told).toEqual(["pending 0", "fired 30", "escalated 180"]);
    expect(one.episode()).toMatchObject({ severity: "critical", state: "firing" });
    // What was good in between is no time in which it was bad.
    expect(stall().look(`bbbbbbb ${"gb".repeat(60)}`).told).not.toContainEqual(expect.stringContaining("escalated"));
  });

  it("counts the time that the watcher itself has measured", () => {
    const one = stall().look("g").badFor(29_999).badFor(34_999);
    expect(one.told).toEqual(["pending 5", "fired 10"]);
    expect(one.episode()?.began).toBe(String(fromMillis(START + 5000 - 29_999)));
  });

  it("counts rounds in a row where rounds are the rule", () => {
    expect(node().look("bb g bb g").told).not.toContainEqual(expect.stringContaining("fired"));
    expect(node().look("bbb").told).toEqual(["pending 0", "fired 10"]);
    expect(node().look("b?b?b").told).toEqual(["pending 0", "fired 20"]);
  });

  it("never fires, escalates nor resolves by the first observation of a process", () => {
    expect(stall().restart(0).badFor(1_000_000).told).toEqual(["pending 0"]);
    expect(node().look("bb").restart(1).look("b").told).toEqual(["pending 0"]);
    const firing = stall().look("bbbbbbb").restart(1).badFor(1_000_000);
    expect(firing.told).toEqual(["pending 0", "fired 30"]);
    expect(firing.badFor(1_005_000).told.at(-1)).toMatch(/^escalated/u);
    const recovering = stall().look("bbbbbbb ggg").restart(3_600_000).look("g");
    expect(recovering.told).toEqual(["pending 0", "fired 30", "recovering 35"]);
    // What was good before nobody looked does not count towards the recovery.
    expect(recovering.look("gg").told.at(-1)).toBe("recovering 35");
    expect(recovering.look("g").told.at(-1)).toMatch(/^resolved/u);
  });

  it("goes on after a short downtime as if it had not been, and begins again after a long one", () => {
    expect(stall().look("bbbb").restart(30_000).look("bbbb").told).toEqual(["pending 0", "fired 65"]);
    const long = stall().look("bbbb").restart(30_001).look("bbbb");
    expect(long.told).toEqual(["pending 0"]);
    expect(long.look("bbb").told.at(-1)).toMatch(/^fired/u);
  });

  it("keeps when it began over a restart, and says where that is only known as then or earlier", () => {
    const begun = (one: ReturnType<typeof node>) => {
      const { began, beganBefore } = one.episode() ?? {};
      return [(Number(BigInt(began ?? 0) / 1_000_000n) - START) / 1000, beganBefore];
    };
    expect(begun(node().look("g bbb"))).toEqual([5, undefined]);
    expect(begun(node().look("g b").restart(10_000).look("bb"))).toEqual([5, undefined]);
    expect(begun(node().look("g bbb").restart(3_600_000).look("bb"))).toEqual([5, undefined]);
    // Nobody looked when it began.
    expect(begun(node().look("g").restart(10_000).look("bbb"))).toEqual([15, true]);
    expect(begun(node().look("g b").restart(3_600_000).look("bbb"))).toEqual([3610, true]);
    expect(begun(node().look("g ? bbb"))).toEqual([10, true]);
    // Once it is over, the next one is another.
    expect(begun(node().restart(0).look("bbb ggggg bbb"))).toEqual([40, undefined]);
  });

  it("believes a watcher that knows better when it began", () => {
    const since = String(fromMillis(START - 40_000));
    const one = run(ruleFor("network.stalled", {}, config), (state) => ({
      ...stalled(state),
      ...(state === "bad" ? { since } : {}),
    }));
    one.look("g").restart(60_000).look("bbbbbbb");
    expect(one.episode()).toMatchObject({ began: since, detected: String(fromMillis(START + 95_000)) });
    expect(one.episode()).not.toHaveProperty("beganBefore");
  });

  it("numbers its episodes, and finds out when it flaps and when it is calm again", () => {
    const one = stall();
    for (let time = 0; time < 4; time += 1) one.look("bbbbbbb gggg");
    expect(one.told.filter((change) => change.startsWith("flapping"))).toEqual(["flapping 195"]);
    expect(one.episode()?.id).toBe("network.stalled|mainnet||4");
    expect(one.calm()).toBe(false);
    one.look("g".repeat(358));
    expect(one.calm()).toBe(false);
    one.look("gg");
    expect(one.calm()).toBe(true);
  });

  it("does not flap where its episodes are far apart", () => {
    const one = node();
    for (let episode = 0; episode < 8; episode += 1) one.look(`bbb${"g".repeat(117)}`);
    expect(one.machine().number).toBe(8);
    expect(one.told).not.toContainEqual(expect.stringContaining("flapping"));
    // The fourth within half an hour does.
    for (let episode = 0; episode < 3; episode += 1) one.look(`bbb${"g".repeat(17)}`);
    expect(one.told.filter((change) => change.startsWith("flapping"))).toHaveLength(1);
  });

  it("is not called calm for what was not observed: blind, down, or between", () => {
    const one = stall();
    for (let time = 0; time < 4; time += 1) one.look("bbbbbbb gggg");
    one.look("?".repeat(400)).look("g");
    expect(one.calm()).toBe(false);
    one.restart(1_800_000).look("?".repeat(5)).look("g");
    expect(one.calm()).toBe(false);
    one.look("g".repeat(356));
    expect(one.calm()).toBe(false);
    one.look("gg");
    expect(one.calm()).toBe(true);
  });

  it("never skips a state, whatever comes", () => {
    const follows: Record<string, string[]> = {
      pending: ["start", "dismissed", "resolved"],
      dismissed: ["pending"],
      fired: ["pending"],
      escalated: ["fired", "recovering", "relapsed"],
      recovering: ["fired", "relapsed", "escalated"],
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
          const before = part === "?" ? one.told.length : undefined;
          if (typeof part === "number") one.restart(part);
          else one.look(part);
          // A blind look changes nothing at all.
          expect(before ?? one.told.length).toBe(one.told.length);
        }
        const names = one.told.map((change) => change.split(" ")[0]!).filter((name) => name !== "flapping");
        for (const [index, name] of names.entries()) expect(follows[name]).toContain(names[index - 1] ?? "start");
      }),
    );
  });
});
