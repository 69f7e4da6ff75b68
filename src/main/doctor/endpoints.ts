import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { INTERACTIONS_PATH } from "../../adapters/discord/transport/signature.ts";
import { INSTALL_PATH } from "../../adapters/slack/install/install-state.ts";
import { webhookUrl } from "../../adapters/webhook.ts";
import type { Config } from "../../config.ts";
import { isLoopback } from "../../loopback.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { slackEndpoint } from "../platforms/platforms.ts";
import type { Check } from "./checks.ts";

const TIMEOUT_MILLIS: Milliseconds = 5000;

/** The endpoints to which platforms post over HTTP, as they are reached from outside. */
export function endpointChecks(config: Pick<Config, "discord" | "slack" | "slackMode" | "web">): Check[] {
  const { discord, slack, web } = config;
  const overHttp = discord?.publicKey !== undefined && web.publicUrl !== undefined;
  const endpoints: [string, string | undefined][] = [
    ["Discord endpoint", overHttp ? webhookUrl(INTERACTIONS_PATH, web.publicUrl) : undefined],
    ["Slack endpoint", slack === undefined ? undefined : slackEndpoint(config)],
  ];
  const checks: Check[] = endpoints.flatMap(([name, url]) =>
    url === undefined ? [] : [{ name, run: async (signal) => [await examineEndpoint(name, url, signal)] }],
  );
  if (slack?.oauth === undefined) return checks;
  const page = webhookUrl(INSTALL_PATH, slack.oauth.publicUrl);
  return [...checks, { name: INSTALL_PAGE, run: async (signal) => [await examineInstallPage(page, signal)] }];
}

const INSTALL_PAGE = "Slack install page";

/** Asks the page as a browser would, and follows it to no place. Never rejects. */
export async function examineInstallPage(url: string, signal: AbortSignal): Promise<Finding> {
  const remedy = "Look whether the bot runs, and whether the proxy of PUBLIC_URL passes requests to it.";
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
    const { status } = await fetch(url, { redirect: "manual", signal: late });
    if (status === 302) return ok(INSTALL_PAGE, `${url} sends people to Slack: give them this link`);
    return warning(INSTALL_PAGE, `${url} answers HTTP ${status} from here, where the running bot says 302`, remedy);
  } catch {
    return warning(INSTALL_PAGE, `${url} cannot be reached from here`, remedy);
  }
}

/** Posts nothing, unsigned, which the running bot refuses with 401. Never rejects. */
export async function examineEndpoint(check: string, url: string, signal: AbortSignal): Promise<Finding> {
  const { hostname, protocol } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    const remedy = "Put a proxy with TLS in front of it, and set PUBLIC_URL to its https:// address.";
    return fault(check, "PUBLIC_URL is an http:// address, to which no platform posts", remedy);
  }
  const remedy = "Look whether the bot runs, and whether the proxy of PUBLIC_URL passes POST requests to it.";
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
    const { status } = await fetch(url, { method: "POST", redirect: "manual", signal: late });
    if (status === 401) return ok(check, `${url} answers, and refuses what is not signed`);
    return warning(check, `${url} answers HTTP ${status} from here, where the running bot says 401`, remedy);
  } catch {
    return warning(check, `${url} cannot be reached from here`, remedy);
  }
}
