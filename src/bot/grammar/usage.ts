import type { AnyCommand } from "../command.ts";
import type { Option } from "../options/options.ts";

/** A short line names so many optional options. */
const SHORT_OPTIONS = 2;

/** `order <id> [version] [network] [private]` */
export function usageLine(command: AnyCommand): string {
  return [command.name, ...Object.entries(command.options).map(placeholder)].join(" ");
}

/** `order <id> [version]`, `snapshots [first] [after] …`: without the network and what stands behind it. */
export function shortUsage(command: AnyCommand): string {
  const all = Object.entries(command.options);
  const network = all.findIndex(([, { kind }]) => kind === "network");
  const own = network === -1 ? all : all.slice(0, network);
  // In the order of bare values, required or not.
  const optional = own.filter(([, option]) => !isRequired(option)).slice(0, SHORT_OPTIONS);
  const shown = own.filter((entry) => isRequired(entry[1]) || optional.includes(entry));
  return [command.name, ...shown.map(placeholder), ...(shown.length < own.length ? ["…"] : [])].join(" ");
}

function placeholder([name, option]: readonly [string, Option]): string {
  return isRequired(option) ? `<${name}>` : `[${name}]`;
}

/** The type of an option with an example, for help. */
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
    case "file":
      return "a file: attached where that is offered, its path in the terminal";
    case "network":
      return `one of ${networks.join(", ")}`;
  }
}

/** Whether a command needs a value for it. */
export function isRequired(option: Option): boolean {
  return "required" in option && option.required;
}
