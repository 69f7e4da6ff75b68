import { describe, expect, it } from "vitest";

import { inhibitorOf } from "../../../src/alerts/engine/plan-open.ts";
import { quietUntil } from "../../../src/alerts/route/quiet-hours.ts";
import { route, type RoutingInput } from "../../../src/alerts/route/route.ts";
import { endAfter, silenceActiveUntil, Silence, silenceEnds } from "../../../src/alerts/route/silence.ts";
import { covers, Subscription } from "../../../src/alerts/route/subscription.ts";
import { anEpisode, aSubscription } from "../samples.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

const at = Date.UTC(2024, 5, 3, 12, 0);
const news: RoutingInput = { kind: "network.stalled", network: "mainnet", subject: "", severity: "warning" };
const silence = (scope: Silence["scope"], more: Partial<Silence> = {}): Silence => ({
  id: "s1",
  scope,
  from: at - 1000,
  until: at + 1000,
  by: "ada",
  created: at,
  ...more,
});

describe("whether a channel is notified", () => {
  const decide = (
    given: Partial<RoutingInput>,
    subscription = aSubscription(),
    silenced: Silence[] = [],
    when = at,
  ) => {
    const routed = route({ ...news, ...given }, subscription, silenced, when);
    return routed.notify ? "notified" : routed.by;
  };

  it("is decided by severity, silence, inhibition, quiet hours and flapping, in this order", () => {
    const night = aSubscription({ quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
    expect(decide({})).toBe("notified");
    expect(decide({}, aSubscription({ floor: "critical" }), [silence({})])).toBe("severity");
    expect(decide({ inhibitedBy: "e" }, night, [silence({})])).toBe("silence");
    expect(decide({ inhibitedBy: "e", flapping: true }, night)).toBe("inhibition");
    expect(decide({ flapping: true }, night)).toBe("quiet hours");
    expect(decide({ flapping: true })).toBe("flapping");
  });

  it("lets what is critical through quiet hours and flapping, but not through a silence", () => {
    const night = aSubscription({ quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
    expect(decide({ severity: "critical", flapping: true }, night)).toBe("notified");
    expect(decide({ severity: "critical", flapping: true, calmed: true }, night)).toBe("flapping");
    expect(decide({ severity: "critical" }, night, [silence({})])).toBe("silence");
  });

  it("mentions only for what is critical, and is quiet for what is not a warning", () => {
    const loud = aSubscription({ mention: "R1", floor: "info" });
    expect(route({ ...news, severity: "critical" }, loud, [], at)).toEqual({ notify: true, mention: "R1" });
    expect(route(news, loud, [], at)).toEqual({ notify: true });
    expect(route({ ...news, severity: "info" }, loud, [], at)).toEqual({ notify: true, quiet: true });
  });
});

describe("a silence", () => {
  const holds = (one: Silence, when = at, subscription = aSubscription()) =>
    !route(news, subscription, [one], when).notify;

  it.each<[Silence["scope"], boolean]>([
    [{}, true],
    [{ network: "mainnet", kind: "network.stalled", subject: "" }, true],
    [{ network: "testnet" }, false],
    [{ kind: "node.down" }, false],
    [{ subject: "m1" }, false],
    [{ destination: destinationKey(aSubscription().destination) }, true],
    [{ destination: "slack//other/" }, false],
  ])("of scope %j holds: %s", (scope, expected) => {
    expect(holds(silence(scope))).toBe(expected);
  });

  it("of all destinations holds for channels: a personal watch is silenced only by its own", () => {
    const own = aSubscription({ personal: true });
    expect(holds(silence({}), at, own)).toBe(false);
    expect(holds(silence({ network: "mainnet" }), at, own)).toBe(false);
    expect(holds(silence({ destination: destinationKey(own.destination) }), at, own)).toBe(true);
  });

  it("holds from its beginning until its end", () => {
    const one = silence({}, { from: at, until: at + 10 });
    expect([at - 1, at, at + 9, at + 10].map((when) => holds(one, when))).toEqual([false, true, true, false]);
  });

  it("comes again by the clock of its zone, over a change of summer time too, until it ends", () => {
    // Sundays 02:00 to 03:00 in Berlin; summer time ends on 27 October 2024.
    const weekly = silence(
      {},
      {
        from: Date.UTC(2024, 9, 20, 0, 0),
        until: Date.UTC(2024, 9, 20, 1, 0),
        recurrence: { every: "week", zone: "Europe/Berlin", until: Date.UTC(2024, 10, 5) },
      },
    );
    expect(holds(weekly, Date.UTC(2024, 9, 20, 0, 30))).toBe(true);
    expect(holds(weekly, Date.UTC(2024, 9, 21, 0, 30))).toBe(false);
    expect(holds(weekly, Date.UTC(2024, 10, 3, 1, 30))).toBe(true);
    expect(holds(weekly, Date.UTC(2024, 10, 3, 0, 30))).toBe(false);
    expect(holds(weekly, Date.UTC(2024, 10, 10, 1, 30))).toBe(false);
    expect(silenceEnds(weekly)).toBe(Date.UTC(2024, 10, 5));
    expect(silenceActiveUntil(weekly, Date.UTC(2024, 9, 20, 0, 30))).toBe(Date.UTC(2024, 9, 20, 1, 0));
    expect(silenceActiveUntil(weekly, Date.UTC(2024, 10, 3, 1, 30))).toBe(Date.UTC(2024, 10, 3, 2, 0));
  });
});

describe("a silence until alerts are over", () => {
  const minute = 60_000;
  const waiting = silence({}, { until: at + 30 * 86_400_000, untilOver: ["node.down|mainnet|a:1|3"] });

  it.each<[string, number, Partial<Silence>, number]>([
    ["10 min after they are", at + minute, {}, at + 11 * minute],
    ["at its latest end where that comes first", at + minute, { until: at + 5 * minute }, at + 5 * minute],
    ["after its beginning, however long ago they were", at - 60 * minute, {}, at - 999],
  ])("ends %s", (_when, over, more, until) => {
    const { untilOver: _, ...rest } = { ...waiting, ...more };
    expect(endAfter({ ...waiting, ...more }, over)).toEqual({ ...rest, until });
  });

  it("is read back as it was written, and holds until its latest end for whoever reads no such mark", () => {
    const stored = JSON.stringify(waiting);
    expect(Silence.parse(JSON.parse(stored))).toEqual(waiting);
    const { untilOver: _, ...older } = waiting;
    expect(Silence.omit({ untilOver: true }).parse(JSON.parse(stored))).toEqual(older);
    expect(Silence.parse(older)).toEqual(older);
    expect([silenceEnds(waiting), silenceActiveUntil(older, at)]).toEqual([waiting.until, waiting.until]);
  });
});

describe("quiet hours", () => {
  const berlin = { from: "22:00", to: "07:00", zone: "Europe/Berlin" };

  it("run over midnight, by the clock of their zone", () => {
    expect(quietUntil(berlin, Date.UTC(2024, 5, 3, 20, 0))).toBe(Date.UTC(2024, 5, 4, 5, 0));
    expect(quietUntil(berlin, Date.UTC(2024, 5, 4, 4, 59))).toBe(Date.UTC(2024, 5, 4, 5, 0));
    expect(quietUntil(berlin, Date.UTC(2024, 5, 4, 5, 0))).toBeUndefined();
    expect(quietUntil(berlin, Date.UTC(2024, 5, 3, 19, 59))).toBeUndefined();
  });

  it.each([
    ["an hour sooner in the night that lacks one", "07:00", "2024-03-30T21:00Z", "2024-03-31T05:00Z"],
    ["an hour later in the night that has one more", "07:00", "2024-10-26T20:00Z", "2024-10-27T06:00Z"],
    ["as ever once the clocks have changed", "07:00", "2024-10-27T01:00Z", "2024-10-27T06:00Z"],
    ["when a time that is skipped would have been", "02:30", "2024-03-30T21:00Z", "2024-03-31T01:30Z"],
  ])("end %s", (_when, to, now, end) => {
    expect(quietUntil({ ...berlin, to }, Date.parse(now))).toBe(Date.parse(end));
  });

  it("last all day when they begin and end at the same time", () => {
    expect(quietUntil({ from: "00:00", to: "00:00", zone: "UTC" }, at)).toBe(Date.UTC(2024, 5, 4));
  });
});

describe("inhibition", () => {
  const of = (id: string, kind: Parameters<typeof anEpisode>[0], subject = "", network = "mainnet") =>
    anEpisode(kind, { id, subject, network });

  it("is a stall for all that hangs on new blocks, and being down or not believed for the same node's lag", () => {
    const open = [of("stall", "network.stalled"), of("down", "node.down", "a:1")];
    expect(inhibitorOf(of("x", "checkpoint.overdue"), open)?.id).toBe("stall");
    for (const kind of ["market.auction", "market.price", "market.bound"] as const) {
      expect(inhibitorOf(of("x", kind, "m1"), open)?.id).toBe("stall");
    }
    expect(inhibitorOf(of("x", "node.lagging", "b:1"), open)?.id).toBe("stall");
    for (const kind of ["node.down", "node.lying"] as const) {
      expect(inhibitorOf(of("x", "node.lagging", "a:1"), [of("sick", kind, "a:1")])?.id).toBe("sick");
      expect(inhibitorOf(of("x", "node.lagging", "b:1"), [of("sick", kind, "a:1")])).toBeUndefined();
    }
    expect(inhibitorOf(of("x", "market.price", "m1", "testnet"), open)).toBeUndefined();
    expect(inhibitorOf(of("x", "network.clock"), open)).toBeUndefined();
    // What is over explains nothing any more.
    const over = anEpisode("network.stalled", { id: "over", subject: "", network: "mainnet", state: "resolved" });
    expect(inhibitorOf(of("x", "checkpoint.overdue"), [over])).toBeUndefined();
  });
});

describe("a subscription", () => {
  it("covers its subjects, and what is the network's own", () => {
    const one = aSubscription({ subjects: ["m1"] });
    const about = (subject: string, network = "mainnet") => covers(one, { network, subject });
    expect([about("m1"), about("m2"), about(""), about("m1", "testnet")]).toEqual([true, false, true, false]);
  });

  it("is read back from the store as it was written", () => {
    const one = aSubscription({ parameters: { "market.price": { low: "1" } }, personal: true });
    expect(Subscription.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });
});
