// The model of a command's form, which each platform draws with its own fields.
import type { AnyCommand } from "../../bot/command.ts";
import type { Option } from "../../bot/options/options.ts";
import type { Ask } from "../../reply/reply.ts";

/** Options of every command: they say how it is asked, not what. */
export const COMMON_OPTIONS: readonly string[] = ["network", "private"];

/**
 * The options that a form asks for where these values are known: not those of operators, nor those that make no difference,
 * nor files where the form takes none.
 */
export function formOptions(
  command: AnyCommand,
  known: Ask["options"],
  takesFiles = false,
): [name: string, option: Option][] {
  const fields = command.fields?.(known);
  const always = [command.edits?.option, ...COMMON_OPTIONS];
  // Who sees the answer is settled for what is announced to all, and for what is the caller's own.
  const isSettled = command.announced === true || command.personal === true;
  const needless = [isSettled ? "private" : "", command.anyNetwork === true ? "network" : ""];
  return Object.entries(command.options)
    .filter(([, option]) => !("operatorsOnly" in option) && (takesFiles || option.kind !== "file"))
    .filter(([name]) => !needless.includes(name))
    .filter(([name]) => fields === undefined || fields.includes(name) || always.includes(name));
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
