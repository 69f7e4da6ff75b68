import { expect, test } from "vitest";

import { parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import { settingsChanger } from "../../../src/main/cli/replay.ts";

const DEFAULTS = parseAlertsConfig("{}");

test("settings that need each other may be tried together", () => {
  const { stalled } = settingsChanger(["stalled.for=5m", "stalled.criticalFor=10m"])(DEFAULTS);
  expect(stalled).toEqual({ for: 300_000, criticalFor: 600_000 });
});

test("a setting that is tried has to fit those that held", () => {
  const patient = parseAlertsConfig('{"stalled":{"criticalFor":"10m"}}');
  const hasty = parseAlertsConfig('{"stalled":{"for":"3s","criticalFor":"8s"}}');
  expect(settingsChanger(["stalled.for=5m"])(patient).stalled.for).toBe(300_000);
  expect(() => settingsChanger(["stalled.for=20s"])(hasty)).toThrow(
    /^--set is wrong: stalled\.for: must not be longer/u,
  );
});

test.each(["stalled.for=soon", "kinds.x=1", "__proto__.x=1", "toString.x=1", "lagging.behind=-1s"])(
  "%s is refused as a setting of the command line",
  (given) => {
    expect(() => settingsChanger([given])(DEFAULTS)).toThrow(/^--set is wrong: /u);
  },
);
