import { strong, text, time, type Text } from "../reply/text.ts";
import { formatDuration } from "../units/duration.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import type { Silence } from "./silence.ts";
import { subjectName, type Labels } from "./subscription-words.ts";

/** What a silence keeps back: `node.down at api1 on mainnet`. Pure and total. */
export function silenceScopeWords({ scope }: Silence, labels: Labels = {}): Text {
  const { kind, subject, network } = scope;
  const what =
    kind === undefined ? text`${strong(subject === undefined ? "everything" : "all")}` : text`${strong(kind)}`;
  const about = subject === undefined || subject === "" ? [] : text` of ${subjectName(subject, labels)}`;
  const where = network === undefined ? [] : text` on ${strong(network)}`;
  return text`${what}${about}${where}`;
}

/** When it holds: `until …`, or `every day from … for 2 h until …`. */
export function silenceTimeWords({ from, until, recurrence }: Silence, now: number): Text {
  const start = fromMillis(from);
  if (recurrence === undefined) {
    return from > now
      ? text`from ${time(start)} to ${time(fromMillis(until))}`
      : text`until ${time(fromMillis(until))}`;
  }
  return text`every ${recurrence.every} from ${time(start)} for ${formatDuration(until - from)}, the last time before ${time(fromMillis(recurrence.until))}`;
}
