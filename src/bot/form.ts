import { UserError } from "../errors.ts";
import type { AnyCommand } from "./command.ts";
import type { Fault } from "./invocation.ts";
import type { Option, Options } from "./options/options.ts";
import { type ParseContext, parseOption } from "./options/parse-options.ts";

/** The label of an option's field; without one of its own, its name as people read it: `At least`. */
export function fieldLabel(name: string, { label }: Pick<Option, "label">): string {
  return label ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`;
}

/** Every value of a form that is wrong by itself, and every one that is missing, in the order of the fields. */
export function valueFaults(
  { options }: AnyCommand,
  given: Readonly<Record<string, string | number | boolean>>,
  context: ParseContext,
): Fault[] {
  return Object.entries(options).flatMap(([name, option]): Fault[] => {
    const value = given[name];
    if (value === undefined) {
      const isMissing = "required" in option && option.required;
      return isMissing ? [{ option: name, sentence: `This is needed: ${option.hint ?? option.description}.` }] : [];
    }
    try {
      parseOption(name, option, value, context);
      if (option.kind === "text") option.reads?.(name, String(value).trim());
      return [];
    } catch (thrown) {
      if (!(thrown instanceof UserError)) throw thrown;
      return [faultOf(thrown, options)];
    }
  });
}

/** A mistake as a form says it: each option by the label of its field, and no line to type. */
export function faultOf(mistake: UserError, options: Options): Fault {
  const named = (name: string, value?: string): string => {
    const label = `“${fieldLabel(name, options[name] ?? {})}”`;
    return value === undefined ? label : `${label} ${value}`;
  };
  return { option: mistake.option, sentence: mistake.inWords(named) };
}
