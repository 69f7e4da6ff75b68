import { paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis, toMillis } from "../../units/nanoseconds.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import type { AlertMessage } from "../message/message.ts";
import { type Silence, silenceActiveUntil } from "../route/silence.ts";
import type { Platforms } from "../platform.ts";
import { markedTitle } from "./phrases.ts";
import { silenceScopeWords } from "./silence-words.ts";
import { destinationFromKey, destinationKey } from "../destination.ts";

/** The silences that hold, for the operators. Pure and total. */
export function describeSilences(message: Extract<AlertMessage, { type: "silences" }>, platforms?: Platforms): Reply {
  const { silences, at } = message;
  const now = toMillis(timeFromText(at));
  const count = silences.length === 1 ? "1 silence is active" : `${silences.length} silences are active`;
  return reply({
    tone: "warning",
    title: markedTitle("SILENCED", text`${count}: alerts are being kept back`, message),
    blocks: [
      { kind: "list", items: silences.map((one) => silenceWords(one, untilWords(one, now), platforms)) },
      paragraph(text`${commandLine("alerts unsilence <id>")} ends one, where it was made or at the console.`),
    ],
  });
}

/** A silence that holds: its scope, its place, the time left, who made it. Pure and total. */
export function silenceLine(silence: Silence, now: Milliseconds, platforms?: Platforms): Text {
  const left = formatDuration(Math.max(0, silenceActiveUntil(silence, now) - now));
  return silenceWords(silence, `${left} left`, platforms);
}

/** What stays true in a message that is not edited. */
function untilWords(silence: Silence, now: Milliseconds): Text {
  return text`until ${time(fromMillis(silenceActiveUntil(silence, now)))}`;
}

function silenceWords(silence: Silence, howLong: TextPart, platforms: Platforms | undefined): Text {
  const { id, by, reason } = silence;
  const why = reason === undefined ? [] : text`: ${reason}`;
  return text`${code(id)}: ${silenceScopeWords(silence)} ${silencePlaceWords(silence, platforms)}, ${howLong}, by ${by}${why}`;
}

/** `in all places`, `in C123 on Slack`; without `platforms` each is called by its id. Pure and total. */
export function silencePlaceWords({ scope: { destination } }: Silence, platforms?: Platforms): Text {
  if (destination === undefined) return text`in all places`;
  if (platforms !== undefined && destination === destinationKey(platforms.console)) return text`at the console`;
  const { platform, channel } = destinationFromKey(destination);
  return text`in ${code(channel)} on ${platforms?.nameOf(platform) ?? platform}`;
}
