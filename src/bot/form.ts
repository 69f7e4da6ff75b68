import { UserError } from "../errors.ts";
import { inTime } from "../units/time.ts";
import type { AnyCommand } from "./command.ts";
import type { Fault } from "./invocation.ts";
import type { Option, Options, SuggestContext } from "./options/options.ts";
import { type ParseContext, parseOption } from "./options/parse-options.ts";

type Given = Readonly<Record<string, string | number | boolean>>;

/** The label of an option's field; without one of its own, its name as people read it: `At least`. */
export function fieldLabel(name: string, { label }: Pick<Option, "label">): string {
  return label ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`;
}

/** Every value of a form that is wrong by itself, and every one that is missing, in the order of the fields. */
export function valueMistakes({ options }: AnyCommand, given: Given, context: ParseContext): UserError[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const value = given[name];
    if (value !== undefined) return mistakesIn(name, option, value, context);
    const isMissing = "required" in option && option.required;
    const sentence = `This is needed: ${option.hint ?? option.description}.`;
    return isMissing ? [new UserError(sentence, { option: name, remedy: "" })] : [];
  });
}

/** The mistake in a value by itself: none, or one. */
function mistakesIn(name: string, option: Option, value: Given[string], context: ParseContext): UserError[] {
  try {
    parseOption(name, option, value, context);
    if (option.kind === "text") option.reads?.(name, String(value).trim());
    return [];
  } catch (thrown) {
    if (thrown instanceof UserError) return [thrown];
    throw thrown;
  }
}

/**
 * The mistakes in the values that were given, but those that are named already: wrong by itself, or, as far as that is
 * known in time, the name of nothing.
 */
export async function otherMistakes(
  mistake: UserError,
  { options }: AnyCommand,
  given: Given,
  context: { readonly parse: ParseContext; readonly find: SuggestContext; readonly millis: number },
): Promise<readonly UserError[]> {
  // Who may not ask at all has no wrong value.
  if (mistake.option === undefined) return [];
  const named = [mistake, ...mistake.also].flatMap(({ option, explains }) => [option, ...explains]);
  const others = Object.entries(options).flatMap(([name, option]) => {
    const value = given[name];
    if (value === undefined || named.includes(name)) return [];
    return [{ name, option, value, wrong: mistakesIn(name, option, value, context.parse) }];
  });
  // On a network that there is not, nobody knows any name.
  const isLost = [...named, ...others.filter(({ wrong }) => wrong.length > 0).map(({ name }) => name)].some(
    (name) => options[name ?? ""]?.kind === "network",
  );
  const mistakes = others.map(async ({ name, option, value, wrong }) => {
    if (isLost || wrong.length > 0 || option.kind !== "text" || option.finds === undefined) return wrong;
    const sought = option.finds(name, String(value).trim(), context.find).then(
      () => [],
      (thrown: unknown) => (thrown instanceof UserError ? [thrown] : []),
    );
    return inTime(sought, { millis: context.millis, signal: context.find.signal }, () => []);
  });
  return (await Promise.all(mistakes)).flat();
}

/** A mistake, and those beside it, as a form says them: each option by the label of its field, and no line to type. */
export function faultsOf(mistake: UserError, options: Options): Fault[] {
  const named = (name: string, value?: string): string => {
    const label = `“${fieldLabel(name, options[name] ?? {})}”`;
    return value === undefined ? label : `${label} ${value}`;
  };
  return [mistake, ...mistake.also].map((one) => ({ option: one.option, sentence: one.inWords(named) }));
}
