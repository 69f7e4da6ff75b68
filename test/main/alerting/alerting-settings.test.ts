import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { expect, it } from "vitest";

import { createLog } from "../../../src/log.ts";
import { reachableOperators, readAlertsConfig } from "../../../src/main/alerting/alerting-settings.ts";
import { examineConfig } from "../../support/platforms.ts";

const slack = { MAINNET_URLS: "http://a", SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" };

it.each<[string, Record<string, string>, string | undefined, number]>([
  ["nobody is named", {}, undefined, 0],
  ["they are on a platform that is set up", { ...slack, OPERATOR_CHANNEL: "slack:C123" }, "C123", 0],
  ["they are on one that is not", { ...slack, OPERATOR_CHANNEL: "discord:123456789012345678" }, undefined, 1],
])("operators are notified where that is possible: %s", (_name, env, channel, warnings) => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  expect(reachableOperators(examineConfig(env).config, log)?.channel).toBe(channel);
  expect(lines).toHaveLength(warnings);
});

it("guidance is that of a kind that there is, and its runbook an address", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-settings-"));
  const read = (kinds: object) => {
    writeFileSync(path.join(folder, "alerts.json"), JSON.stringify({ kinds }));
    return readAlertsConfig(path.join(folder, "alerts.json")).kinds;
  };
  try {
    const given = { "node.down": { note: "Ask infra.", runbook: "https://wiki.example.org/down" } };
    expect(read(given)).toEqual(given);
    expect(() => read({ "node.dwon": { note: "Ask infra." } })).toThrow(/node\.dwon/u);
    expect(() => read({ "node.down": { runbook: "javascript:alert(1)" } })).toThrow(/kinds\.node\.down\.runbook/u);
    expect(() => read({ "node.down": { sound: "on" } })).toThrow(/sound/u);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
