import { isDeepStrictEqual } from "node:util";

import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from "discord-api-types/v10";

import type { AnyCommand } from "../../bot/command.ts";
import type { Option } from "../../bot/options/options.ts";
import { WHY_COMMAND, WHY_THIS_ALERT } from "../chat/why-this-alert.ts";
import {
  CHOICE_LENGTH,
  COMMAND_LENGTH,
  COMMAND_NAME,
  DESCRIPTION_LENGTH,
  MAX_COMMAND_OPTIONS,
  MAX_COMMANDS,
  MAX_OPTION_CHOICES,
  TEXT_OPTION_LENGTH,
} from "./limits.ts";
import { cutLabel } from "../chat/bounds.ts";

/** A command to type. */
type TypedCommand = RESTPostAPIChatInputApplicationCommandsJSONBody;
/** The same, or one in the menu of a message. */
type DiscordCommand = TypedCommand | RESTPostAPIContextMenuApplicationCommandsJSONBody;

/**
 * The command list as Discord registers it: `market show` becomes the subcommand `show` of `market`, and the story of an
 * alert is in the menu of its message, too.
 * Throws RangeError where the list cannot be registered, naming the command: a programming error.
 */
export function registrationOf(
  commands: readonly AnyCommand[],
  networks: readonly string[],
  scope: "global" | "guild",
): DiscordCommand[] {
  const groups = new Map<string, { own?: AnyCommand; subcommands: [string, AnyCommand][] }>();
  for (const command of commands) {
    const [first = "", second, ...more] = command.name.split(" ");
    const group = groups.get(first) ?? { subcommands: [] };
    groups.set(first, group);
    if (more.length > 0) throw new RangeError(`${command.name}: Discord takes at most two words here`);
    if (second === undefined) group.own = command;
    else group.subcommands.push([second, command]);
  }
  const typed = [...groups].map(([name, { own, subcommands }]): TypedCommand => {
    if (own !== undefined && subcommands.length > 0) {
      throw new RangeError(`${name}: a command with subcommands cannot be used by itself on Discord`);
    }
    if (subcommands.length > MAX_COMMAND_OPTIONS)
      throw new RangeError(`${name}: more than ${MAX_COMMAND_OPTIONS} subcommands`);
    const options: APIApplicationCommandOption[] =
      own === undefined
        ? subcommands.map(([subname, command]) => ({
            type: ApplicationCommandOptionType.Subcommand,
            name: nameOf(subname),
            description: describe(command.summary),
            options: optionsOf(command, networks),
          }))
        : optionsOf(own, networks);
    const description = own?.summary ?? `${capital(name)}: ${subcommands.map(([subname]) => subname).join(", ")}`;
    return {
      type: ApplicationCommandType.ChatInput,
      name: nameOf(name),
      description: describe(description),
      options,
      ...permissionsFor(own === undefined ? subcommands.map(([, command]) => command) : [own]),
      ...PLACES[scope],
    };
  });
  if (typed.length > MAX_COMMANDS) throw new RangeError(`more than ${MAX_COMMANDS} commands`);
  for (const command of typed) {
    if (lengthOf(command) > COMMAND_LENGTH) throw new RangeError(`${command.name}: above ${COMMAND_LENGTH} characters`);
  }
  if (!commands.some(({ name }) => name === WHY_COMMAND)) return typed;
  return [...typed, { type: ApplicationCommandType.Message, name: WHY_THIS_ALERT, ...PLACES[scope] }];
}

/** The places in which commands can be used; only global commands name them. */
const PLACES = {
  guild: {},
  global: {
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
    integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  },
};

/**
 * Discord hides whole commands only: one is hidden where all of its subcommands are for channel managers. Each such
 * command checks the permission itself, too, since servers may change who sees it.
 */
function permissionsFor(commands: readonly AnyCommand[]): { default_member_permissions?: string } {
  if (!commands.every((command) => command.access === "channel-manager")) return {};
  return { default_member_permissions: String(PermissionFlagsBits.ManageChannels) };
}

