// The model of a command's form, which each platform draws with its own fields.
import type { AnyCommand } from "../../bot/command.ts";
import type { Option } from "../../bot/options/options.ts";

/** The options that a form may ask for: not those of operators, nor files, which a form of a chat does not take. */
export function formOptions({ options }: AnyCommand): [name: string, option: Option][] {
  return Object.entries(options).filter(([, option]) => !("operatorsOnly" in option) && option.kind !== "file");
}

/** The words of a list that is typed: `a,b`. */
export function wordsOfList(value: string): string[] {
  return value.split(",").filter((one) => one.trim() !== "");
}

/** Whether a field is unchanged; the order of a list does not count. */
export function isUnchanged(option: Option | undefined, before: string, after: string): boolean {
  const isList = option?.kind === "text" && option.several !== undefined;
  const sorted = (value: string): string => wordsOfList(value).toSorted().join(",");
  return before === after || (isList && sorted(before) === sorted(after));
}

/** The value that a changed field sends; an emptied one sends the word that removes the value, or undefined without one. */
export function changeOf(option: Option | undefined, value: string): string | undefined {
  const sent = value === "" && option?.kind === "text" ? option.none : value;
  return sent === "" ? undefined : sent;
}
