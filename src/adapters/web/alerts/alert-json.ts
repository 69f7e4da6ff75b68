import type { DeliverySubject } from "../../../alerts/sender.ts";
import type { FeedAlert } from "../../../alerts/service/feed.ts";
import type { Action, Attachment, Reply } from "../../../reply/reply.ts";
import type { ReplyJson } from "../../../reply/document.ts";
import { replyToJson } from "../../../reply/json.ts";
import { type RenderDependencies, renderPreviews } from "../render.ts";

/** One delivery, as `GET /api/alerts` sends it. */
export interface AlertJson extends DeliverySubject {
  /** The delivery's id; an alert with a known id replaces the former one. */
  readonly id: string;
  /** What several of its kind are called: `auctions`. */
  readonly noun: string;
  readonly reply: ReplyJson;
}

/** Its files are read from the store on download, so that they outlive the process. */
export function alertJson({ id, about, noun, reply }: FeedAlert): AlertJson {
  const files = new Map(filesOf(reply).map((file, index) => [file, `/api/alerts/${id}/files/${index}`]));
  return { id, ...about, noun, reply: replyToJson(reply, (file) => files.get(file)) };
}

/** The same with previews of other platforms, as its message is by now: without Acknowledge where it is settled. */
export function alertWithPreviews(
  alert: FeedAlert,
  dependencies: Pick<RenderDependencies, "previews" | "log">,
  settled: boolean,
): AlertJson & { readonly previews: Readonly<Record<string, unknown>> } {
  const { reply } = alert;
  const acknowledges = (action: Action): boolean =>
    "invocation" in action && action.invocation.command === "alerts ack";
  const shown = settled ? { ...reply, actions: reply.actions.filter((action) => !acknowledges(action)) } : reply;
  return { ...alertJson(alert), previews: renderPreviews(shown, dependencies, "alert") };
}

/** All files of a reply, in the order of their numbers. */
export function filesOf({ picture, attachments }: Reply): readonly Attachment[] {
  return picture === undefined ? attachments : [picture, ...attachments];
}
