import { expect, test } from "vitest";

import type { WatchedNetwork } from "../../../../../src/adapters/web/alerts/watch.ts";
import {
  awayWords,
  countdownWords,
  seconds,
  STAGES,
  stepOf,
} from "../../../../../src/adapters/web/public/alerts/incident-step.js";

const timing = { everyMillis: 5000, suspiciousMillis: 10_000, firesMillis: 30_000, keepMillis: 15_000 };
const EPISODE = "network.stalled|mainnet||1";

function network(more: Partial<WatchedNetwork> = {}): WatchedNetwork {
  const verdict = { state: "healthy", why: "the network time advances", at: "1717416000000000000" } as const;
  return { network: "mainnet", nodes: [], verdict, stalled: { phase: "ok" }, ...more };
}

const standing = { incident: { since: "1717416000000000000" } };

test.each([
  { now: network(), stage: "calm", countdown: undefined },
  { now: network(standing), stage: "still", countdown: undefined },
  {
    now: network({ ...standing, stalled: { phase: "ok", leftMillis: 6000 } }),
    stage: "still",
    countdown: { millis: 6000, of: 10_000, until: "pending" },
  },
  {
    now: network({ ...standing, stalled: { phase: "ok", leftMillis: -4000 } }),
    stage: "still",
    countdown: { millis: 0, of: 10_000, until: "pending" },
  },
  {
    now: network({ ...standing, stalled: { phase: "pending", leftMillis: 19_000 } }),
    stage: "pending",
    countdown: { millis: 19_000, of: 30_000, until: "fires" },
  },
  {
    now: network({ ...standing, stalled: { phase: "pending", leftMillis: -300 } }),
    stage: "pending",
    countdown: { millis: 0, of: 30_000, until: "fires" },
  },
  { now: network({ ...standing, stalled: { phase: "firing", episode: EPISODE } }), stage: "firing", episode: EPISODE },
  {
    now: network({ stalled: { phase: "recovering", leftMillis: 12_000, episode: EPISODE } }),
    stage: "recovering",
    countdown: { millis: 12_000, of: 15_000, until: "resolved" },
    episode: EPISODE,
  },
  { now: network(), before: EPISODE, stage: "resolved", episode: EPISODE },
])("$stage: $now.stalled, with $countdown", ({ now, before, stage, countdown, episode }) => {
  expect(stepOf(now, timing, before)).toMatchObject({ stage, countdown, episode });
});

test("while the watcher is blind it says that timers are paused, whatever the stage", () => {
  const verdict = { state: "blind", why: "no node answers", at: "1717416000000000000" } as const;
  for (const phase of ["pending", "firing", "recovering"] as const) {
    expect(stepOf(network({ ...standing, verdict, stalled: { phase } }), timing, undefined).says).toMatch(
      /cannot be seen/u,
    );
  }
});

test("before the first observation of a process nothing is said to be over", () => {
  const { verdict: _, ...unseen } = network();
  for (const phase of ["pending", "firing", "recovering"] as const) {
    const step = stepOf({ ...unseen, stalled: { phase } }, timing, undefined);
    expect(step).toMatchObject({
      stage: phase,
      countdown: undefined,
      says: expect.any(String),
    });
  }
});

test("after the standstill the step, the verdict and the countdown use the words of the steps", () => {
  expect(stepOf(network(standing), timing, undefined).says).toMatch(/healthy.*pending/u);
  for (const until of ["pending", "fires", "resolved"]) {
    for (const left of [5000, 4001]) expect(countdownWords(until, left)).toMatch(/^The alert .* 5 s/u);
    expect(countdownWords(until, 0)).toMatch(/^The alert .*Bellwether/u);
  }
  expect([countdownWords("pending", 5000), countdownWords("fires", 0)]).toMatchSnapshot();
});

test("while the bot is away it says what comes of the incident; a browser that is offline is not told to start it", () => {
  expect(awayWords(true)).toMatch(/start it again.*nothing is told twice/iu);
  expect(awayWords(false)).not.toMatch(/start/iu);
});

test("spans are in whole seconds, unless they are shorter", () => {
  expect([seconds(5000), seconds(34_900), seconds(200)]).toEqual(["5 s", "35 s", "0.2 s"]);
});

/** The alert of the incident's stall. */
const ALERT = {
  episode: EPISODE,
  kind: "network.stalled",
  network: "mainnet",
  subject: "",
  severity: "warning",
  state: "firing",
  began: "1717416000000000000",
} as const;

test("what is acknowledged is not offered to be acknowledged", () => {
  const now = network({ ...standing, stalled: { phase: "firing", episode: EPISODE } });
  expect(stepOf(now, timing, EPISODE, [ALERT]).says).toContain("Acknowledge or silence it");
  const acknowledged = { by: "ann", at: ALERT.began };
  const { says } = stepOf(now, timing, EPISODE, [{ ...ALERT, acknowledged }]);
  expect(says).toContain("by ann");
  expect(says).not.toMatch(/acknowledge (?:it|or)/iu);
});

test("what is silenced is not offered to be silenced, nor acknowledged, and the silence's end is offered", () => {
  const now = network({ ...standing, stalled: { phase: "firing", episode: EPISODE } });
  const alert = { ...ALERT, silenced: true } as const;
  const { says } = stepOf(now, timing, EPISODE, [alert]);
  expect(says).toMatch(/silenced/iu);
  expect(says).not.toMatch(/acknowledge (?:it|or)|silence it/iu);
});

test("at the end it does not say that everybody was told, who may have been kept from it", () => {
  expect(stepOf(network(), timing, EPISODE).says).not.toMatch(/\bonce\b/u);
});

test.each([
  [{ sent: 2, waiting: 0, kept: {} }, ["2 places"], []],
  [{ sent: 0, waiting: 0, kept: { silence: 1 } }, ["nobody was told", "silence"], [" out"]],
  [{ sent: 1, waiting: 1, kept: { "quiet hours": 2 } }, ["out at 1 place", "on its way to 1", "quiet hours"], ["once"]],
  [{ sent: 0, waiting: 0, kept: {} }, ["nobody is subscribed"], [" out"]],
])("once it has fired it says what was sent: %j", (told, parts, absent) => {
  const { says } = stepOf(
    network({ ...standing, stalled: { phase: "firing", episode: EPISODE, told } }),
    timing,
    EPISODE,
  );
  for (const part of parts) expect(says).toContain(part);
  for (const part of absent) expect(says).not.toContain(part);
});

test("every stage is written in one way, and a pending alert is called by its kind and says when it fires", () => {
  for (const [, name] of STAGES) expect(name).toMatch(/^[A-Z][a-z]+$/u);
  const { says } = stepOf(network({ ...standing, stalled: { phase: "pending" } }), timing, undefined);
  expect(says).toMatch(new RegExp(`network\\.stalled .*${seconds(timing.firesMillis)}`, "u"));
});
