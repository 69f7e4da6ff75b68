import { REST, type RESTOptions } from "discord.js";

export interface RestClientOptions {
  readonly token: string;
  /** The interface's base without version; left out = Discord's own. */
  readonly apiUrl?: string | undefined;
  readonly timeoutMillis?: number;
  /** Further tries after a 5xx, a time-out or a reset connection. */
  readonly retries?: number;
  /** Left out = 50, which Discord allows a bot; what paces itself, or stands outside of that limit, sets it to infinity. */
  readonly globalRequestsPerSecond?: number;
  readonly rejectOnRateLimit?: RESTOptions["rejectOnRateLimit"];
}

/**
 * Discord's REST interface. Requests go through the built-in fetch: the process-wide dispatcher that undici 8 sets
 * (and with it Slack's library) breaks every multipart upload that discord.js would send through its own undici 6.
 */
export function createRest(parts: RestClientOptions): REST {
  const options: Partial<RESTOptions> = {
    version: "10",
    makeRequest: fetch as unknown as RESTOptions["makeRequest"],
    timeout: parts.timeoutMillis ?? 15_000,
    retries: parts.retries ?? 2,
    userAgentAppendix: "Bellwether",
    // Each interaction has a token of its own, and with it a bucket that nobody asks for again.
    handlerSweepInterval: 60_000,
    ...(parts.apiUrl === undefined ? {} : { api: parts.apiUrl.replace(/\/+$/u, "") }),
    globalRequestsPerSecond: parts.globalRequestsPerSecond ?? 50,
    ...(parts.rejectOnRateLimit === undefined ? {} : { rejectOnRateLimit: parts.rejectOnRateLimit }),
  };
  return new TokenKeepingRest(options).setToken(parts.token);
}

/** Keeps its token: discord.js forgets one that was refused once, and would then fail without asking for ever. */
class TokenKeepingRest extends REST {
  override setToken(token: string | null): this {
    return token === null ? this : super.setToken(token);
  }
}

/** Stops the timers of an interface that is no longer needed. */
export function closeRest(rest: REST): void {
  rest.clearHashSweeper();
  rest.clearHandlerSweeper();
}
