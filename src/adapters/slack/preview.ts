import { previewFiles } from "../../reply/message-files.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Preview } from "../adapter.ts";
import { slackPlatform } from "./platform.ts";
import { renderSlack } from "./render/render.ts";
import { isShownToAll } from "./respond/invocation.ts";

/** The console's view of Slack: the message itself, who sees it, and its files. */
export const slackPreview: Preview = {
  platform: slackPlatform.id,
  name: slackPlatform.name,
  render(reply: Reply, as) {
    const onlyAsker = as !== "alert" && !isShownToAll(as);
    const answer = { asker: "U0", ask: { command: "help", options: {} }, shareable: onlyAsker };
    const { text, blocks, files, filesLater } = renderSlack(reply, as === "alert" ? {} : answer);
    return {
      onlyAsker,
      message: { text, blocks },
      filesLater,
      files: previewFiles(files),
    };
  },
};
