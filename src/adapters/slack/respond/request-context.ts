import type { Caller, Visibility } from "../../../bot/invocation.ts";
import type { MessageBody } from "../render/compose.ts";

/** Who asked and where. */
export interface RequestContext {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly channel: string | undefined;
  /** The thread that an answer for all belongs in. */
  readonly thread?: string | undefined;
  readonly surface: Responder;
  /** Who sees the answer, whatever the question says. */
  readonly audience?: Visibility;
  /** What the answer takes the place of was none: its files, if any, were not sent. */
  readonly fresh?: true;
  /** Stands above the answer, in mrkdwn. */
  readonly above?: string;
}

/** Where one question is answered. */
export interface Responder {
  /** Whether others could see an answer there. */
  readonly shared: boolean;
  /** Whether what is said takes the place of a message that stands there. */
  readonly replacesMessage: boolean;
  /** Whether the answer takes the place of what tells how far it is. */
  replacesProgress(audience: Visibility): boolean;
  /** How often it can be told how far it is: at first each time may cost one of a few uses. */
  readonly pace: "few" | "steady";
  /** Whether nothing can be said there after half an hour: what comes later comes by direct message. */
  readonly expires: boolean;
  /** Whether it is the app's direct messages, so that there is no other place to go to. */
  readonly direct: boolean;
  /** Shows how far it is; false when nothing more can be shown. Rejects when that fails. */
  showProgress(body: MessageBody, audience: Visibility): Promise<boolean>;
  /** Says the answer. Rejects with ResponseUrlGone when it is too late for that. */
  say(body: MessageBody, audience: Visibility): Promise<void>;
  /** Says something to the asker alone, beside what stands there. */
  sayEphemeral(body: MessageBody): Promise<void>;
  /** The same place for something else to say, which takes the place of nothing that was said. */
  forFollowUp(): Responder;
  /** Takes away what told how far it was, where the answer has not taken its place. Never rejects. */
  clearProgress(): Promise<void>;
}

/** Nothing said ever unfolds links. */
export const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const;

/** What is said, as the Web API takes it. */
export function messageArguments({ text, blocks }: MessageBody) {
  return { ...NO_UNFURL, text, blocks: [...blocks] };
}
