import type { Destination } from "./destination.ts";
import { redact } from "../units/redact.ts";
import type { Attachment, Reply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/time.ts";
import type { AlertKind } from "./judge/kinds/kinds.ts";
import type { Severity } from "./judge/kinds/kind.ts";

/** The subject of a delivery, for platforms that pass alerts to programs. Times are decimal nanoseconds. */
export interface DeliverySubject {
  readonly kind: AlertKind | "bot";
  readonly network: string;
  readonly subject: string;
  readonly state: "firing" | "escalated" | "resolved" | "event" | "digest";
  readonly severity: Severity;
  readonly at: string;
  readonly episode?: string;
}

/** Puts a picture at a message; returns how an edit names it, where it must be named to stay. */
export type PutPicture = (picture: Attachment, signal: AbortSignal) => Promise<string | undefined>;

/** Draws the picture of an alert and has it put at its message. Begun once the words have arrived; never rejects. */
export type AddPicture = (put: PutPicture) => Promise<void>;

/** One message to send. `id` is the same for all attempts, at most 25 characters: platforms that drop repeats key on it. */
export interface Delivery {
  readonly id: string;
  readonly destination: Destination;
  /**
   * The role or person to mention, by the platform's id (Discord: a role's, or `user:` and a person's). Outside the
   * reply, which never pings.
   */
  readonly mention?: string;
  /** Low severity: post without a notification where the platform can. */
  readonly quiet?: boolean;
  /** It goes ahead of every message that waits for a rate limit, in its channel and in all others. */
  readonly urgent?: true;
  /** Post in the thread of this message, which begins one where there is none yet. */
  readonly threadOf?: Receipt;
  /** What the thread is about, for its name where it is begun. */
  readonly threadName?: string;
  readonly about?: DeliverySubject;
  /** Called once its words have arrived and its files are to follow: a failure from then on is one of the files. */
  readonly onPosted?: (receipt: Receipt) => void;
  readonly picture?: AddPicture;
  /** Called with a receipt that comes after the attempt has ended, so that its outcome counts as unknown. */
  readonly onLateReceipt?: (receipt: Receipt) => void;
  /** Send text alone, without blocks, buttons and files: the platform refused the usual form. */
  readonly plain?: true;
}

/** How a sent message is edited. */
export interface Edit {
  readonly picture?: AddPicture;
  /** The picture that it has and keeps, as it was put there. */
  readonly pictured?: string;
  /** As in a delivery. */
  readonly plain?: true;
  /** All that it says is over: its thread may show that. */
  readonly over?: true;
  /** The message in whose thread it stands. */
  readonly threadOf?: Receipt;
  /** As in a delivery. */
  readonly onPosted?: () => void;
}

/** Identifies a sent message, for later edits. */
export interface Receipt {
  readonly platform: string;
  /** Of the destination, where that names it; not stored. */
  readonly workspace?: string;
  readonly channel: string;
  readonly message: string;
}

/** Why a send failed, by what to do next. */
export type SendErrorKind =
  /** Certainly not sent; try again, after `retryAfterMillis` where given. */
  | "retry"
  /** It may have been sent: no answer came. */
  | "maybe-sent"
  /** Certainly not sent: the platform refuses the content of the message. It is sent once more as plain text. */
  | "content"
  /** The platform will never accept this message: it becomes a dead letter, and the next one is sent. */
  | "permanent"
  /**
   * Certainly not sent: the message, or the thread that it belongs into, is deleted, and its channel is not. It is
   * dropped, and nobody is told.
   */
  | "deleted"
  /** The platform was not asked, since this message cannot be made: it becomes a dead letter, which says nothing of the platform. */
  | "unsendable"
  /** Certainly not sent: the destination cannot be reached (channel deleted, bot not in it, a permission missing). */
  | "gone"
  /** Certainly not sent: the platform refuses the bot's token. No destination is lost. */
  | "refused";

export class SendError extends Error {
  override readonly name = "SendError";
  readonly kind: SendErrorKind;
  readonly retryAfterMillis: Milliseconds | undefined;
  /** Of `refused`: the platform says that the bot was removed, so that waiting does not help. */
  readonly revoked: boolean;
  /** Of `gone`: the destination may be there; the operator must mend it, such as a missing scope. */
  readonly operator: boolean;

  constructor(
    kind: SendErrorKind,
    message: string,
    more: { retryAfterMillis?: Milliseconds; revoked?: boolean; operator?: boolean; cause?: unknown } = {},
  ) {
    super(redact(message), { cause: more.cause });
    this.kind = kind;
    this.retryAfterMillis = more.retryAfterMillis;
    this.revoked = more.revoked ?? false;
    this.operator = more.operator ?? false;
  }
}

/** Sends alerts; each platform implements it. */
export interface Sender {
  readonly platform: string;
  /**
   * How long after the first attempt the platform drops a repeat with the same delivery id. Absent = never: a repeat
   * after an unknown outcome is then marked as one.
   */
  readonly dropsRepeatsForMillis?: Milliseconds;
  /** How many more messages can be sent before the platform's global rate limit delays them; absent = any number. */
  capacity?(): number;
  /** Posts the words, then the files and the picture, which keep no other message waiting. Rejects with SendError. */
  send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt>;
  /** The address of a sent message, where the platform has one; undefined where it cannot be had. Never rejects. */
  link?(receipt: Receipt, signal: AbortSignal): Promise<string | undefined>;
  /** Edits a sent message: its words, then its files as in `send`. Rejects with SendError. */
  update(receipt: Receipt, reply: Reply, signal: AbortSignal, edit?: Edit): Promise<void>;
  /**
   * Asks the platform, at next to no cost, whether it accepts the bot's token; with a workspace, the one that destinations
   * there need. Rejects with SendError, of the kind `refused` if it does not; any other kind says nothing about the token.
   * Absent if there is no token.
   */
  checkToken?(signal: AbortSignal, workspace?: string): Promise<void>;
}

/** The processes that share a platform's token. */
export interface SharedToken {
  /** False where other processes may count this one as dead, and send its messages. */
  isAlive(): boolean;
  /** How many share what the platform allows; 1 or more. */
  readonly live: number;
  /**
   * Calls `begin` when this process gets what one process at a time may have, such as a connection. `begin` returns the
   * function that ends it.
   */
  add(name: string, begin: () => () => Promise<void>): void;
}

/** A process that has its token to itself. */
export const OWN_TOKEN: SharedToken = { isAlive: () => true, live: 1, add: (_name, begin) => void begin() };

/** Rejects with SendError where another process may send it: certainly not sent by this one. */
export function throwUnlessAlive(token: SharedToken): void {
  if (!token.isAlive()) throw new SendError("retry", "the other processes may have taken this one for dead");
}
