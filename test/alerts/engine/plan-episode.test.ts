import { expect, it } from "vitest";

import { parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import { planEpisode } from "../../../src/alerts/engine/plan-episode.ts";
import { type NotificationState, shownTo } from "../../../src/alerts/deliver/outbox/notification-state.ts";
import { aSubscription, anEpisode } from "../samples.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

const config = parseAlertsConfig("{}");
const episode = anEpisode("network.stalled");
const DETECTED = 1_700_000_030_000;
const subscription = aSubscription({ created: DETECTED });
const { destination, style } = subscription;

const plan = (at: number, state?: NotificationState, subscriptions = [subscription]) =>
  planEpisode({
    episode,
    simulated: false,
    states: new Map(state === undefined ? [] : [[destinationKey(destination), state]]),
    subscriptions,
    silences: [],
    config,
    at,
    revision: 0,
  });

it.each([
  ["at the moment at which it fired: without a reason for coming late", DETECTED, false],
  ["later: with one", DETECTED + 1, true],
])("a subscriber is told %s", (_when, at, late) => {
  const [delivery] = plan(at).deliveries ?? [];
  expect(delivery).toMatchObject({ phase: "trigger", message: { episode } });
  expect(delivery !== undefined && "already" in delivery.message).toBe(late);
});

it("an episode that is closed at a destination is not told there again", () => {
  const state: NotificationState = { destination, style, state: "closed", reminders: 0, flapping: true };
  expect(plan(DETECTED, state).deliveries ?? []).toEqual([]);
});

it("all places are told by one message, so that it is written and stored once", () => {
  const places = ["a", "b"].map((channel) =>
    aSubscription({ created: DETECTED, destination: { ...destination, channel } }),
  );
  const [first, second] = plan(DETECTED, undefined, places).deliveries ?? [];
  expect(first?.destination).not.toEqual(second?.destination);
  expect(first?.message).toBe(second?.message);
});

it("an acknowledgement for all is shown before the one for a single place", () => {
  const [all, here] = ["ann", "bob"].map((by) => ({ by, at: "1700000040000000000" }));
  expect(shownTo({ ...episode, acknowledged: all! }, { destination, acknowledged: here! }).acknowledged).toEqual(all);
  expect(shownTo(episode, { destination, acknowledged: here! }).acknowledged).toEqual(here);
  expect(shownTo(episode, { destination, acknowledged: true }).acknowledged).toBeUndefined();
});
