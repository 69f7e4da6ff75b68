import { UserError } from "../../errors.ts";
import { inTime } from "../../in-time.ts";
import type { Ask } from "../../reply/reply.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import type { AnyCommand } from "../command.ts";
import type { Choice, SuggestContext, TextOption } from "../options/options.ts";
import { type ParseContext, parseOption } from "../options/parse-options.ts";
import { parseLine } from "./grammar.ts";

/** What judging an offered line needs. */
interface OfferContext extends ParseContext {
  readonly commands: readonly AnyCommand[];
  readonly now: Nanoseconds;
  /** How long one value may be looked up. */
  readonly limit: { readonly millis: number; readonly signal: AbortSignal };
  /** Completion of one option of a question; never rejects, nor takes long. */
  suggest(ask: Ask, option: string, typed: string): Promise<readonly Choice[]>;
  suggestContext(ask: Ask): SuggestContext;
}

/**
 * A mistake in a typed line with the line that it offers, where that one's command would take it; else with the command
 * alone, which says what it needs.
 */
export async function withRightLine(thrown: unknown, context: OfferContext): Promise<unknown> {
  if (!(thrown instanceof UserError) || thrown.suggestion === undefined) return thrown;
  return thrown.offering(await rightLine(thrown.suggestion, context));
}

async function rightLine(line: string, context: OfferContext): Promise<string> {
  const { commands, now, networks } = context;
  let ask: Ask;
  try {
    ask = parseLine(line, commands, now, networks);
  } catch (thrown) {
    const next = thrown instanceof UserError ? thrown.suggestion : undefined;
    // Each is shorter, or has one mistake less.
    if (next !== undefined && next.length < line.length) return rightLine(next, context);
    return commands.find(({ name }) => line === name || line.startsWith(`${name} `))?.name ?? "help";
  }
  const options = commands.find(({ name }) => name === ask.command)?.options ?? {};
  for (const [name, given] of Object.entries(ask.options)) {
    const option = options[name];
    try {
      if (option !== undefined) parseOption(name, option, given, context);
    } catch {
      return ask.command;
    }
    if (option?.kind === "text" && !(await takesText(ask, name, option, context))) return ask.command;
  }
  return line;
}

/** Whether an option would take its text, as far as it is known in time. */
async function takesText(ask: Ask, name: string, option: TextOption, context: OfferContext): Promise<boolean> {
  const typed = String(ask.options[name]).trim();
  if (option.takes === undefined) {
    if (option.suggest === undefined || /\d/u.test(typed)) return true;
    if ((await context.suggest(ask, name, typed)).length > 0) return true;
    // `btc usdt` and `BTCUSDT` are BTC/USDT, too.
    const near = await context.suggest(ask, name, typed.slice(0, 3));
    return near.some(({ label }) => lettersOf(label).includes(lettersOf(typed)));
  }
  try {
    const taken = Promise.resolve(option.takes(typed, context.suggestContext(ask)));
    return await inTime(taken, context.limit, () => false);
  } catch {
    // A value that cannot be looked up is not offered.
    return false;
  }
}

function lettersOf(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, "");
}
