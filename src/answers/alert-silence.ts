import { kindNamed } from "./alert-kinds.ts";
import { conditionWords } from "../alerts/condition-words.ts";
import type { Destination } from "../alerts/sender.ts";
import type { Silence } from "../alerts/silence.ts";
import { silenceScopeWords, silenceTimeWords } from "../alerts/silence-words.ts";
import { destinationKey } from "../alerts/subscription.ts";
import type { Labels } from "../alerts/subscription-words.ts";
import { quoteTyped } from "../bot/nearest.ts";
import type { OptionValues } from "../bot/option.ts";
import { UserError } from "../errors.ts";
import { field, paragraph, type Block } from "../reply/block.ts";
import { reply, type Reply } from "../reply/reply.ts";
import { code, text } from "../reply/text.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import type { AddContext } from "./alert-add.ts";
import { announcements } from "./alert-change.ts";
import { findEpisode, labelOf } from "./alert-episodes.ts";
import type { SILENCE_OPTIONS } from "./alert-options.ts";
import { destinationHere, isOperator, parseDestination, placeWords } from "./alert-place.ts";
import { nodeNamed, resolveSubjects, subjectLabels } from "./alert-subjects.ts";
import { isAlive, shortId } from "./alert-subscriptions.ts";
import { parseMoment, parseSpan, parseZone } from "./alert-times.ts";
import { MARKET } from "./named-ids.ts";
import { resolveId } from "./resolve-id.ts";

const DAY: Milliseconds = 86_400_000;
/** A silence that nobody remembers is worse than noise. */
const LONGEST: Milliseconds = 30 * DAY;
const LONGEST_RECURRENCE: Milliseconds = 366 * DAY;
const PERIODS = { day: DAY, week: 7 * DAY } as const;
/** What was meant for now may come a little late. */
const LATE: Milliseconds = 60_000;

export type SilenceValues = OptionValues<typeof SILENCE_OPTIONS> & { readonly network?: string | undefined };

/** Keeps alerts back here for a while, or everywhere where operators ask for it. */
export async function silenceAlerts(context: AddContext, values: SilenceValues): Promise<Reply> {
  const { alerts, caller } = context;
  const now = toMillis(context.now());
  const when = timesOf(values, now);
  const place = values.to === undefined ? placeOf(context) : parseDestination(values.to, context, alerts);
  const { scope, labels, notes } = await scopeOf(context, values);
  const silence: Silence = {
    id: shortId((await alerts.silences()).map(({ id }) => id)),
    scope: { ...(place === undefined ? {} : { destination: destinationKey(place) }), ...scope },
    ...when,
    ...(values.reason === undefined ? {} : { reason: values.reason }),
    by: caller.name,
    created: now,
  };
  const told = place === undefined ? await placesConcerned(context, silence) : [place];
  await alerts.putSilence(silence, caller.name, announcements(context, told, { what: "silenced", silence }, labels));
  return reply({
    tone: "good",
    title: text`Silenced: ${silenceScopeWords(silence, labels)}`,
    blocks: [
      {
        kind: "fields",
        fields: [
          field("Silence", code(silence.id)),
          field("When", silenceTimeWords(silence, now), { wide: true }),
          field("Where", place === undefined ? "all places" : placeWords(place, context)),
          ...(silence.reason === undefined ? [] : [field("Reason", silence.reason, { wide: true })]),
        ],
      },
      ...notes,
      paragraph(
        "What is firing still when it ends is told then. The end of what was told before is told all the same.",
      ),
    ],
    actions: [
      {
        label: "End silence",
        invocation: { command: "alerts unsilence", options: { id: silence.id } },
        effect: "reply",
      },
    ],
  });
}

/** Undefined = everywhere, which is for operators. */
function placeOf(context: AddContext): Destination | undefined {
  return isOperator(context) ? undefined : destinationHere(context);
}

/** The channels that a silence of all places bears on. */
export async function placesConcerned({ alerts }: AddContext, { scope }: Silence): Promise<Destination[]> {
  const concerned = (await alerts.subscriptions()).filter(
    (one) =>
      isAlive(one) &&
      one.personal !== true &&
      (scope.network ?? one.network) === one.network &&
      (scope.kind === undefined || one.kinds.some((kind) => kind === scope.kind)),
  );
  return [...new Map(concerned.map((one) => [destinationKey(one.destination), one.destination])).values()];
}

type When = Pick<Silence, "from" | "until" | "recurrence">;

