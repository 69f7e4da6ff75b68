import type { Reply } from "../../reply/reply.ts";
import type { Preview } from "../adapter.ts";
import { renderSlack } from "./render.ts";

/** The console's view of Slack: the very message, with what its files are. */
export const slackPreview: Preview = {
  platform: "slack",
  render(reply: Reply) {
    const { text, blocks, files, filesLater } = renderSlack(reply, {
      asker: "U0",
      ask: { command: "help", options: {} },
      shareable: true,
    });
    return {
      message: { text, blocks },
      filesLater,
      files: files.map(({ name, alt, attachment }) => ({
        name,
        ...(alt === undefined ? {} : { alt }),
        sizeBytes: attachment.sizeBytes,
        mediaType: attachment.mediaType,
        sha256: attachment.sha256,
      })),
    };
  },
};
