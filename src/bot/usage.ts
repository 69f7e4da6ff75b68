import type { AnyCommand } from "./command.ts";
import type { Option } from "./option.ts";

/** `order <id> [version]`; with `short`, without what every command takes. */
export function usageLine(command: AnyCommand, options: { short?: boolean } = {}): string {
  const own = Object.entries(command.options).filter(
    ([name, option]) => !(options.short === true && (option.kind === "network" || name === "private")),
  );
  return [command.name, ...own.map(([name, option]) => (isRequired(option) ? `<${name}>` : `[${name}]`))].join(" ");
}

/** What kind of value an option takes, with what is right: for help. */
export function optionType(option: Option, networks: readonly string[]): string {
  switch (option.kind) {
    case "text":
      return `text, such as ${option.example}`;
    case "integer":
      return `whole number, ${option.min} to ${option.max}`;
    case "choice":
      return `one of ${option.choices.map((choice) => choice.value).join(", ")}`;
    case "flag":
      return "yes or no";
    case "time":
      return "time (UTC), such as 2023-05-01, 2023-05-01 12:30, 7d, last month";
    case "network":
      return `one of ${networks.join(", ")}`;
  }
}

/** Whether a command cannot run without it. */
export function isRequired(option: Option): boolean {
  return "required" in option && option.required;
}