function optionsOf(command: AnyCommand, networks: readonly string[]): APIApplicationCommandBasicOption[] {
  const options = Object.entries(command.options).filter(
    ([, option]) => !("operatorsOnly" in option) && option.within === undefined,
  );
  if (options.length > MAX_COMMAND_OPTIONS)
    throw new RangeError(`${command.name}: more than ${MAX_COMMAND_OPTIONS} options`);
  return options
    .map(([name, option]) => optionOf(nameOf(name), option, networks))
    .toSorted((a, b) => Number(b.required === true) - Number(a.required === true));
}

function optionOf(name: string, option: Option, networks: readonly string[]): APIApplicationCommandBasicOption {
  const description = describe(option.description);
  const required = "required" in option && option.required ? { required: true } : {};
  const base = { name, description, ...required };
  const text = { ...base, type: ApplicationCommandOptionType.String } as const;
  switch (option.kind) {
    case "text":
      if (option.mention !== undefined) {
        const { picked } = option.mention;
        return { ...base, type: ApplicationCommandOptionType.Mentionable, description: describe(picked) };
      }
      return {
        ...text,
        ...(option.maxLength === undefined ? {} : { max_length: Math.min(option.maxLength, TEXT_OPTION_LENGTH) }),
        ...(option.suggest === undefined ? {} : { autocomplete: true }),
      };
    case "integer":
      return { ...base, type: ApplicationCommandOptionType.Integer, min_value: option.min, max_value: option.max };
    case "choice": {
      const fits =
        option.choices.length <= MAX_OPTION_CHOICES &&
        option.choices.every((choice) => choice.value.length <= CHOICE_LENGTH);
      if (!fits) return { ...text, autocomplete: true };
      return {
        ...text,
        choices: option.choices.map(({ label, value }) => ({ name: label.slice(0, CHOICE_LENGTH), value })),
      };
    }
    case "flag":
      return { ...base, type: ApplicationCommandOptionType.Boolean };
    case "time":
      return { ...text, autocomplete: true };
    case "file":
      return { ...base, type: ApplicationCommandOptionType.Attachment };
    case "network":
      if (networks.length > MAX_OPTION_CHOICES) return { ...text, autocomplete: true };
      return { ...text, choices: networks.map((network) => ({ name: network, value: network })) };
  }
}

function nameOf(name: string): string {
  if (!COMMAND_NAME.test(name)) throw new RangeError(`Discord takes no command or option named “${name}”`);
  return name;
}

function describe(description: string): string {
  return cutLabel(description, DESCRIPTION_LENGTH).text;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** As Discord counts a command: all names, descriptions and choice values. */
function lengthOf(part: unknown): number {
  if (Array.isArray(part)) return part.reduce<number>((total, one) => total + lengthOf(one), 0);
  if (typeof part !== "object" || part === null) return 0;
  return Object.entries(part).reduce((total, [key, value]) => {
    if (typeof value === "string" && ["name", "description", "value"].includes(key)) return total + value.length;
    return total + lengthOf(value);
  }, 0);
}

/**
 * The changes that registering would make, by the names that people type or choose: `/market`, `Why this alert?`. With
 * empty lists, nothing has to be written.
 */
export function compareCommands(registered: readonly APIApplicationCommand[], wanted: readonly DiscordCommand[]) {
  const before = new Map(registered.map((command) => [shownName(command), command]));
  const after = new Map(wanted.map((command) => [shownName(command), command]));
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    changed: [...after]
      .filter(([name]) => before.has(name))
      .filter(([name, one]) => !isDeepStrictEqual(comparable(before.get(name), one), comparable(one, one)))
      .map(([name]) => name),
    removed: [...before.keys()].filter((name) => !after.has(name)),
  };
}

function shownName({ type, name }: Pick<APIApplicationCommand | DiscordCommand, "type" | "name">): string {
  return (type ?? ApplicationCommandType.ChatInput) === ApplicationCommandType.ChatInput ? `/${name}` : name;
}

export function hasChanges(changes: ReturnType<typeof compareCommands>): boolean {
  return changes.added.length + changes.changed.length + changes.removed.length > 0;
}

/** The members that count in a comparison: no ids, versions or defaults that Discord fills in. */
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
