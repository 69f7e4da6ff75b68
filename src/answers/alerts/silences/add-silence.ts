import { isDeepStrictEqual } from "node:util";

import { ALERT_KINDS, isPersonalKind } from "../../../alerts/judge/kinds/kinds.ts";
import { isSilenceActive, type Silence } from "../../../alerts/route/silence.ts";
import type { Episode } from "../../../alerts/judge/rules/episode.ts";
import { happening } from "../../../alerts/words/condition-words.ts";
import { timelineOf } from "../../../alerts/words/describe-condition.ts";
import {
  silenceLeftWords,
  silenceMoment,
  silenceScopeWords,
  silenceTimeWords,
  silenceUntilWords,
} from "../../../alerts/words/silence-words.ts";
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { quoteValue } from "../../../bot/grammar/tokens.ts";
import { managerRemedy } from "../../../bot/invocation.ts";
import { together, UserError } from "../../../errors.ts";
import { field, type Field, fields, paragraph } from "../../../reply/block.ts";
import {
  type Action,
  commandAction,
  givenOptions,
  invalidatingAction,
  inZone,
  reply,
  type Reply,
} from "../../../reply/reply.ts";
import { strong, type Text, text } from "../../../reply/text.ts";
import { formatDuration, formatSpan, type Milliseconds, toMillis } from "../../../units/time.ts";
import { isTimeZone } from "../../../units/local-time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { isSpan } from "../alert-times.ts";
import { type AlertCommandContext, changeAnnouncements, runExclusive } from "../alerts.ts";
import {
  callerPerson,
  destinationHere,
  destinationWords,
  isCaller,
  isOperator,
  isSameDestination,
  parseDestination,
  requireManagerOrMentioned,
} from "../destination.ts";
import { alertPlace, overActions } from "../episodes/episodes.ts";
import { createShortId } from "../short-id.ts";
import {
  episodesToEnd,
  lineWith,
  inCallersZone,
  parseSilenceScope,
  parseSilenceTimes,
  type SilenceValues,
  TIME_TOLERANCE,
} from "./parse-silence.ts";
import { isLength, isResolved } from "./silence-options.ts";
import { affectedDestinations, coversEverything, withQuietHours } from "./silences.ts";
import { type Destination, destinationKey } from "../../../alerts/destination.ts";

/** Each is checked for every message, and people cannot keep track of more in one channel. */
const MAX_SILENCES_PER_DESTINATION = 100;

/** A night: how far ahead somebody whom the alerts mention, and who does not manage the channel, can silence them. */
const MENTIONED_DURATION: Milliseconds = 8 * 3_600_000;

/** Silences alerts here for a while, or at all destinations where an operator asks. */
export async function addSilence(context: AlertCommandContext, typed: SilenceValues): Promise<Reply> {
  const { alerts, caller } = context;
  const values = await inCallersZone(context, withDuration(typed));
  const now = toMillis(context.now());
  // A mistake in the scope comes first: the line that a missing end suggests repeats the scope.
  if (values.for === undefined && values.until === undefined) await parseSilenceScope(context, values);
  const [when, typedPlace, named] = await together(
    () => parseSilenceTimes(values, now),
    () => (values.to === undefined ? undefined : parseDestination(values.to, context)),
    () => parseSilenceScope(context, values),
  );
  const { scope, label, notes, episodes: [episode] = [], ended } = named;
  const destination = typedPlace ?? (await defaultDestination(context, episode));
  const may = await requireManagerOrMentioned(context, "silence its alerts", destination ?? destinationHere(context));
  if (may === "mentioned") requireShortSilence(context, values, when, now);
  if (ended !== undefined) return endedReply(ended, values.for);
  const untilOver = isResolved(values.until) ? { untilOver: await episodesToEnd(context, values, named) } : {};
  requireEffect(destination, scope, context.platforms.console);
  if (values.what === undefined && values.subject === undefined) return everythingReply(context, values, destination);
  const wanted: WantedSilence & Pick<Silence, "zone"> = {
    scope: { ...(destination === undefined ? {} : { destination: destinationKey(destination) }), ...scope },
    ...when,
    ...untilOver,
  };
  return runExclusive(alerts, async () => {
    const all = await alerts.silences();
    const own = all.filter(({ scope: of }) => of.destination === wanted.scope.destination);
    const alike = silencesAlike(wanted, own);
    const known = alike.find((one) => lastsAsLong(wanted, one));
    if (known !== undefined) return existingSilenceReply(known, now);
    const earlier = alike.find((one) => isLengthenedBy(wanted, one));
    if (earlier === undefined && own.length >= MAX_SILENCES_PER_DESTINATION) {
      throw new UserError(`There are ${own.length} silences in this place already, and no more are kept.`, {
        remedy: "End some of them, or silence more at once. They are listed by:",
        suggestion: "alerts silences",
      });
    }
    const silence: Silence = {
      ...(earlier ?? { id: createShortId(all), person: callerPerson(context) }),
      ...wanted,
      ...withoutUndefined({ from: earlier?.from, label, reason: values.reason }),
      by: caller.name,
      created: now,
    };
    const affected = destination === undefined ? await affectedDestinations(context, silence) : [destination];
    const announced = changeAnnouncements(context, affected, { what: "silenced", silence });
    if (!(await alerts.putSilence(silence, caller.name, announced))) {
      return existingSilenceReply((await alerts.silence(silence.id)) ?? silence, now);
    }
    const isQuiet = withQuietHours(silence, await alerts.subscriptions()).length > 0;
    const said = reply({
      tone: "good",
      title: text`Silenced ${silenceScopeWords(silence)}${lengthWords(silence, now)}`,
      blocks: [
        fields([
          ...silenceFields(silence, now),
          field("Where", destination === undefined ? "all channels" : destinationWords(destination, context)),
          ...(silence.reason === undefined ? [] : [field("Reason", silence.reason, { wide: true })]),
        ]),
        ...(earlier === undefined
          ? []
          : [paragraph(text`It was lengthened. Before: ${silenceTimeWords(earlier, now)}.`)]),
        ...notes,
        paragraph(
          `${coversEverything(scope) ? "Critical alerts are kept back, too. " : ""}What still fires when it ends is told then${isQuiet ? ", or after quiet hours" : ""}.`,
        ),
      ],
      actions: may === "manager" || isCaller(silence.person, context) ? [unsilenceAction(silence)] : [],
    });
    return inItsZone(said, silence);
  });
}

