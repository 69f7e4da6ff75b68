import { subscribe, unsubscribe } from "node:diagnostics_channel";

import type { SetUpPlatform } from "./platforms.ts";

/** The channel on which the built-in fetch and every undici publish response headers: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
const CHANNEL = "undici:request:headers";

/** The fields of a message on this channel that are read here. */
interface ResponseMessage {
  readonly request?: { readonly origin?: string | URL };
  readonly response?: { readonly statusCode?: number };
}

const TOO_MANY_REQUESTS = 429;

/**
 * Reports every 429 of a platform, even where its library waits and retries by itself. Returns the function that ends it.
 */
export function watchPlatformLimits(
  platforms: readonly SetUpPlatform[],
  onLimit: (platform: string) => void,
): () => void {
  const byOrigin = new Map(platforms.map(({ platform, service }) => [new URL(service.url).origin, platform.id]));
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
