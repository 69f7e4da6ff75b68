import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { ReplyJson } from "../../reply/document.ts";
import { replyToJson } from "../../reply/json.ts";
import type { Reply } from "../../reply/reply.ts";
import type { AnswerAudience, Preview } from "../adapter.ts";
import type { FileCache } from "../file-cache.ts";

export type { PreviewPress } from "../adapter.ts";

/** A reply as sent to the page: its JSON, and the payloads for the previews of other platforms. */
export type Answer = ReplyJson & { readonly previews?: Readonly<Record<string, unknown>> };

export interface RenderDependencies {
  readonly files: FileCache;
  /** Previews of other platforms, in the order of the tabs. */
  readonly previews: readonly Preview[];
  readonly log: Log;
}

/** Renders a reply for the page, with previews for the given audience, and caches its files for download. */
export function render(reply: Reply, dependencies: RenderDependencies, previewed?: AnswerAudience): Answer {
  // Previews first: they may read the files, which `replyToJson` then takes over.
  const previews = previewed === undefined ? undefined : renderPreviews(reply, dependencies, previewed);
  const json = replyToJson(reply, (file) => `/api/files/${dependencies.files.add(file)}`);
  return previews === undefined ? json : { ...json, previews };
}

/** The payloads that the other platforms would get for a reply. */
export function renderPreviews(
  reply: Reply,
  dependencies: Pick<RenderDependencies, "previews" | "log">,
  as: AnswerAudience | "alert",
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    dependencies.previews.map((preview) => {
      try {
        return [preview.platform, preview.render(reply, as)];
      } catch (thrown) {
        // A bug in one renderer must not cost the answer itself.
        dependencies.log.error({ platform: preview.platform, why: messageOf(thrown) }, "preview failed");
        return [preview.platform, null];
      }
    }),
  );
}
