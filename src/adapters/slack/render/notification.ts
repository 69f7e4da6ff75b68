import { shortText } from "../../../reply/fold.ts";
import type { Reply } from "../../../reply/reply.ts";
import { type Text, timeOf } from "../../../reply/text.ts";
import { formatUtc, fromMillis, type Milliseconds } from "../../../units/time.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { TEXT_LENGTH } from "../limits.ts";
import { renderPlain } from "./mrkdwn.ts";

/** Title and first lines above the fold, in the digits that people read, for a notification. */
export function notificationText(reply: Reply, now: Milliseconds | undefined): string {
  const above = reply.blocks.filter((block) => !("detail" in block));
  const [first] = above.flatMap((block) => (block.kind === "paragraph" ? [block.text] : []));
  const title = renderPlain(withUtcTimes(shortText(reply.title), now), TEXT_LENGTH / 2).text;
  const rest = first === undefined ? "" : renderPlain(withUtcTimes(shortText(first), now), TEXT_LENGTH / 2 - 10).text;
  const text = `${TONE_SIGNS[reply.tone]}${[title, rest].filter((part) => part !== "").join(": ")}`.trim();
  return text === "" ? "–" : text;
}

/**
 * A text with its times in words: a notification is plain text, in which Slack draws no time in the reader's zone. They
 * name UTC, and the date where it is not that of `now`.
 */
function withUtcTimes(content: Text, now: Milliseconds | undefined): Text {
  const today = now === undefined ? "" : formatUtc(fromMillis(now)).slice(0, 11);
  return content.map((inline) => {
    if (inline.kind !== "time") return inline;
    const whole = formatUtc(timeOf(inline)).replace(/(?<=:\d\d):00(?= UTC)/u, "");
    return { kind: "text", text: whole.startsWith(today) ? whole.slice(today.length) : whole };
  });
}
