import { readErrorValue, type ErrorBody } from "./error-body.ts";

/** An export that is not whole; the message is a clause for people that follows the node's name. */
export class LedgerFault extends Error {
  override readonly name = "LedgerFault";
  /** `said`: the node reports an error; `cut`: the end is missing; `unreadable`: it is no such export. */
  readonly kind: "said" | "cut" | "unreadable";
  readonly body: ErrorBody | undefined;

  constructor(kind: "said" | "cut" | "unreadable", message: string, body?: ErrorBody) {
    super(message);
    this.kind = kind;
    this.body = body;
  }
}

/** The fault that an error message in the stream stands for, or undefined where the value is no error. */
export function reportedFault(value: unknown): LedgerFault | undefined {
  const body = readErrorValue(value);
  if (body === undefined) return undefined;
  return new LedgerFault("said", `says “${body.innerWords ?? body.message ?? "an error"}”`, body);
}
