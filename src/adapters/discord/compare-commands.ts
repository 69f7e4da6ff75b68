import { isDeepStrictEqual } from "node:util";

import type { APIApplicationCommand } from "discord-api-types/v10";

import type { DiscordCommand } from "./registration.ts";

/** What would change at Discord, by command name. */
export interface CommandChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What stands at Discord beside what should; empty lists mean that nothing has to be written. */
export function compareCommands(
  registered: readonly APIApplicationCommand[],
  wanted: readonly DiscordCommand[],
): CommandChanges {
  const before = new Map(registered.map((command) => [command.name, command]));
  const names = new Set(wanted.map((command) => command.name));
  return {
    added: wanted.filter((command) => !before.has(command.name)).map((command) => command.name),
    changed: wanted
      .filter((command) => before.has(command.name))
      .filter(
        (command) => !isDeepStrictEqual(comparable(before.get(command.name), command), comparable(command, command)),
      )
      .map((command) => command.name),
    removed: registered.filter((command) => !names.has(command.name)).map((command) => command.name),
  };
}

export function hasChanges(changes: CommandChanges): boolean {
  return changes.added.length + changes.changed.length + changes.removed.length > 0;
}

/** What we say about a command, without ids, versions and the defaults that Discord fills in. */
const COMPARED_KEYS = new Set([
  "type",
  "name",
  "description",
  "default_member_permissions",
  "required",
  "autocomplete",
  "min_value",
  "max_value",
  "min_length",
  "max_length",
  "value",
]);

function comparable(given: unknown, scope: DiscordCommand): unknown {
  if (Array.isArray(given)) return given.map((one) => comparable(one, scope));
  if (typeof given !== "object" || given === null) return given;
  const said: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (COMPARED_KEYS.has(key)) said[key] = value;
    else if ((key === "options" || key === "choices") && Array.isArray(value) && value.length > 0) {
      said[key] = comparable(value, scope);
    } else if ((key === "contexts" || key === "integration_types") && key in scope && Array.isArray(value)) {
      said[key] = value.map(Number).toSorted((a, b) => a - b);
    }
  }
  return said;
}
