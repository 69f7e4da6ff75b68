import type { Milliseconds } from "../units/duration.ts";
import type { Reply } from "../reply/reply.ts";

/** Where something is owed: a channel or a person's direct messages on a platform. */
export interface Destination {
  readonly platform: string;
  readonly workspace?: string;
  readonly channel: string;
  /** A thread to post in. */
  readonly thread?: string;
}

/** One owed message. `id` is stable over attempts and at most 25 characters: platforms that drop repeats key on it. */
export interface Delivery {
  readonly id: string;
  readonly destination: Destination;
  /** Who should be notified loudly, in the platform's own id; stands outside the reply, which never pings. */
  readonly mention?: string;
  /** Low severity: post without a notification where the platform can. */
  readonly quiet?: boolean;
}

/** What came of a send: enough to edit the message later. */
export interface Receipt {
  readonly platform: string;
  readonly channel: string;
  readonly message: string;
}

/** Why a send failed, by what to do next. */
export type SendErrorKind =
  /** Certainly not sent; try again, after `retryAfterMillis` where given. */
  | "retry"
  /** It may have been sent: no answer came. */
  | "maybe-sent"
  /** This message will never be accepted (a 400): give it up, the next one goes. */
  | "unhealable"
  /** The destination is gone (channel deleted, bot removed, token revoked). */
  | "gone";

export class SendError extends Error {
  override readonly name = "SendError";
  readonly kind: SendErrorKind;
  readonly retryAfterMillis: Milliseconds | undefined;

  constructor(kind: SendErrorKind, message: string, more: { retryAfterMillis?: Milliseconds; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.retryAfterMillis = more.retryAfterMillis;
  }
}

/** Posts outside of any question. */
export interface Sender {
  readonly platform: string;
  /** Rejects with SendError. */
  send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt>;
  /** Edits what was sent. Rejects with SendError. */
  update(receipt: Receipt, reply: Reply, signal: AbortSignal): Promise<void>;
}
