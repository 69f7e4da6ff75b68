import { isDeepStrictEqual } from "node:util";

import { ALERT_KINDS, isPersonalKind } from "../../../alerts/kinds/kinds.ts";
import type { Silence } from "../../../alerts/routing/silence.ts";
import { destinationKey, isAlive } from "../../../alerts/routing/subscription.ts";
import type { Destination } from "../../../alerts/sender.ts";
import { CONSOLE_DESTINATION } from "../../../alerts/service/service.ts";
import { silenceScopeWords, silenceTimeWords } from "../../../alerts/wording/silence-words.ts";
import type { Labels } from "../../../alerts/wording/subscription-words.ts";
import { UserError } from "../../../errors.ts";
import { type Block, field, paragraph } from "../../../reply/block.ts";
import { type Action, reply, type Reply } from "../../../reply/reply.ts";
import { code, text } from "../../../reply/text.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { isSpan } from "../alert-times.ts";
import { changeAnnouncements, runExclusive } from "../alerts.ts";
import { destinationHere, destinationWords, isOperator, isSameDestination, parseDestination } from "../destination.ts";
import { createShortId } from "../short-id.ts";
import type { SubscriptionContext } from "../subscriptions/add-subscription.ts";
import { parseSilenceScope, parseSilenceTimes, type SilenceValues, TIME_TOLERANCE } from "./parse-silence.ts";
import { withQuietHours } from "./silences.ts";

/** Nobody keeps more of one place in mind, and each is looked at for every message. */
const MAX_SILENCES_PER_DESTINATION = 100;

/** Keeps alerts back here for a while, or everywhere where operators ask for it. */
export async function addSilence(context: SubscriptionContext, typed: SilenceValues): Promise<Reply> {
  const { alerts, caller } = context;
  const values = withDuration(typed);
  const now = toMillis(context.now());
  const when = parseSilenceTimes(values, now);
  const place = values.to === undefined ? defaultDestination(context) : parseDestination(values.to, context, alerts);
  const { scope, labels, notes } = await parseSilenceScope(context, values);
  requireEffect(place, scope);
  const wanted: Pick<Silence, "scope" | "from" | "until" | "recurrence"> = {
    scope: { ...(place === undefined ? {} : { destination: destinationKey(place) }), ...scope },
    ...when,
  };
  return runExclusive(alerts, async () => {
    const all = await alerts.silences();
    const known = all.find((one) => isCoveredBy(wanted, one));
    if (known !== undefined) return existingSilenceReply(known, labels, now);
    const there = all.filter(({ scope: { destination } }) => destination === wanted.scope.destination);
    if (there.length >= MAX_SILENCES_PER_DESTINATION) {
      throw new UserError(`There are ${there.length} silences in this place already, and no more are kept.`, {
        remedy: "End some of them, or silence more at once. They are listed by:",
        suggestion: "alerts silences",
      });
    }
    const silence: Silence = {
      id: createShortId(all.map(({ id }) => id)),
      ...wanted,
      ...(values.reason === undefined ? {} : { reason: values.reason }),
      by: caller.name,
      created: now,
    };
    const told = place === undefined ? await affectedDestinations(context, silence) : [place];
    await alerts.putSilence(
      silence,
      caller.name,
      changeAnnouncements(context, told, { what: "silenced", silence }, labels),
    );
    const quiet = withQuietHours(silence, told, await alerts.subscriptions()).length > 0;
    return addedReply(context, silence, { place, labels, notes, now, quiet });
  });
}

/** What people watch for themselves is told to them alone: elsewhere there is nothing of it to keep back. */
function requireEffect(place: Destination | undefined, { kind }: Silence["scope"]): void {
  const isPersonal = ALERT_KINDS.some((one) => one === kind && isPersonalKind(one));
  const isOwn =
    place !== undefined && (place.channel.startsWith("user:") || isSameDestination(place, CONSOLE_DESTINATION));
  if (!isPersonal || isOwn) return;
  throw new UserError(`${kind ?? ""} is told to whoever watches it: a silence here would keep nothing back.`, {
    option: "what",
    remedy:
      "Type it in your direct messages with the bot (at the console add to:console), or pause what you watch. It is listed by:",
    suggestion: "alerts list",
  });
}

/** A button pressed twice asks for an hour a moment later: that is the same silence. */
function isCoveredBy(wanted: Pick<Silence, "scope" | "from" | "until" | "recurrence">, known: Silence): boolean {
  return (
    isDeepStrictEqual(wanted.scope, known.scope) &&
    isDeepStrictEqual(wanted.recurrence, known.recurrence) &&
    known.from <= wanted.from + TIME_TOLERANCE &&
    (wanted.recurrence === undefined ? known.until >= wanted.until - TIME_TOLERANCE : known.until === wanted.until)
  );
}

function existingSilenceReply(known: Silence, labels: Labels, now: Milliseconds): Reply {
  return reply({
    title: text`Nothing changed: ${silenceScopeWords(known, labels)} is silenced already`,
    blocks: [
      {
        kind: "fields",
        fields: [
          field("Silence", code(known.id)),
          field("When", silenceTimeWords(known, now), { wide: true }),
          field("By", known.by),
        ],
      },
    ],
    actions: [unsilenceAction(known)],
  });
}

function unsilenceAction({ id }: Silence): Action {
  return { label: "End silence", invocation: { command: "alerts unsilence", options: { id } }, effect: "reply" };
}

interface AddedSilence {
  readonly place: Destination | undefined;
  readonly labels: Labels;
  readonly notes: readonly Block[];
  readonly now: Milliseconds;
  /** Whether any of those who are told have quiet hours. */
  readonly quiet: boolean;
}

function addedReply(
  context: SubscriptionContext,
  silence: Silence,
  { place, labels, notes, now, quiet }: AddedSilence,
): Reply {
  return reply({
    tone: "good",
    title: text`Silenced: ${silenceScopeWords(silence, labels)}`,
    blocks: [
      {
        kind: "fields",
        fields: [
          field("Silence", code(silence.id)),
          field("When", silenceTimeWords(silence, now), { wide: true }),
          field("Where", place === undefined ? "all places" : destinationWords(place, context)),
          ...(silence.reason === undefined ? [] : [field("Reason", silence.reason, { wide: true })]),
        ],
      },
      ...notes,
      paragraph(
        `What is firing still when it ends is told then${quiet ? ", or once the quiet hours are over that run then" : ""}. The end of what was told before is told all the same.`,
      ),
    ],
    actions: [unsilenceAction(silence)],
  });
}

/** `alerts silence 1h` is short for everything, for an hour. */
function withDuration(typed: SilenceValues): SilenceValues {
  const { what, ...rest } = typed;
  return what !== undefined && typed.for === undefined && isSpan(what) ? { ...rest, for: what } : typed;
}

/** Undefined = everywhere, which is for operators. */
function defaultDestination(context: SubscriptionContext): Destination | undefined {
  return isOperator(context) ? undefined : destinationHere(context);
}

/** The channels that a silence of all places bears on. */
export async function affectedDestinations(
  { alerts }: SubscriptionContext,
  { scope }: Silence,
): Promise<Destination[]> {
  const concerned = (await alerts.subscriptions()).filter(
    (one) =>
      isAlive(one) &&
      one.personal !== true &&
      (scope.network ?? one.network) === one.network &&
      (scope.kind === undefined || one.kinds.some((kind) => kind === scope.kind)) &&
      (scope.subject === undefined || one.subjects.length === 0 || one.subjects.includes(scope.subject)),
  );
  return [...new Map(concerned.map((one) => [destinationKey(one.destination), one.destination])).values()];
}
