// Which other thresholds are tried beside those asked for, and which of them to advise. Pure: from counts alone.
import type { Milliseconds } from "../../units/duration.ts";
import type { GivenParameters } from "../judge/kinds/kind.ts";
import type { TrialEpisode } from "./trial.ts";

const SECOND: Milliseconds = 1000;
const MINUTE: Milliseconds = 60 * SECOND;
const HOUR: Milliseconds = 60 * MINUTE;

/** At most so many others are tried. */
const MAX_OTHERS = 8;
/** How long it must last. */
const LASTS: readonly Milliseconds[] = [0, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
/** An alert that lasts no longer is over before anybody has looked. */
const SHORT: Milliseconds = 2 * MINUTE;

/** The figure of a kind that is halved and doubled: the first of these that it has. */
const FIGURES = ["behind", "drift", "rounds", "factor", "percent"] as const;
const SPANS: readonly Milliseconds[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24].map((hours) => hours * HOUR),
];
const COUNTS = [0, 1, 2].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

/** What differs in each of the others, by the parameters of a rule. */
export function otherThresholds(parameters: GivenParameters): readonly GivenParameters[] {
  const name = FIGURES.find((one) => parameters[one] !== undefined);
  const figures = name === undefined ? [] : figuresNear(name, Number(parameters[name])).map((one) => [name, one]);
  const most = Number(parameters["criticalFor"] ?? Infinity);
  const lasts =
    parameters["for"] === undefined
      ? []
      : LASTS.filter((one) => one !== parameters["for"] && one <= most).map((one) => ["for", one]);
  return [...figures, ...lasts].slice(0, MAX_OTHERS).map((one) => Object.fromEntries([one]) as GivenParameters);
}

/** Half, double, and the next round number. */
function figuresNear(name: (typeof FIGURES)[number], value: number): readonly (string | number)[] {
  const isSpan = name === "behind" || name === "drift";
  const round = (isSpan ? SPANS : COUNTS).find((one) => one > value && one !== 2 * value);
  const near = [value / 2, 2 * value, ...(round === undefined ? [] : [round])];
  if (name === "percent") return near.map(String);
  if (name === "factor") return near;
  return [...new Set(near.map(Math.ceil))].filter((one) => one !== value);
}

/** What was counted for some thresholds. */
export interface Counted {
  readonly told: readonly Pick<TrialEpisode, "subject" | "began" | "fired" | "ended">[];
  /** Alerts that somebody acknowledged and that would not have been told. */
  readonly missed: number;
}

/** Why others are better: an acknowledged alert is missed; nothing is told; too much is; most of it is soon over. */
export type AdviceReason = "missed" | "never" | "often" | "short";

export interface Advice<Other> {
  readonly reason: AdviceReason;
  readonly better: Other;
}

/** One of the others, where it is better; none under which an acknowledged alert would not have been told. */
export function adviceOf<Other extends Counted>(
  asked: Counted,
  others: readonly Other[],
  days: number,
): Advice<Other> | undefined {
  const count = asked.told.length;
  const safe = others
    .filter(({ told, missed }) => missed === 0 && told.length > 0)
    .toSorted((a, b) => a.told.length - b.told.length);
  const advise = (reason: AdviceReason, better: Other | undefined) => better && { reason, better };
  if (asked.missed > 0) return advise("missed", safe[0]);
  if (count === 0) return advise("never", safe[0] && safe[0].told.length <= days ? safe[0] : undefined);
  if (count > days) {
    const rare = safe.filter(({ told }) => told.length <= days);
    const fewer = safe.filter(({ told }) => 2 * told.length <= count);
    return advise("often", rare.at(-1) ?? fewer[0]);
  }
  const long = asked.told.filter((one) => !isShort(one));
  if (count < 2 || 2 * long.length >= count) return undefined;
  const calmer = safe.filter(({ told }) => told.length < count && long.every((one) => told.some(overlaps(one))));
  return advise("short", calmer[0]);
}

function isShort({ began, ended }: Counted["told"][number]): boolean {
  return ended !== undefined && ended - began < SHORT;
}

function overlaps(one: Counted["told"][number]) {
  return ({ subject, began, ended = Infinity }: Counted["told"][number]): boolean =>
    subject === one.subject && began <= (one.ended ?? Infinity) && ended >= one.began;
}
