import { previewFiles } from "../../reply/message-files.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Preview } from "../adapter.ts";
import { slackPlatform } from "./platform.ts";
import { renderSlack } from "./render/render.ts";
import { isShownToAll } from "./respond/invocation.ts";

/** The console's view of Slack under this root command: the message itself, who sees it, and its files. */
export function createSlackPreview(command?: string): Preview {
  const root = command === undefined ? {} : { command };
  return { platform: slackPlatform.id, name: slackPlatform.name, render };

  function render(reply: Reply, as: Parameters<Preview["render"]>[1]): unknown {
    const onlyAsker = as !== "alert" && !isShownToAll(as);
    const answer = { ...root, asker: "U0", ask: { command: "help", options: {} }, shareable: onlyAsker };
    const { text, blocks, files, filesLater } = renderSlack(reply, as === "alert" ? root : answer);
    return {
      onlyAsker,
      message: { text, blocks },
      filesLater,
      files: previewFiles(files),
    };
  }
}
