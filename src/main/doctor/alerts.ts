import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";
import { readAlertsConfig } from "../alerts-settings.ts";

/** The alerts' settings as far as they can be read; the defaults where not. */
export function alertsConfigOf(file: string | undefined): { readonly config: AlertsConfig; readonly finding: Finding } {
  const check = "ALERTS_CONFIG";
  try {
    const what = file === undefined ? "not set: the defaults hold" : `${file} is right`;
    return { config: readAlertsConfig(file), finding: ok(check, what) };
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const finding = fault(check, thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Mend that file.");
    return { config: DEFAULT_ALERTS_CONFIG, finding };
  }
}

/** Who hears of what nobody else can be told, as far as it shows in the settings; whether it is reachable, its platform says. */
export function examineOperators({
  alerting,
  discord,
  slack,
}: Pick<Config, "alerting" | "discord" | "slack">): Finding[] {
  const check = "OPERATOR_CHANNEL";
  const { operators } = alerting;
  if (operators === undefined) {
    if (discord === undefined && slack === undefined) return [];
    const remedy = "Set it to a channel of yours, such as slack:C0123456789.";
    return [warning(check, "not set: nobody is told when a channel is lost or the bot was away", remedy)];
  }
  if ((operators.platform === "slack" ? slack : discord) !== undefined) return [];
  const token = operators.platform === "slack" ? "SLACK_BOT_TOKEN" : "DISCORD_TOKEN";
  return [
    fault(check, `names a channel on a platform that is not set up`, `Set ${token}, or name a channel elsewhere.`),
  ];
}

/** The dead man's switch, by its address alone: a ping would tell it that all is well. */
export function examineDeadman({ alerting, discord, slack }: Pick<Config, "alerting" | "discord" | "slack">): Finding {
  const check = "DEADMAN_URL";
  const url = alerting.deadmanUrl;
  if (url === undefined) {
    if (discord === undefined && slack === undefined) return ok(check, "not set");
    const remedy = "Set it to a check of a service that you trust: it notices when this machine is gone.";
    return warning(check, "not set: nobody notices when Bellwether itself is gone", remedy);
  }
  if (new URL(url).protocol === "http:" && !isLoopback(new URL(url).hostname)) {
    return warning(check, "goes over plain http, so anybody on the way can ping it", "Use its https:// address.");
  }
  return ok(check, "is set; it was not pinged (npm run doctor -- --ping does)");
}
