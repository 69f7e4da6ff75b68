// Which other thresholds are tried beside those asked for, and which of them to advise. Pure: from counts alone.
import { type Decimal, formatDecimal, parseDecimal } from "../../units/decimal.ts";
import { HOUR, type Milliseconds, MINUTE, SECOND } from "../../units/time.ts";
import type { GivenParameters } from "../judge/kinds/kind.ts";
import { formatMarketConditions, storedConditions } from "../judge/kinds/market-value.ts";
import type { TrialEpisode } from "./trial.ts";

/** At most so many others are tried. */
const MAX_OTHERS = 8;
/** How long it must last: the shortest is what looks do not tell from none, which cannot be typed. */
const LASTS: readonly Milliseconds[] = [SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
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

/** What differs in each of the others, by the parameters of a rule, and those that were given. */
export function otherThresholds(
  parameters: GivenParameters,
  given: GivenParameters = parameters,
): readonly GivenParameters[] {
  const most = Number(parameters["criticalFor"] ?? Infinity);
  const lasts =
    parameters["for"] === undefined
      ? []
      : LASTS.filter((one) => one !== parameters["for"] && one <= most).map((one) => ({ for: one }));
  return [...otherFigures(parameters, given), ...lasts].slice(0, MAX_OTHERS);
}

function otherFigures(parameters: GivenParameters, given: GivenParameters): readonly GivenParameters[] {
  const { low, high } = parameters;
  if (given["if"] !== undefined) return otherConditions(String(given["if"]));
  // Of two prices, the distance between them would have to be another one.
  if (low !== undefined && high !== undefined) return [];
  const price = parseDecimal(String(high ?? low ?? ""));
  if (price !== undefined)
    return amountsNear(price).map((one) => ({ [high === undefined ? "low" : "high"]: textOf(one) }));
  const name = FIGURES.find((one) => parameters[one] !== undefined);
  if (name === undefined) return [];
  const [value, blocks] = [Number(parameters[name]), given["blocks"]];
  return figuresNear(name, value).map((one) => {
    // Either of the two makes a lag: as many times as many blocks, where their number was chosen.
    const scaled = name === "behind" && blocks !== undefined && Math.ceil((Number(blocks) * Number(one)) / value);
    return scaled === false ? { [name]: one } : { [name]: one, blocks: scaled };
  });
}

/** The same condition with other limits, where it has one. */
function otherConditions(written: string): readonly GivenParameters[] {
  const [condition, ...more] = storedConditions(written);
  if (condition === undefined || more.length > 0) return [];
  return amountsNear(condition.limit).map((limit) => ({ if: formatMarketConditions([{ ...condition, limit }]) }));
}

/** The next round numbers above and below, 75,000 and 65,000 for 70,000; then half and double. */
function amountsNear({ units, scale }: Decimal): readonly Decimal[] {
  if (units <= 0n) return [];
  const more = BigInt(scale + 2);
  // With more digits behind the point, so that a part of a step has them, too.
  const value = units * 10n ** more;
  const step = 5n * 10n ** BigInt(Math.max(0, String(value).length - 2));
  const near = [(value / step + 1n) * step, ((value - 1n) / step) * step, value / 2n, 2n * value];
  const others = new Set(near.filter((one) => one > 0n && one !== value));
  return [...others].map((one) => ({ units: one, scale: scale + Number(more) }));
}

function textOf(amount: Decimal): string {
  return formatDecimal(amount, { group: false });
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
  const able = others.filter(({ told, missed }) => missed === 0 && told.length > 0);
  const advise = (reason: AdviceReason, better: Other | undefined) => better && { reason, better };
  if (asked.missed > 0) return advise("missed", rarestFirst(able)[0]);
  const nearest = able.filter(({ told }) => !told.some((one) => isStanding(one, asked, days)));
  const safe = rarestFirst(nearest);
  if (count === 0)
    return advise(
      "never",
      nearest.find(({ told }) => told.length <= days),
    );
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

function rarestFirst<Other extends Counted>(others: readonly Other[]): Other[] {
  return others.toSorted((a, b) => a.told.length - b.told.length);
}

/** Whether an alert would be open for half of the days, or now, where none is that is asked for: it hides all others. */
function isStanding(one: Counted["told"][number], asked: Counted, days: number): boolean {
  const now = asked.told.find(({ ended, subject }) => ended === undefined && subject === one.subject);
  const until = one.ended ?? now?.began ?? Infinity;
  return 2 * (until - one.began) > days * 24 * HOUR;
}

function isShort({ began, ended }: Counted["told"][number]): boolean {
  return ended !== undefined && ended - began < SHORT;
}

function overlaps(one: Counted["told"][number]) {
  return ({ subject, began, ended = Infinity }: Counted["told"][number]): boolean =>
    subject === one.subject && began <= (one.ended ?? Infinity) && ended >= one.began;
}
