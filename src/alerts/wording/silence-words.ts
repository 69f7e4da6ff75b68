import { plainText } from "../../reply/plain-text.ts";
import { strong, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { localMillis } from "../routing/local-time.ts";
import { type Silence, silenceEnds } from "../routing/silence.ts";
import { type Labels, subjectName } from "./subscription-words.ts";

/** The scope of a silence: `node.down at api1 on mainnet`. Pure and total. */
export function silenceScopeWords({ scope, label }: Silence, labels: Labels = {}): Text {
  const { kind, subject, subjects, network } = scope;
  const names = subject === undefined || label === undefined ? labels : { [subject]: label };
  const what =
    kind === undefined ? text`${strong(subject === undefined ? "everything" : "all")}` : text`${strong(kind)}`;
  const about =
    subjects !== undefined
      ? text` of ${subjects.length} subjects`
      : subject === undefined || subject === ""
        ? []
        : text` of ${subjectName(subject, names)}`;
  const where = network === undefined ? [] : text` on ${strong(network)}`;
  return text`${what}${about}${where}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** When it holds: `until …`, or `every Saturday from 22:00 for 2 h by the clock of Europe/Berlin, first at …`. */
export function silenceTimeWords({ from, until, recurrence }: Silence, now: number): Text {
  const start = fromMillis(from);
  if (recurrence === undefined) {
    return from > now
      ? text`from ${time(start)} to ${time(fromMillis(until))}`
      : text`until ${time(fromMillis(until))}`;
  }
  const { every, zone, until: end } = recurrence;
  const local = new Date(localMillis(zone, from));
  const day = every === "day" ? "day" : (WEEKDAYS[local.getUTCDay()] ?? "week");
  const clock = local.toISOString().slice(11, 16);
  const first = from > now ? text`first at ${time(start)}` : text`since ${time(start)}`;
  return text`every ${day} from ${clock} for ${formatDuration(until - from)} by the clock of ${zone}, ${first}, the last time before ${time(fromMillis(end))}`;
}

/** A change of a silence as a line of the log: made, or ended if its end has come. Pure and total. */
export function silenceLogLine(silence: Silence, by: string, at: Milliseconds): string {
  const what = plainText(silenceScopeWords(silence));
  if (silenceEnds(silence) <= at) return `${silence.id} ended, by ${by}: ${what}`;
  const reason = silence.reason === undefined ? "" : `; reason: ${silence.reason}`;
  return `${silence.id} made, by ${by}: ${what}, ${plainText(silenceTimeWords(silence, at))}${reason}`;
}