/** From when to when, and how often again. Throws UserError where there is no end, or none in time. */
function timesOf(values: SilenceValues, now: Milliseconds): When {
  const zone = values.zone === undefined ? "UTC" : parseZone("zone", values.zone);
  const from = values.from === undefined ? now : parseMoment("from", values.from, now, zone);
  if (from < now - LATE) {
    throw new UserError("A silence cannot begin in the past.", {
      option: "from",
      remedy: "Leave from out for one that begins now.",
    });
  }
  const length = values.for === undefined ? undefined : parseSpan("for", values.for);
  const end = values.until === undefined ? undefined : parseMoment("until", values.until, now, zone);
  if (end !== undefined && end <= from) {
    throw new UserError("That silence would end before it begins.", { option: "until", remedy: "Give a later end." });
  }
  if (values.every !== undefined) return recurring(values.every === "week" ? "week" : "day", from, length, end, zone);
  if (length !== undefined && end !== undefined) {
    throw new UserError("for and until both say when it ends.", { option: "until", remedy: "Give only one of them." });
  }
  const until = end ?? (length === undefined ? undefined : from + length);
  if (until === undefined) {
    throw new UserError("A silence always has an end.", {
      option: "for",
      remedy: "Say how long, or until when:",
      suggestion: ["alerts silence", ...(values.what === undefined ? [] : [values.what]), "for:1h"].join(" "),
    });
  }
  if (until - from > LONGEST) {
    throw new UserError(
      `${formatDuration(until - from)} is too long: a silence lasts ${formatDuration(LONGEST)} at most.`,
      {
        option: values.for === undefined ? "until" : "for",
        remedy: "What nobody needs to hear for longer is better removed, or paused.",
      },
    );
  }
  return { from, until };
}

function recurring(
  every: "day" | "week",
  from: Milliseconds,
  length: Milliseconds | undefined,
  end: Milliseconds | undefined,
  zone: string,
): When {
  if (length === undefined) {
    throw new UserError("A silence that comes again needs to know how long it is each time.", {
      option: "for",
      remedy: "Add for, as in for:2h.",
    });
  }
  if (length >= PERIODS[every]) {
    throw new UserError(`${formatDuration(length)} is as long as a ${every}: it would never end.`, {
      option: "for",
      remedy: "Give a shorter time.",
    });
  }
  if (end === undefined || end - from > LONGEST_RECURRENCE) {
    throw new UserError("A silence that comes again always has an end, within a year.", {
      option: "until",
      remedy: "Say until when it comes again, as in until:2026-12-31.",
    });
  }
  return { from, until: from + length, recurrence: { every, zone, until: end } };
}

interface Scope {
  readonly scope: Omit<Silence["scope"], "destination">;
  readonly labels: Labels;
  readonly notes: readonly Block[];
}

/** What is kept back: an episode's kind and subject, a kind, a subject, or all. */
async function scopeOf(context: AddContext, values: SilenceValues): Promise<Scope> {
  const { network } = values;
  const where = network === undefined ? {} : { network };
  const { what } = values;
  if (what === undefined || /^(?:all|everything)$/iu.test(what)) {
    const subject = values.subject === undefined ? undefined : await subjectOf(context, values.subject);
    return { scope: { ...where, ...subject?.scope }, labels: subject?.labels ?? {}, notes: [] };
  }
  const kind = kindNamed(what);
  if (kind !== undefined) {
    if (values.subject === undefined) return { scope: { ...where, kind }, labels: {}, notes: [] };
    const [subject = ""] = await resolveSubjects([kind], values.subject, context, "subject");
    const labels = await subjectLabels([{ kinds: [kind], ids: [subject] }], context);
    return { scope: { network: context.network, kind, subject }, labels, notes: [] };
  }
  const named = what.includes("|") ? undefined : await subjectOf(context, what).catch(unlessMistaken);
  if (named !== undefined) return { scope: { ...where, ...named.scope }, labels: named.labels, notes: [] };
  const episode = await findEpisode(context.alerts, what).catch((error: unknown) => {
    if (!(error instanceof UserError) || !error.message.startsWith("No episode")) throw error;
    throw new UserError(`${quoteTyped(what)} is no episode, kind, market or node that is known here.`, {
      option: "what",
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      suggestion: "alerts status",
    });
  });
  const label = labelOf(episode);
  return {
    scope: { network: episode.network, kind: episode.kind, subject: episode.subject },
    labels: label === undefined ? {} : { [episode.subject]: label },
    notes: [paragraph(text`Firing now: ${conditionWords(episode.last).bad}`)].filter(() => episode.state === "firing"),
  };
}

/** What was typed may be something else then. */
function unlessMistaken(error: unknown): undefined {
  if (error instanceof UserError) return undefined;
  throw error;
}

/** A data node by its name, else a market; with its network, since names may be those of several. */
async function subjectOf(
  context: AddContext,
  typed: string,
): Promise<{ scope: { network: string; subject: string }; labels: Labels }> {
  const node = nodeNamed(typed, context.api);
  if (node !== undefined) return { scope: { network: context.network, subject: node }, labels: {} };
  const subject = await resolveId(MARKET, typed, context, "subject");
  const labels = await subjectLabels([{ kinds: ["market.state"], ids: [subject] }], context);
  return { scope: { network: context.network, subject }, labels };
}
