import { paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, text, type Text } from "../../reply/text.ts";
import type { AlertMessage } from "../message/message.ts";
import type { Platforms } from "../platform.ts";
import { markedTitle } from "./phrases.ts";

type RefusedMessage = Extract<AlertMessage, { type: "refused" }>;

/** Messages that a platform refused: where, why, and what became of them. Pure and total. */
export function describeRefused(message: RefusedMessage, platforms?: Platforms): Reply {
  const { platform, places } = message;
  const name = platforms?.nameOf(platform) ?? platform;
  const dead = places.reduce((sum, one) => sum + one.dead, 0);
  const plain = places.reduce((sum, one) => sum + one.plain, 0);
  const title =
    dead > 0
      ? text`${dead === 1 ? "1 message" : `${dead} messages`} to ${name} ${dead === 1 ? "was" : "were"} given up`
      : text`${name} refused the usual form of ${plain === 1 ? "1 message" : `${plain} messages`}`;
  return reply({
    tone: "warning",
    title: markedTitle("WARNING", title, message),
    blocks: [
      { kind: "list", items: places.map(placeWords) },
      paragraph(text`${commandLine("alerts log")} has each of them.`),
    ],
  });
}

function placeWords({ channel, why, dead, plain }: RefusedMessage["places"][number]): Text {
  const counts = [...(dead === 0 ? [] : [`${dead} given up`]), ...(plain === 0 ? [] : [`${plain} sent as plain text`])];
  return text`${code(channel)}: ${counts.join(", ")}. ${why}`;
}
