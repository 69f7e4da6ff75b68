import type { CommandContext } from "../../bot/command.ts";
import type { Options } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import type { Milliseconds, Stretch } from "../../units/time.ts";
import { isSpan, parseSpan } from "../alerts/alert-times.ts";
import type { ChartSpan } from "./charts.ts";

/** All that is kept. */
export const ALL = "all";
/** No picture is of less. */
export const SHORTEST: Milliseconds = 600_000;

/** Whether the typed words say how long back a picture goes. */
export function isLast(typed: string): boolean {
  return typed.trim().toLowerCase() === ALL || isSpan(typed);
}

/** How long back a picture goes; undefined for all that is kept. Throws UserError for anything else. */
export function parseLast(option: string, typed: string): Milliseconds | undefined {
  if (typed.trim().toLowerCase() === ALL) return undefined;
  const millis = parseSpan(option, typed);
  if (millis >= SHORTEST) return millis;
  throw new UserError((named) => `${named(option)} cannot be less than 10 min.`, {
    option,
    remedy: "Ask for 10m or more.",
  });
}

/** When the oldest look that is kept was; undefined where there is none. */
export async function firstLook(
  { network, past, signal }: LooksReader,
  watcher: string,
  now: Milliseconds,
): Promise<Milliseconds | undefined> {
  for await (const part of past({ network, watcher, from: 0, to: now }, signal)) return part.from(0);
  return undefined;
}

/** From so long ago, as far as looks are kept, until then: what nobody has looked at is neither calm nor a gap. */
export function spanSince(first: Milliseconds | undefined, last: string, to: Milliseconds): Stretch {
  const millis = parseLast("last", last);
  const from = millis === undefined ? (first ?? to) : Math.max(first ?? 0, to - millis);
  return { from: Math.min(from, to - SHORTEST), to };
}

const SPANS = ["1h", "24h", "7d", "30d"];

/** The span of a picture of what is kept, and the others that show less of it, or more. */
export async function looksSpan(
  context: LooksReader,
  watcher: string,
  last: string,
  { to, zone }: Pick<ChartSpan, "to" | "zone">,
): Promise<ChartSpan & { readonly others: readonly string[] }> {
  const first = (await firstLook(context, watcher, to)) ?? to;
  const shown = spanSince(first, last, to);
  const isWithin = (one: string): boolean => (parseLast("last", one) ?? Infinity) < to - first;
  const others = SPANS.filter((one, index) => {
    const isMore = shown.from > first && SPANS.slice(0, index).every(isWithin);
    return one !== last && (isWithin(one) || isMore);
  });
  return { ...shown, zone, others };
}

type LooksReader = Pick<CommandContext<Options>, "network" | "past" | "signal">;
