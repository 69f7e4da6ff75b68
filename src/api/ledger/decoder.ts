import type { Redact } from "../../units/redact.ts";
import { type ErrorBody, readErrorValue } from "../http/error-body.ts";

/** Takes the decoded bytes of the file, in order. They are valid only until `bytes` returns. */
export interface LedgerSink {
  /** For the node's words; the rows are data, and go through as they are. */
  readonly redact?: Redact;
  bytes(decoded: Buffer): void;
  /** Called when the first message is complete, which gives the file's content type. */
  onFirstMessage(contentType: string | undefined, extensions: readonly unknown[]): void;
}

/** Decodes a framing. Both methods throw LedgerFault; after that the decoder must not be used. */
export interface LedgerDecoder {
  /** Keeps nothing of the chunk's memory. */
  push(chunk: Buffer): void;
  /** Checks that the answer, which has ended properly, is complete. */
  end(): void;
}

/** An export that is not whole; the message is a clause for people that follows the node's name. */
export class LedgerFault extends Error {
  override readonly name = "LedgerFault";
  /**
   * `said`: the node reports an error; `cut`: the end is missing; `unreadable`: it is no such export; `foreign`: it is
   * something else altogether, which a later answer will be as well.
   */
  readonly kind: "said" | "cut" | "unreadable" | "foreign";
  readonly body: ErrorBody | undefined;

  constructor(kind: LedgerFault["kind"], message: string, body?: ErrorBody) {
    super(message);
    this.kind = kind;
    this.body = body;
  }
}

/** The fault for an error message in the stream; undefined where the value is no error. */
export function reportedFault(value: unknown): LedgerFault | undefined {
  const body = readErrorValue(value);
  if (body === undefined) return undefined;
  return new LedgerFault("said", `says “${body.innerWords ?? body.message ?? "an error"}”`, body);
}
