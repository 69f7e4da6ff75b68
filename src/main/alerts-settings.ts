import { readFileSync } from "node:fs";

import { DEFAULT_ALERTS_CONFIG, parseAlertsConfig, type AlertsConfig } from "../alerts/alerts-config.ts";
import { messageOf, UserError } from "../errors.ts";

/**
 * The settings in the file that ALERTS_CONFIG names; without one the defaults.
 *
 * @throws UserError where the file cannot be read, or says what cannot be.
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
  return parseAlertsConfig(text);
}
