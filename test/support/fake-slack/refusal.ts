/** What Slack answers instead of doing what it was asked. */
export class Refusal extends Error {
  readonly code: string;
  readonly more: Readonly<Record<string, unknown>>;
  /** For a 429: after how many seconds. */
  readonly retryAfter: number | undefined;

  constructor(code: string, more: Readonly<Record<string, unknown>> = {}, retryAfter?: number) {
    super(code);
    this.code = code;
    this.more = more;
    this.retryAfter = retryAfter;
  }
}