/** Throws UserError for a silence that is too long for somebody whom the alerts mention. */
function requireShortSilence(
  context: AlertCommandContext,
  values: SilenceValues,
  { until, recurrence }: Pick<Silence, "until" | "recurrence">,
  now: Milliseconds,
): void {
  if (recurrence === undefined && until <= now + MENTIONED_DURATION + TIME_TOLERANCE) return;
  const most = formatDuration(MENTIONED_DURATION);
  throw new UserError(
    `Whom its alerts mention can silence this channel for the next ${most} at most; only people who manage it can do more.`,
    {
      option: recurrence !== undefined ? "every" : values.until === undefined ? "for" : "until",
      remedy: `${managerRemedy(context, context.platforms)} The longest for you is:`,
      suggestion: lineWith({ ...values, from: undefined }, { for: formatSpan(MENTIONED_DURATION) }),
    },
  );
}

/** Silences nothing: the alert is over, and a silence would keep back the next one. */
function endedReply(episode: Episode, length?: string): Reply {
  return reply({
    tone: "warning",
    title: text`Nothing is silenced: that is over. ${happening(episode)}`,
    blocks: [fields(timelineOf(episode)), paragraph("A silence now would keep back the next alert of this kind.")],
    failure: "caller",
    actions: overActions(episode, length),
  });
}

/** Silences nothing: everything must be named, or confirmed by the button. */
function everythingReply(
  context: AlertCommandContext,
  { for: length, subject, from, every, zone, until, reason, to, network }: SilenceValues,
  destination: Destination | undefined,
): Reply {
  const others = givenOptions({ subject, from, every, zone, until, reason, to, network });
  const short = `alerts silence all${length === undefined ? "" : ` ${quoteValue(length)}`}`;
  const where = destination === undefined ? text`in all channels` : text`in ${destinationWords(destination, context)}`;
  const onNetwork = network === undefined ? text`` : text` on ${strong(network)}`;
  return reply({
    tone: "warning",
    title: text`Silence everything${onNetwork}, ${where}?`,
    blocks: [
      paragraph("Nothing is silenced yet: no kind, market, node or episode was named. If everything is meant:"),
      { kind: "code", text: formatLine({ command: short, options: others }), command: true },
    ],
    failure: "caller",
    actions: [commandAction("Silence everything", "alerts silence", { what: "all", for: length, ...others })],
  });
}

/** Personal watches reach their owner alone: a silence of them elsewhere has no effect. */
function requireEffect(destination: Destination | undefined, { kind }: Silence["scope"], operators: Destination): void {
  const isPersonal = ALERT_KINDS.some((one) => one === kind && isPersonalKind(one));
  const isOwn =
    destination !== undefined && (destination.channel.startsWith("user:") || isSameDestination(destination, operators));
  if (!isPersonal || isOwn) return;
  throw new UserError(`${kind ?? ""} is told to whoever watches it: a silence here would keep nothing back.`, {
    option: "what",
    remedy:
      "Type it in your direct messages with the bot (at the console add to:console), or pause what you watch. It is listed by:",
    suggestion: "alerts list",
  });
}

