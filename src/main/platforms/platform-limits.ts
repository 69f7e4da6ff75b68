import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** What the built-in fetch and every undici tell of an answer's beginning: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
const CHANNEL = "undici:request:headers";

/** The part of its message that is read here. */
interface ResponseMessage {
  readonly request?: { readonly origin?: string | URL };
  readonly response?: { readonly statusCode?: number };
}

const TOO_MANY_REQUESTS = 429;

/**
 * Tells of every 429 that a platform answers, whoever asked and whether or not it was tried again: the platforms'
 * libraries wait and repeat by themselves. Gives what ends it. `platforms` says where each of them is reached.
 */
export function watchPlatformLimits(
  platforms: Readonly<Record<string, string>>,
  onLimit: (platform: string) => void,
): () => void {
  const byOrigin = new Map(Object.entries(platforms).map(([platform, url]) => [new URL(url).origin, platform]));
  const listener = (given: unknown): void => {
    const { request, response } = given as ResponseMessage;
    if (response?.statusCode !== TOO_MANY_REQUESTS) return;
    const origin = String(request?.origin);
    const platform = URL.canParse(origin) ? byOrigin.get(new URL(origin).origin) : undefined;
    if (platform !== undefined) onLimit(platform);
  };
  subscribe(CHANNEL, listener);
  return () => void unsubscribe(CHANNEL, listener);
}

/** Where the platforms are reached unless a setting says otherwise. */
const DISCORD_URL = "https://discord.com/api";
const SLACK_URL = "https://slack.com/api/";

/** Where the platforms that are set up are reached. */
export function platformUrls(config: {
  readonly discord: { readonly apiUrl: string | undefined } | undefined;
  readonly slack: { readonly apiUrl: string | undefined } | undefined;
}): Record<string, string> {
  const { discord, slack } = config;
  return {
    ...(discord === undefined ? {} : { discord: discord.apiUrl ?? DISCORD_URL }),
    ...(slack === undefined ? {} : { slack: slack.apiUrl ?? SLACK_URL }),
  };
}
