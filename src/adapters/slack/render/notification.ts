import { shortText } from "../../../reply/fold.ts";
import type { Reply } from "../../../reply/reply.ts";
import { type Text, timeOf } from "../../../reply/text.ts";
import { formatDuration, type Milliseconds, toMillis } from "../../../units/time.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { TEXT_LENGTH } from "../limits.ts";
import { renderPlain } from "./mrkdwn.ts";

/** Title and first lines above the fold, in the digits that people read, for a notification. */
export function notificationText(reply: Reply, now: Milliseconds | undefined): string {
  const above = reply.blocks.filter((block) => !("detail" in block));
  const [first] = above.flatMap((block) => (block.kind === "paragraph" ? [block.text] : []));
  const title = renderPlain(counted(shortText(reply.title), now), TEXT_LENGTH / 2).text;
  const rest = first === undefined ? "" : renderPlain(counted(shortText(first), now), TEXT_LENGTH / 2 - 10).text;
  const text = `${TONE_SIGNS[reply.tone]}${[title, rest].filter((part) => part !== "").join(": ")}`.trim();
  return text === "" ? "–" : text;
}

/**
 * A text whose times count from now. Blocks have them in the reader's zone; no page of Slack's says that a notification
 * draws them, so a clock there would be another one.
 */
function counted(content: Text, now: Milliseconds | undefined): Text {
  if (now === undefined) return content;
  return content.map((inline) =>
    inline.kind === "time" ? { kind: "text", text: distanceWords(now - toMillis(timeOf(inline))) } : inline,
  );
}

function distanceWords(millis: Milliseconds): string {
  if (Math.abs(millis) < 1000) return "now";
  return millis > 0 ? `${formatDuration(millis)} ago` : `${formatDuration(-millis)} from now`;
}