type WantedSilence = Pick<Silence, "scope" | "from" | "until" | "untilOver" | "recurrence">;

/** Those of the same content that have begun: a button pressed twice asks for the same hour a moment later. */
function silencesAlike(wanted: WantedSilence, all: readonly Silence[]): readonly Silence[] {
  return all.filter(
    (one) =>
      isDeepStrictEqual(one.scope, wanted.scope) &&
      isDeepStrictEqual(one.untilOver, wanted.untilOver) &&
      one.from <= wanted.from + TIME_TOLERANCE,
  );
}

/** What stands where a silence keeps back already what is wanted; undefined where none does. */
export function standingSilenceReply(
  wanted: WantedSilence,
  all: readonly Silence[],
  now: Milliseconds,
): Reply | undefined {
  const known = silencesAlike(wanted, all).find((one) => lastsAsLong(wanted, one));
  return known === undefined ? undefined : existingSilenceReply(known, now);
}

/** Whether the known silence comes as often as the wanted one, and ends no earlier; both wait for the same alerts or for none. */
function lastsAsLong(wanted: Pick<Silence, "until" | "untilOver" | "recurrence">, known: Silence): boolean {
  if (wanted.untilOver !== undefined) return true;
  return (
    isDeepStrictEqual(wanted.recurrence, known.recurrence) &&
    (wanted.recurrence === undefined ? known.until >= wanted.until - TIME_TOLERANCE : known.until === wanted.until)
  );
}

/** Whether the wanted silence begins while the known one holds, and ends later: both become one. */
function isLengthenedBy(wanted: Pick<Silence, "from" | "until" | "recurrence">, known: Silence): boolean {
  const once = wanted.recurrence === undefined && known.recurrence === undefined;
  return once && known.until >= wanted.from && known.until < wanted.until;
}

function existingSilenceReply(known: Silence, now: Milliseconds): Reply {
  const scope = silenceScopeWords(known);
  const said = reply({
    title: isSilenceActive(known, now)
      ? text`Silenced already: ${scope}, ${silenceUntilWords(known, now)}`
      : text`Nothing changed: a silence of ${scope} covers that`,
    blocks: [fields([...silenceFields(known, now), field("By", known.by)])],
    actions: [unsilenceAction(known)],
    // Whoever may ends it where all read this, too.
    told: true,
  });
  return inItsZone(said, known);
}

/** The answer by the clock that read the times of its silence, where the words name it. */
function inItsZone(said: Reply, silence: Silence): Reply {
  const zone = zoneNamed(silence) ?? silence.recurrence?.zone;
  return zone === undefined || !isTimeZone(zone) ? said : inZone(said, zone);
}

function zoneNamed({ zone, recurrence }: Silence): string | undefined {
  return recurrence === undefined && zone !== undefined && isTimeZone(zone) ? zone : undefined;
}

function silenceFields(silence: Silence, now: Milliseconds): Field[] {
  const zone = zoneNamed(silence);
  const byClock = zone === undefined ? "" : ` by the clock of ${zone}`;
  return [
    field("Holds", text`${silenceTimeWords(silence, now)}${byClock}`, {
      wide: silence.recurrence !== undefined,
    }),
  ];
}

function unsilenceAction({ id }: Silence): Action {
  return invalidatingAction("End silence", "alerts unsilence", { id });
}

/** ` for 2 h`, ` until it is over`; of a silence that begins later, or comes again, from when on. */
function lengthWords(silence: Silence, now: Milliseconds): Text {
  const { from, until, untilOver, recurrence } = silence;
  if (untilOver !== undefined) return text` ${silenceLeftWords(silence, now)}`;
  if (recurrence !== undefined) return text` every ${recurrence.every}`;
  const length = formatDuration(until - Math.max(from, now));
  return from > now ? text` for ${length} from ${silenceMoment(from, until, now)}` : text` for ${length}`;
}

/** `alerts silence 1h`, or tonight, gives a duration and no scope. */
function withDuration(typed: SilenceValues): SilenceValues {
  const { what, ...rest } = typed;
  return what !== undefined && typed.for === undefined && isLength(what)
    ? { ...rest, for: isSpan(what) ? what : "night" }
    : typed;
}

/** Undefined = all destinations, for operators. */
async function defaultDestination(
  context: AlertCommandContext,
  episode: Episode | undefined,
): Promise<Destination | undefined> {
  if (isOperator(context)) return undefined;
  return episode === undefined ? destinationHere(context) : alertPlace(episode, context);
}
