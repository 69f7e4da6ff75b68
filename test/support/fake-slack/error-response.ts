/** An error response of Slack's API. */
export class ErrorResponse extends Error {
  readonly code: string;
  readonly more: Readonly<Record<string, unknown>>;
  /** Retry-After in seconds, for a 429. */
  readonly retryAfter: number | undefined;

  constructor(code: string, more: Readonly<Record<string, unknown>> = {}, retryAfter?: number) {
    super(code);
    this.code = code;
    this.more = more;
    this.retryAfter = retryAfter;
  }
}
