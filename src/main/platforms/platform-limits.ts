import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** On which the built-in fetch and every undici publish response headers: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
const CHANNEL = "undici:request:headers";

/** The fields of its message that are read here. */
interface ResponseMessage {
  readonly request?: { readonly origin?: string | URL };
  readonly response?: { readonly statusCode?: number };
}

const TOO_MANY_REQUESTS = 429;

/**
 * Reports every 429 of a platform, even where its library waits and retries by itself. Gives the function that ends it.
 * `platforms` are their URLs.
 */
export function watchPlatformLimits(
  platforms: Readonly<Record<string, string>>,
  onLimit: (platform: string) => void,
): () => void {
  const byOrigin = new Map(Object.entries(platforms).map(([platform, url]) => [new URL(url).origin, platform]));
  const listener = (message: unknown): void => {
    const { request, response } = message as ResponseMessage;
    if (response?.statusCode !== TOO_MANY_REQUESTS) return;
    const origin = String(request?.origin);
    const platform = URL.canParse(origin) ? byOrigin.get(new URL(origin).origin) : undefined;
    if (platform !== undefined) onLimit(platform);
  };
  subscribe(CHANNEL, listener);
  return () => void unsubscribe(CHANNEL, listener);
}

/** The URLs of the platforms unless a setting overrides them. */
const DISCORD_URL = "https://discord.com/api";
const SLACK_URL = "https://slack.com/api/";

/** The URLs of the platforms that are set up. */
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
