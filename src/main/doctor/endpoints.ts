import type { PlatformService } from "../../adapters/chat/chat.ts";
import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { isLoopback } from "../../loopback.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type ChatConfig, configuredChats } from "../platforms/platforms.ts";
import type { Check } from "./checks.ts";

const TIMEOUT_MILLIS: Milliseconds = 5000;

/** The endpoints to which platforms post over HTTP, or send browsers, as they are reached from outside. */
export function endpointChecks(config: ChatConfig): Check[] {
  return configuredChats(config).flatMap(({ platform, service }) =>
    service.endpoints.map((endpoint) => ({
      name: endpoint.name,
      run: async (signal) => [await examineEndpoint(endpoint, platform.name, signal)],
    })),
  );
}

/**
 * Posts nothing, unsigned, which the running bot refuses with 401. Gets a page as a browser would, which the running bot
 * redirects with 302, and does not follow it. Never rejects.
 */
export async function examineEndpoint(
  { name, url, method }: PlatformService["endpoints"][number],
  platform: string,
  signal: AbortSignal,
): Promise<Finding> {
  const isPage = method === "GET";
  const { hostname, protocol } = new URL(url);
  if (!isPage && protocol === "http:" && !isLoopback(hostname)) {
    const remedy = "Put a proxy with TLS in front of it, and set PUBLIC_URL to its https:// address.";
    return fault(name, "PUBLIC_URL is an http:// address, to which no platform posts", remedy);
  }
  const requests = isPage ? "requests" : "POST requests";
  const remedy = `Look whether the bot runs, and whether the proxy of PUBLIC_URL passes ${requests} to it.`;
  const right = isPage ? 302 : 401;
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
    const { status } = await fetch(url, { method: method ?? "POST", redirect: "manual", signal: late });
    if (status !== right) {
      return warning(name, `${url} answers HTTP ${status} from here, where the running bot says ${right}`, remedy);
    }
    const does = isPage
      ? `sends people to ${platform}: give them this link`
      : "answers, and refuses what is not signed";
    return ok(name, `${url} ${does}`);
  } catch {
    return warning(name, `${url} cannot be reached from here`, remedy);
  }
}
