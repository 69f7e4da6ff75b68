import { plainText } from "../../reply/plain-text.ts";
import { type Inline, strong, text, type Text, type TextPart, time, toText } from "../../reply/text.ts";
import { channelName } from "./phrases.ts";
import { DAY, formatDuration, fromMillis, type Milliseconds } from "../../units/time.ts";
import { localMillis } from "../../units/local-time.ts";
import { destinationFromKey, destinationKey, type Platforms } from "../destination.ts";
import { AFTER_OVER, type Silence, silenceActiveUntil, silenceEnds } from "../route/silence.ts";
import { kindNoun, subjectName } from "./subscription-words.ts";

/** The scope of a silence: `node outages of api1 on mainnet`. Pure and total. */
export function silenceScopeWords({ scope, label }: Pick<Silence, "scope" | "label">): Text {
  const { kind, subject, subjects, network } = scope;
  const what = strong(kind === undefined ? (subject === undefined ? "everything" : "all") : kindNoun(kind));
  const about =
    subjects !== undefined
      ? text` of ${subjects.length} subjects`
      : subject === undefined || subject === ""
        ? []
        : text` of ${subjectName(subject, label === undefined ? {} : { [subject]: label })}`;
  const where = network === undefined ? [] : text` on ${strong(network)}`;
  return text`${what}${about}${where}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * When it holds: `until …`, `until 10 min after it is over, … at the latest`, or `every Saturday from 22:00 for 2 h by the clock of Europe/Berlin, first at …`. What repeats has
 * the zone that was named; moments are times of whoever reads.
 */
export function silenceTimeWords(
  { from, until, untilOver, recurrence }: Pick<Silence, "from" | "until" | "untilOver" | "recurrence">,
  now: number,
): Text {
  const at = (moment: Milliseconds): Inline => silenceMoment(moment, recurrence?.until ?? until, now);
  if (untilOver !== undefined) {
    return text`until ${formatDuration(AFTER_OVER)} after ${overWords(untilOver)}, ${at(until)} at the latest`;
  }
  if (recurrence === undefined) {
    return from > now ? text`from ${at(from)} to ${at(until)}` : text`until ${at(until)}`;
  }
  const { every, until: end } = recurrence;
  const local = new Date(localMillis(recurrence.zone, from));
  const day = every === "day" ? "day" : (WEEKDAYS[local.getUTCDay()] ?? "week");
  const clock = local.toISOString().slice(11, 16);
  const first = from > now ? text`first at ${at(from)}` : text`since ${at(from)}`;
  return text`every ${day} from ${clock} for ${formatDuration(until - from)} by the clock of ${recurrence.zone}, ${first}, the last time before ${at(end)}`;
}

/** As people say it: of what ends on the same day the time of day alone. Further away it may be another day elsewhere. */
export function silenceMoment(moment: Milliseconds, end: Milliseconds, now: Milliseconds): Inline {
  const isToday = end - now < DAY / 2 && Math.floor(end / DAY) === Math.floor(now / DAY);
  return time(fromMillis(moment), isToday ? "clock" : "absolute");
}

/** `it is over`, or of several alerts that all of them are. */
function overWords(episodes: readonly string[]): string {
  return episodes.length === 1 ? "it is over" : "all are over";
}

/** How long a silence that holds still does: `2 h left`, or `until it is over`. Pure and total. */
export function silenceLeftWords(silence: Silence, now: Milliseconds): string {
  if (silence.untilOver !== undefined) return `until ${overWords(silence.untilOver)}`;
  return `${formatDuration(Math.max(0, silenceActiveUntil(silence, now) - now))} left`;
}

/** The same with the moment of its end, where that is known: `until …`. Pure and total. */
export function silenceUntilWords(silence: Silence, now: Milliseconds): Text {
  if (silence.untilOver !== undefined) return text`${silenceLeftWords(silence, now)}`;
  const end = silenceActiveUntil(silence, now);
  return text`until ${silenceMoment(end, end, now)}`;
}

/** A change of a silence as a line of the log: made, or ended if its end has come. Pure and total. */
export function silenceLogLine(silence: Silence, by: string, at: Milliseconds): string {
  const what = plainText(silenceScopeWords(silence));
  if (silenceEnds(silence) <= at) return `${silence.id} ended, by ${by}: ${what}`;
  const reason = silence.reason === undefined ? "" : `; reason: ${silence.reason}`;
  return `${silence.id} made, by ${by}: ${what}, ${plainText(silenceTimeWords(silence, at))}${reason}`;
}

/** The end of a silence that lasted until an alert was over, as a line of the log. Pure and total. */
export function silenceOverLine(silence: Silence): string {
  const what = plainText(silenceScopeWords(silence));
  return `${silence.id} ends at ${plainText([time(fromMillis(silence.until))])}: ${what} is over`;
}

/** A silence that holds: its scope, its place (that with the key `here` is `here`), the time left, who made it. Pure and total. */
export function silenceLine(silence: Silence, now: Milliseconds, platforms: Platforms, here?: string): Text {
  const isHere = here !== undefined && silence.scope.destination === here;
  const place = isHere ? toText("here") : silencePlaceWords(silence, platforms);
  return placedWords(silence, silenceLeftWords(silence, now), place);
}

/** A silence, its place, how long it lasts, who made it. Pure and total. */
export function silenceWords(silence: Silence, howLong: TextPart, platforms: Platforms | undefined): Text {
  return placedWords(silence, howLong, silencePlaceWords(silence, platforms));
}

function placedWords(silence: Silence, howLong: TextPart, place: Text): Text {
  const { by, reason } = silence;
  const why = reason === undefined ? [] : text`: ${reason}`;
  return text`${silenceScopeWords(silence)} ${place}, ${howLong}, by ${by}${why}`;
}

/** `in all channels`, `in C123 on Slack`; without `platforms` each is called by its id. Pure and total. */
export function silencePlaceWords({ scope: { destination } }: Silence, platforms?: Platforms): Text {
  if (destination === undefined) return text`in all channels`;
  if (platforms !== undefined && destination === destinationKey(platforms.console)) return text`at the console`;
  const place = destinationFromKey(destination);
  const { platform } = place;
  return text`in ${channelName(place, platforms)} on ${platforms?.nameOf(platform) ?? platform}`;
}
