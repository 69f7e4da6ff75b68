import { expect, it } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { isReminderDue, nextReminder, planUnacknowledged } from "../../../src/alerts/engine/reminders.ts";
import type { NotificationState } from "../../../src/alerts/deliver/outbox/notification-state.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import { anEpisode } from "../samples.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

const TOLD = 1_700_000_000_000;
const HALF_AN_HOUR = 1_800_000;

const state: NotificationState = {
  destination: { platform: "fake", channel: "ops" },
  style: "plain",
  state: "told",
  severity: "critical",
  trigger: "t1",
  reminders: 0,
  toldMillis: TOLD,
};
const firing: Pick<Episode, "severity" | "state" | "detected" | "acknowledged"> = {
  severity: "critical",
  state: "firing",
  detected: "1700000000000000000",
};

it.each<[string, Partial<typeof firing>, Partial<NotificationState>, number, boolean]>([
  ["half an hour after it was told", {}, {}, HALF_AN_HOUR, true],
  ["before that", {}, {}, HALF_AN_HOUR - 1, false],
  ["for the fourth time", {}, { reminders: 3 }, HALF_AN_HOUR, true],
  ["for the fifth time", {}, { reminders: 4 }, HALF_AN_HOUR, false],
  ["of what is no worse than a warning", { severity: "warning" }, {}, HALF_AN_HOUR, false],
  ["while it recovers", { state: "recovering" }, {}, HALF_AN_HOUR, false],
  ["of what somebody acknowledged", { acknowledged: { by: "ada", at: "1" } }, {}, HALF_AN_HOUR, false],
])("a reminder %s", (_name, episode, told, after, due) => {
  const given = { episode: { ...firing, ...episode }, config: DEFAULT_ALERTS_CONFIG, at: TOLD + after };
  expect(isReminderDue(given, { ...state, ...told })).toBe(due);
});

it("is next due at the destination that was notified first", () => {
  const given = { episode: firing, config: DEFAULT_ALERTS_CONFIG, at: TOLD };
  const later = { ...state, toldMillis: TOLD + 5 };
  expect(nextReminder(given, [later, state])).toBe(TOLD + HALF_AN_HOUR);
  expect(nextReminder(given, [{ ...state, state: "closed" }, later])).toBe(TOLD + 5 + HALF_AN_HOUR);
  expect(nextReminder(given, [])).toBe(Infinity);
});

it.each([
  ["is told to the operators after the last reminder", [3], 4, {}, true],
  ["of a simulated network is told as such", [3], 4, { simulated: true } as const, true],
  ["is not told before the last reminder", [2], 3, {}, false],
  ["is told once", [4], 4, {}, false],
  ["is told with the last reminder of the first place, not of the next one", [4, 3], 4, {}, false],
])("an alert that nobody acknowledged %s", (_what, before, after, label, told) => {
  const operators = { platform: "fake", channel: "operators" };
  const episode = anEpisode("network.stalled", { severity: "critical" });
  const { destination } = state;
  const message = { type: "condition", phase: "reminder", episode, ...label } as const;
  const plan = {
    states: [{ episode: episode.id, destination: destinationKey(destination), state: { ...state, reminders: after } }],
    deliveries: [{ id: "r", destination, phase: "reminder", message }] as const,
  };
  const given = { episode, config: DEFAULT_ALERTS_CONFIG, at: TOLD };
  const states = before.map((reminders) => ({ ...state, reminders }));
  const { deliveries = [] } = planUnacknowledged(given, states, plan, operators, () => "u");
  expect(deliveries.map((one) => [one.destination, "simulated" in one.message])).toEqual(
    told ? [[operators, "simulated" in label]] : [],
  );
});
