import { passes, UserError } from "../../errors.ts";
import { inTime, type Nanoseconds } from "../../units/time.ts";
import type { Ask } from "../../reply/reply.ts";
import type { AnyCommand } from "../command.ts";
import type { Choice, Option, SuggestContext, TextOption } from "../options/options.ts";
import { type ParseContext, parseOption } from "../options/parse-options.ts";
import { EVERYBODY, takesParty } from "../options/saved-parties.ts";
import { fillExample, parseLine } from "./grammar.ts";

/** What judging an offered line needs. */
interface OfferContext extends ParseContext {
  readonly commands: readonly AnyCommand[];
  readonly now: Nanoseconds;
  /** How long a value, and the whole line, may be looked up. */
  readonly limit: { readonly millis: number; readonly signal: AbortSignal };
  /** Completion of one option of a question; never rejects, nor takes long. */
  suggest(ask: Ask, option: string, typed: string): Promise<readonly Choice[]>;
  suggestContext(ask: Ask): SuggestContext;
  /**
   * Where a line has a value that its command would refuse: `command` offers the command alone, which says what it needs;
   * `placeholder` the line with `<its name>` for the value, since the remedy tells of the others.
   */
  readonly refused: "command" | "placeholder";
}

/** A mistake with the line that it offers, as its command would take it; one that takes longer to judge stays. */
export async function withRightLine(thrown: unknown, context: OfferContext): Promise<unknown> {
  if (!(thrown instanceof UserError) || thrown.suggestion === undefined) return thrown;
  const line = await inTime(rightLine(thrown.suggestion, context), context.limit, () => undefined);
  return line === undefined ? thrown : thrown.offering(line);
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
  const command = commands.find(({ name }) => name === ask.command);
  if (command === undefined) return line;
  let right = ask.options;
  for (const [name, given] of Object.entries(ask.options)) {
    if (isPlaceholder(given) || (await takesValue(ask, name, command.options[name], context))) continue;
    if (context.refused === "command") return ask.command;
    right = { ...right, [name]: `<${name}>` };
  }
  return right === ask.options ? line : fillExample(command.name, right, command, now);
}

/** `<party>`: for the reader to fill in. */
function isPlaceholder(value: Ask["options"][string]): boolean {
  return /^<.+>$/u.test(String(value));
}

async function takesValue(ask: Ask, name: string, option: Option | undefined, context: OfferContext): Promise<boolean> {
  if (option === undefined) return true;
  try {
    parseOption(name, option, ask.options[name] ?? "", context);
  } catch {
    return false;
  }
  return option.kind !== "text" || takesText(ask, name, option, context);
}

/** Whether an option would take its text, as far as it is known in time. */
async function takesText(ask: Ask, name: string, option: TextOption, context: OfferContext): Promise<boolean> {
  const typed = String(ask.options[name]).trim();
  if (!passes(() => option.reads?.(name, typed))) return false;
  const { finds, takes } = option;
  if (takes === undefined && option.reads !== undefined) return true;
  if (takes === undefined && takesParty(option)) {
    if (/\d/u.test(typed) || typed.toLowerCase() === EVERYBODY) return true;
    return (await context.suggest(ask, name, typed)).length > 0;
  }
  if (takes === undefined && finds === undefined) {
    return option.suggest === undefined || (await context.suggest(ask, name, typed)).length > 0;
  }
  try {
    const asked = context.suggestContext(ask);
    const taken = takes === undefined ? finds?.(name, typed, asked).then(() => true) : takes(typed, asked);
    return await inTime(Promise.resolve(taken ?? true), context.limit, () => false);
  } catch (thrown) {
    // A value that cannot be looked up is not offered. Of several that may be meant, the command asks which one.
    return thrown instanceof UserError && (thrown.meanings?.values.length ?? 0) > 1;
  }
}
