import { readFileSync } from "node:fs";

import { type AlertsConfig, DEFAULT_ALERTS_CONFIG, parseAlertsConfig } from "../../alerts/alerts-config.ts";
import { ALERT_KINDS, KINDS } from "../../alerts/judge/kinds/kinds.ts";
import { nearest } from "../../bot/nearest.ts";
import type { Config } from "../../config.ts";
import { messageOf, UserError } from "../../errors.ts";
import { listWords } from "../../reply/enum-words.ts";
import type { Log } from "../../log.ts";
import { type ChatConfig, configuredChats, platformsOf } from "../platforms/platforms.ts";
import type { Destination } from "../../alerts/destination.ts";

/**
 * The settings in the file that ALERTS_CONFIG names; without one the defaults.
 *
 * @throws UserError where the file cannot be read, or is invalid.
 */
export function readAlertsConfig(file: string | undefined): AlertsConfig {
  if (file === undefined) return DEFAULT_ALERTS_CONFIG;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    throw new UserError(`ALERTS_CONFIG names the file ${file}, which cannot be read: ${messageOf(thrown)}.`, {
      remedy: "Name a JSON file that this user may read, or leave ALERTS_CONFIG unset for the defaults.",
      cause: thrown,
    });
  }
  const config = parseAlertsConfig(text);
  const unknown = Object.keys(config.kinds).filter((kind) => !(kind in KINDS));
  if (unknown.length > 0) {
    const near = [...new Set(unknown.flatMap((kind) => nearest(kind, ALERT_KINDS) ?? []))];
    const meant = near.length === 0 ? "" : `Did you mean ${listWords(near)}? `;
    throw new UserError(`The file named by ALERTS_CONFIG is wrong: kinds: no alert is called ${unknown.join(", ")}.`, {
      remedy: `${meant}docs/alerts.md lists all kinds.`,
    });
  }
  return config;
}

/** The operators' channel. Deliveries to a platform that is not set up would wait for a day and be dead-lettered. */
export function reachableOperators(config: Pick<Config, "alerting"> & ChatConfig, log: Log): Destination | undefined {
  const { operators } = config.alerting;
  if (operators === undefined) return undefined;
  if (configuredChats(config).some(({ platform }) => platform.id === operators.platform))
    return platformsOf(config).destination(operators, operators.channel);
  log.warn({ why: "OPERATOR_CHANNEL names a channel on a platform that is not set up" }, "operator channel unusable");
  return undefined;
}
