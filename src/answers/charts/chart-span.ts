import type { CommandContext } from "../../bot/command.ts";
import type { Options } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import type { Milliseconds } from "../../units/duration.ts";
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

/** From so long ago, as far as looks are kept, until now: what nobody has looked at is neither calm nor a gap. */
export async function looksSpan(
  context: LooksReader,
  watcher: string,
  last: string,
  { to, zone }: Pick<ChartSpan, "to" | "zone">,
): Promise<ChartSpan> {
  const asked = to - (parseLast("last", last) ?? to);
  const first = (await firstLook(context, watcher, to)) ?? to;
  return { from: Math.min(Math.max(first, asked), to - SHORTEST), to, zone };
}

type LooksReader = Pick<CommandContext<Options>, "network" | "past" | "signal">;
