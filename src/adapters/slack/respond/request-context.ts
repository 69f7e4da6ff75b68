import type { Caller, Visibility } from "../../../bot/invocation.ts";
import type { MessageBody } from "../render/compose.ts";

/** Who asked, where, and how to answer. */
export interface RequestContext {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly channel: string | undefined;
  /** The thread of an answer for all to see. */
  readonly thread?: string | undefined;
  readonly responder: Responder;
  /** Who sees the answer, whatever the ask says. */
  readonly audience?: Visibility;
  /** The answer replaces an error: its files, if any, were not sent. */
  readonly fresh?: true;
  /** Stands above the answer, in mrkdwn. */
  readonly above?: string;
}

/** Answers one request at one place. */
export interface Responder {
  /** Whether others could see an answer there. */
  readonly shared: boolean;
  /** Whether the answer replaces the message of the button. */
  readonly replacesMessage: boolean;
  /** Whether the answer replaces the progress message. */
  replacesProgress(audience: Visibility): boolean;
  /** How often progress can be shown: with `few`, each time costs one of a few uses at first. */
  readonly pace: "few" | "steady";
  /** Whether the place expires after half an hour: a later answer goes by direct message. */
  readonly expires: boolean;
  /** Whether it is the app's direct messages, so that there is no other place to fall back to. */
  readonly direct: boolean;
  /** Shows progress; false when no more can be shown. Rejects when that fails. */
  showProgress(body: MessageBody, audience: Visibility): Promise<boolean>;
  /** Shows the answer. Rejects with ResponseUrlExpired when the place has expired. */
  say(body: MessageBody, audience: Visibility): Promise<void>;
  /** Shows a message to the asker alone, beside what is there. */
  sayEphemeral(body: MessageBody): Promise<void>;
  /** The same place for a later message, which replaces nothing. */
  forFollowUp(): Responder;
  /** Deletes the progress message, unless the answer has replaced it. Never rejects. */
  clearProgress(): Promise<void>;
}
