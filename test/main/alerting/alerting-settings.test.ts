import { expect, it } from "vitest";

import { examineConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/log.ts";
import { reachableOperators } from "../../../src/main/alerting/alerting-settings.ts";

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
