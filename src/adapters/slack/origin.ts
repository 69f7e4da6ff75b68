import type { Caller, Visibility } from "../../bot/invocation.ts";
import type { Responder } from "./surface.ts";

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
