import { z } from "zod";

import type { SilenceRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { AlertKind } from "../judge/kinds/kinds.ts";
import { Person } from "../judge/rules/episode.ts";
import { isTimeZone, localMillis } from "../../units/local-time.ts";
import { parseRow } from "../judge/kinds/kind.ts";

const PERIODS = { day: 86_400_000, week: 604_800_000 } as const satisfies Record<string, Milliseconds>;

/** A silence, as stored; times in Unix milliseconds. A member that its scope leaves out does not narrow it. */
export const Silence = z.object({
  id: z.string(),
  scope: z.object({
    /** A destination's key: only there. */
    destination: z.string().exactOptional(),
    network: z.string().exactOptional(),
    kind: z.string().exactOptional(),
    subject: z.string().exactOptional(),
    /** Several subjects, which one message named. */
    subjects: z.array(z.string()).exactOptional(),
  }),
  /** The display name of its subject, where that has one; silences of earlier versions have none. */
  label: z.string().exactOptional(),
  from: z.number(),
  /** Always later than `from`. */
  until: z.number(),
  /** The ids of episodes: it ends AFTER_OVER after the last of them, at `until` at the latest; absent once its end is known. */
  untilOver: z.array(z.string()).exactOptional(),
  /** The same window again and again, by the clock of a zone, up to an end: a maintenance window. */
  recurrence: z
    .object({ every: z.enum(["day", "week"]), zone: z.string().refine(isTimeZone), until: z.number() })
    .exactOptional(),
  /** By whose clock people read its times, where that was named. */
  zone: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  by: z.string(),
  /** Who made it first; silences of earlier versions have none. */
  person: Person.exactOptional(),
  created: z.number(),
  /** The deliveries of the messages that offer to end it. */
  announced: z.array(z.string()).exactOptional(),
  /** When the operators were last told that it holds. */
  noticed: z.number().exactOptional(),
});
export type Silence = z.infer<typeof Silence>;

/** Of a stored row. Throws DamagedRow. */
export function parseSilence({ id, data }: Pick<SilenceRow, "id" | "data">): Silence {
  return parseRow(Silence, data, "alert_silences", { id });
}

/** A silence until an alert is over goes on for so long after that: what is over may come back. */
export const AFTER_OVER: Milliseconds = 600_000;

/** A silence until episodes are over, with the end that follows from theirs (Unix milliseconds). */
export function endAfter(waiting: Silence, over: Milliseconds): Silence {
  const { untilOver: _, ...silence } = waiting;
  return { ...silence, until: Math.max(silence.from + 1, Math.min(silence.until, over + AFTER_OVER)) };
}

export function silenceRow(silence: Silence): SilenceRow {
  return { id: silence.id, ends_at: silenceEnds(silence), data: JSON.stringify(silence) };
}

/** The facts that a silence is matched with. */
interface Silenceable {
  readonly destination: string;
  readonly network: string;
  readonly kind: AlertKind;
  readonly subject: string;
}

/** Whether a silence holds for it at a moment. */
export function matchesSilence(silence: Silence, what: Silenceable, at: Milliseconds): boolean {
  const { destination, network, kind, subject, subjects } = silence.scope;
  return (
    (destination ?? what.destination) === what.destination &&
    (network ?? what.network) === what.network &&
    (kind ?? what.kind) === what.kind &&
    (subject ?? what.subject) === what.subject &&
    (subjects ?? [what.subject]).includes(what.subject) &&
    isSilenceActive(silence, at)
  );
}

/** How much of a silence's scope another one covers. */
export function overlap({ scope }: Silence, { scope: other }: Silence): "all" | "some" | "none" {
  const own = valuesOf(scope);
  const covering = valuesOf(other);
  const both = own.map((values, index) => [values, covering[index]] as const);
  const apart = both.some(([a, b]) => a !== undefined && b !== undefined && !a.some((one) => b.includes(one)));
  if (apart) return "none";
  const covered = both.every(([a, b]) => b === undefined || a?.every((one) => b.includes(one)) === true);
  return covered ? "all" : "some";
}

/** What a scope names: of each dimension the values; undefined where it is not narrowed. */
function valuesOf({ destination, network, kind, subject, subjects }: Silence["scope"]) {
  const one = (value: string | undefined): readonly string[] | undefined => (value === undefined ? undefined : [value]);
  return [one(destination), one(network), one(kind), subjects ?? one(subject)];
}

/** When a silence is over for good. */
export function silenceEnds(silence: Silence): Milliseconds {
  return Math.max(silence.until, silence.recurrence?.until ?? 0);
}

/** When the window that holds at a moment ends. */
export function silenceActiveUntil({ from, until, recurrence }: Silence, at: Milliseconds): Milliseconds {
  if (recurrence === undefined || at < until) return until;
  return Math.min(recurrence.until, at + (until - from) - intoPeriod({ from, recurrence }, at));
}

/** Whether it holds at a moment, whatever its scope. */
export function isSilenceActive({ from, until, recurrence }: Silence, at: Milliseconds): boolean {
  if (at < from) return false;
  if (at < until) return true;
  if (recurrence === undefined || at >= recurrence.until) return false;
  return intoPeriod({ from, recurrence }, at) < until - from;
}

/** How long ago its last window began, by the clock of its zone. */
function intoPeriod(
  { from, recurrence }: { from: Milliseconds; recurrence: NonNullable<Silence["recurrence"]> },
  at: Milliseconds,
): Milliseconds {
  return (localMillis(recurrence.zone, at) - localMillis(recurrence.zone, from)) % PERIODS[recurrence.every];
}
