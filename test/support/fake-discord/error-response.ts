/** An error response of Discord's API. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Record<string, string>;
  readonly more: Record<string, unknown>;
  /** Not counted as a violation. */
  forgiven = false;

  constructor(status: number, code: number, message: string, more: Record<string, unknown> = {}, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
    this.headers = headers;
  }
}
