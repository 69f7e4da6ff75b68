import type { Platforms } from "../alerts/destination.ts";
import type { ExportAsker } from "../export/jobs/job.ts";
import type { Caller, Target } from "./invocation.ts";

/** Who asks for an export. A job belongs to one person, in every place of their platform. */
export function exportAsker({
  here,
  caller,
  platforms,
}: {
  readonly here: Target;
  readonly caller: Caller;
  readonly platforms: Platforms;
}): ExportAsker {
  const { platform, workspace, channel } = here;
  const chat = platforms.chat(platform);
  return {
    platform,
    person: caller.id,
    place: workspace ?? "",
    ...(chat?.peoplePerWorkspace === true ? { workspace: workspace ?? "" } : {}),
    ...(channel === undefined ? {} : { channel }),
    takesDirectMessages: chat !== undefined,
    isOperator: platforms.isOperators(platform),
  };
}
