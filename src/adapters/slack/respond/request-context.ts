import type { Receipt } from "../../../alerts/sender.ts";
import type { Caller, Prepared, Visibility } from "../../../bot/invocation.ts";
import type { Reply } from "../../../reply/reply.ts";
import type { MessageBody } from "../render/compose.ts";
import type { Place } from "./place.ts";

/** The context of a request: who asked, where, and how to answer. */
export interface RequestContext {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly channel: string | undefined;
  readonly thread?: string | undefined;
  readonly responder: Responder;
  /** It was asked for everybody to see: they see what everybody may see. */
  readonly openly?: boolean;
  /** Overrides the audience of the command. */
  readonly audience?: Visibility;
  /** The command was asked before: the button repeats it. */
  readonly again?: true;
  /** The answer takes the place of an offer that the bot posted for everybody. */
  readonly taken?: boolean;
  /** The alert's message whose button was pressed. */
  readonly pressed?: Receipt;
  /** The answer replaces an error, so its files, if any, were not sent. */
  readonly fresh?: true;
  /** A line of mrkdwn above the answer. */
  readonly above?: string;
  /** The command runs already: a form stayed open until its values were known to be right. */
  readonly started?: StartedCommand;
}

/** A command that a form has started. */
export interface StartedCommand {
  readonly prepared: Prepared;
  /** Tells its progress, beginning with the last that there was. */
  follow(progress: (latest: Reply) => void): void;
}

/** Sends the progress and answer of one request. */
export interface Responder {
  /** Its place, always of one kind, with what it shows there now: another process can go on from it. */
  place(): Place;
  /** Others could see an answer there. */
  readonly shared?: boolean;
  /** The answer replaces the message of the button. */
  readonly replacesMessage?: boolean;
  /** Whether the answer replaces the progress message; left out, it does. */
  replacesProgress?(audience: Visibility): boolean;
  /** Shows progress. Rejects when that fails. */
  showProgress(body: MessageBody, audience: Visibility): Promise<void>;
  /** Shows the answer. Rejects with ResponseUrlExpired when the response_url has expired. */
  say(body: MessageBody, audience: Visibility): Promise<void>;
  /** Whether a second answer takes the place of the first; left out, it does. */
  amends?(audience: Visibility): boolean;
  /** Shows an additional message to the asker alone. */
  sayEphemeral(body: MessageBody): Promise<void>;
  /** A responder for a later message in the same place, which replaces nothing; left out, this one. */
  forFollowUp?(): Responder;
  /** Deletes the progress message, unless the answer has replaced it. Never rejects. Left out, there is nothing to delete. */
  clearProgress?(): Promise<void>;
}
