import type { Milliseconds } from "../units/time.ts";

/** A request that a platform posts to this process, or sends a browser with. */
export interface WebhookRequest {
  /** The body, byte for byte: signatures cover it. Empty where a browser asks. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly query: URLSearchParams;
  /** A header, by its name in lower case. */
  header(name: string): string | undefined;
}

export interface WebhookResponse {
  readonly status: 200 | 202 | 302 | 400 | 401 | 403 | 503;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | WebhookPage;
}

/** A page for people, in plain text: the web adapter lays it out. */
export interface WebhookPage {
  readonly title: string;
  /** A paragraph each. */
  readonly words: readonly string[];
  /** Leads to a path of this process. */
  readonly link?: { readonly label: string; readonly path: string };
}

/**
 * An address at which a platform posts its requests. The web adapter serves it without sign-in, so `handle` checks the
 * signature of each request, and answers 401 where it is wrong. Or a page to which a platform sends browsers (GET), of
 * which each visitor may ask for a few a minute.
 */
export interface Webhook {
  /** `/discord/interactions` */
  readonly path: string;
  /** Left out = POST. */
  readonly method?: "GET";
  handle(request: WebhookRequest): Promise<WebhookResponse>;
}

/** The answer while the adapter does not run: the platform, or whoever balances its load, may try elsewhere. */
export const NOT_RUNNING: WebhookResponse = { status: 503, headers: { "Retry-After": "1" } };

/** Where a platform reaches a webhook, below the public address of this process. */
export function webhookUrl(path: string, publicUrl: string): string {
  return new URL(path, publicUrl).href;
}

/**
 * The age at which a signature is refused, so that nobody can send a recorded request again later. Slack advises it
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack); Discord names none.
 */
const MAX_SIGNATURE_AGE_MILLIS: Milliseconds = 300_000;

/** Whether a signature's timestamp, in Unix seconds as its header writes it, is at most five minutes away. */
export function isRecent(timestamp: string, nowMillis: Milliseconds): boolean {
  return /^\d{1,12}$/u.test(timestamp) && Math.abs(nowMillis - Number(timestamp) * 1000) <= MAX_SIGNATURE_AGE_MILLIS;
}
