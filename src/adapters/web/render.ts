import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { type ReplyJson, replyToJson } from "../../reply/json.ts";
import type { Reply } from "../../reply/reply.ts";
import type { AnswerAudience, Preview } from "../adapter.ts";
import type { FileCache } from "../file-cache.ts";

/** A reply as the page gets it: its JSON, and the payloads that other platforms would be sent for the very same reply. */
export type Answer = ReplyJson & { readonly previews?: Readonly<Record<string, unknown>> };

export interface RenderDependencies {
  readonly files: FileCache;
  readonly previews: readonly Preview[];
  readonly log: Log;
}

/** A reply for the page, with previews for the audience given; its files are kept for download from here on. */
export function render(reply: Reply, parts: RenderDependencies, previewed?: AnswerAudience): Answer {
  // Rendered for the other platforms first: what they read from the files must still be there.
  const previews = previewed === undefined ? undefined : renderPreviews(reply, parts, previewed);
  const json = replyToJson(reply, (file) => `/api/files/${parts.files.keep(file)}`);
  return previews === undefined ? json : { ...json, previews };
}

/** The payloads that the other platforms would be sent for a reply. */
export function renderPreviews(
  reply: Reply,
  parts: Pick<RenderDependencies, "previews" | "log">,
  as: AnswerAudience | "alert",
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    parts.previews.map((preview) => {
      try {
        return [preview.platform, preview.render(reply, as)];
      } catch (thrown) {
        // A renderer is total; where one is not after all, the answer itself must not suffer.
        parts.log.error({ platform: preview.platform, why: messageOf(thrown) }, "a preview could not be rendered");
        return [preview.platform, null];
      }
    }),
  );
}
