import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { isLoopback } from "../../loopback.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type ChatConfig, configuredChats } from "../platforms/platforms.ts";
import type { Check } from "./checks.ts";

const TIMEOUT_MILLIS: Milliseconds = 5000;

/** The endpoints to which platforms post over HTTP, or send browsers, as they are reached from outside. */
export function endpointChecks(config: ChatConfig): Check[] {
  return configuredChats(config).flatMap(({ platform, service }) =>
    service.endpoints.map(({ name, url, method }) => ({
      name,
      run: async (signal) => [
        method === "GET"
          ? await examinePage(name, { url, platform: platform.name }, signal)
          : await examineEndpoint(name, url, signal),
      ],
    })),
  );
}

/** Asks the page as a browser would, and follows it to no place. Never rejects. */
export async function examinePage(
  check: string,
  { url, platform }: { readonly url: string; readonly platform: string },
  signal: AbortSignal,
): Promise<Finding> {
  const remedy = "Look whether the bot runs, and whether the proxy of PUBLIC_URL passes requests to it.";
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
    const { status } = await fetch(url, { redirect: "manual", signal: late });
    if (status === 302) return ok(check, `${url} sends people to ${platform}: give them this link`);
    return warning(check, `${url} answers HTTP ${status} from here, where the running bot says 302`, remedy);
  } catch {
    return warning(check, `${url} cannot be reached from here`, remedy);
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
