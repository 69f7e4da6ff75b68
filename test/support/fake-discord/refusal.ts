/** An answer that is an error, as Discord words it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Record<string, string>;
  readonly more: Record<string, unknown>;
  /** Nobody did anything wrong. */
  forgiven = false;

  constructor(status: number, code: number, message: string, more: Record<string, unknown> = {}, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
    this.headers = headers;
  }
}
