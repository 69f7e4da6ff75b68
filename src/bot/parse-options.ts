import { UserError } from "../errors.ts";
import type { AnyCommand } from "./command.ts";
import { nearest, quoteTyped } from "./nearest.ts";
import type { Options } from "./option.ts";
import { parseOption, type OptionValue, type ParseContext } from "./parse-option.ts";

export type RawOptions = Readonly<Record<string, string | number | boolean>>;

/**
 * All of a command's raw values, checked and typed; flags that were left out get their default.
 * @throws UserError for the first thing wrong, in the order of declaration.
 */
export function parseOptions(
  command: Pick<AnyCommand, "name" | "options" | "examples">,
  raw: RawOptions,
  context: ParseContext,
): Record<string, OptionValue> {
  for (const name of Object.keys(raw)) {
    if (!Object.hasOwn(command.options, name)) throw unknownOption(command.name, command.options, name);
  }
  const values: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (given !== undefined) {
      values[name] = parseOption(name, option, given, context);
    } else if (option.kind === "flag") {
      values[name] = option.default;
    } else if ("required" in option && option.required) {
      throw new UserError(`${command.name} needs ${article(name)}.`, {
        option: name,
        remedy: `${option.description}${option.description.endsWith(".") ? "" : "."} Type for example:`,
        ...(command.examples[0] === undefined ? {} : { suggestion: command.examples[0] }),
      });
    }
  }
  return values;
}

export function unknownOption(command: string, options: Options, typed: string): UserError {
  const names = Object.keys(options);
  const near = nearest(typed, names);
  return new UserError(`${command} has no option ${quoteTyped(typed)}.`, {
    remedy: `${near === undefined ? "" : `Did you mean ${near}? `}It takes ${names.join(", ")}.`,
  });
}

function article(name: string): string {
  return /^[aeiou]/u.test(name) ? `an ${name}` : `a ${name}`;
}
