import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DEFAULT_ALERTS_CONFIG, parseAlertsConfig } from "../../src/alerts/alerts-config.ts";
import { saying } from "../support/said.ts";

describe("the alerts' configuration", () => {
  it("has the defaults of the documentation", () => {
    expect(DEFAULT_ALERTS_CONFIG).toEqual({
      poll: { time: 5000, checkpoints: 15_000, rest: 60_000 },
      stalled: { for: 30_000, criticalFor: 180_000 },
      lagging: { behind: 60_000, blocks: 100, for: 30_000 },
      down: { rounds: 3 },
      blind: { rounds: 3 },
      refuses: { for: 300_000 },
      slow: { roundTrip: 2000, within: 600_000 },
      pace: { below: 0.2, within: 600_000 },
      overdue: { factor: 3, atLeast: 300_000 },
      clock: { drift: 30_000, for: 30_000 },
      keep: { rounds: 2, for: 15_000 },
      group: { within: 5000 },
      flap: { episodes: 3, within: 1_800_000 },
      remind: { every: 1_800_000, times: 4 },
      kinds: {},
    });
  });

  it("takes over what a file says, down to a millisecond, and leaves the rest", () => {
    const config = parseAlertsConfig('{"poll": {"time": "1ms"}, "stalled": {"criticalFor": "1h30m"}}');
    expect(config.poll).toEqual({ time: 1, checkpoints: 15_000, rest: 60_000 });
    expect(config.stalled).toEqual({ for: 30_000, criticalFor: 5_400_000 });
    expect(config.keep).toEqual(DEFAULT_ALERTS_CONFIG.keep);
  });

  it.each([
    ['{"poll": {"time": "0s"}}', saying("poll.time", "1ms")],
    ['{"poll": {"time": 5}}', "poll.time"],
    ['{"poll": {"tiem": "5s"}}', "tiem"],
    ['{"stall": {}}', "stall"],
    ['{"down": {"rounds": 0}}', "down.rounds"],
    ['{"blind": {"rounds": 1.5}}', "blind.rounds"],
    ['{"overdue": {"factor": 0}}', "overdue.factor"],
    ['{"remind": {"times": -1}}', "remind.times"],
    ['{"stalled": {"for": null}}', "stalled.for"],
    ["[]", "the whole"],
    ["{", "is not JSON"],
  ])("refuses %s in one sentence", (json, words) => {
    expect(() => parseAlertsConfig(json)).toThrow(words);
  });

  it.each([
    ['{"stalled": {"for": "200s"}}', saying("stalled.for", "stalled.criticalFor", "3 min 20 s", "3 min")],
    ['{"stalled": {"criticalFor": "29s"}}', saying("stalled.criticalFor", "30 s", "29 s")],
    ['{"flap": {"within": "15s"}}', saying("flap.within", "keep.for", "15 s", "15 s")],
    ['{"keep": {"for": "1h"}}', saying("flap.within", "keep.for", "30 min", "1 h")],
    ['{"remind": {"every": "0s"}}', saying("remind.every", "1ms")],
  ])("refuses %s, which contradicts itself or the defaults, and names both", (json, words) => {
    expect(() => parseAlertsConfig(json)).toThrow(words);
  });

  it("takes settings that are just possible", () => {
    const json =
      '{"stalled": {"for": "10s", "criticalFor": "10s"}, "keep": {"for": "1s"}, "flap": {"within": "1001ms"}}';
    expect(parseAlertsConfig(json)).toMatchObject({ stalled: { for: 10_000, criticalFor: 10_000 } });
  });

  it("names every contradiction at once", () => {
    expect(() => parseAlertsConfig('{"stalled": {"for": "1h"}, "flap": {"within": "1s"}}')).toThrow(
      /stalled\.for.*criticalFor.*flap\.within.*keep\.for/u,
    );
  });

  it("may be written out whole", () => {
    const written =
      '{"poll": {"time": "5s", "checkpoints": "15s", "rest": "60s"}, "stalled": {"for": "30s", "criticalFor": "180s"}, ' +
      '"lagging": {"behind": "60s", "blocks": 100, "for": "30s"}, "down": {"rounds": 3}, "blind": {"rounds": 3}, ' +
      '"overdue": {"factor": 3, "atLeast": "5m"}, "clock": {"drift": "30s", "for": "30s"}, ' +
      '"keep": {"rounds": 2, "for": "15s"}, "flap": {"episodes": 3, "within": "30m"}, "remind": {"every": "30m", "times": 4}}';
    expect(parseAlertsConfig(written)).toEqual(DEFAULT_ALERTS_CONFIG);
  });

  it("knows no key but these, in no group", () => {
    for (const group of Object.keys(DEFAULT_ALERTS_CONFIG)) {
      expect(() => parseAlertsConfig(JSON.stringify({ [group]: { other: 1 } }))).toThrow(
        new RegExp(String.raw`\b${group}(?:\.other)?: `, "u"),
      );
    }
  });

  it("names every fault at once", () => {
    expect(() => parseAlertsConfig('{"down": {"rounds": -1}, "clock": {"drift": "soon"}}')).toThrow(
      /down\.rounds.*clock\.drift/u,
    );
  });

  it("never throws anything but a sentence for people", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(outcomeOf(json)).toMatch(/^(?:config|UserError)$/u);
      }),
    );
  });
});

function outcomeOf(json: string): string {
  try {
    return "poll" in parseAlertsConfig(json) ? "config" : "nothing";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : "nothing";
  }
}
