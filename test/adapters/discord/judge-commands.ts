import {
  ContextMenuCommandBuilder,
  enableValidators,
  SlashCommandAssertions,
  SlashCommandBooleanOption,
  SlashCommandBuilder,
  SlashCommandIntegerOption,
  SlashCommandAttachmentOption,
  SlashCommandMentionableOption,
  SlashCommandStringOption,
  type ApplicationCommandOptionBase,
} from "@discordjs/builders";
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type APIApplicationCommandOption,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from "discord-api-types/v10";

enableValidators();

/**
 * All that Discord would refuse in a list of commands, by the validation of Discord's own library and by the rules over
 * several members of a command, which that library omits. Empty for a valid list.
 */
export function commandRefusals(commands: readonly Registered[]): string[] {
  const found: string[] = [];
  const ofType = (wanted: ApplicationCommandType): number =>
    commands.filter(({ type = ApplicationCommandType.ChatInput }) => type === wanted).length;
  if (ofType(ApplicationCommandType.ChatInput) > 100) found.push("more than 100 commands");
  if (ofType(ApplicationCommandType.Message) > 15) found.push("more than 15 commands in the menu of a message");
  if (hasTwice(commands)) found.push("a command twice");
  for (const command of commands) {
    try {
      if (isMenu(command)) {
        const menu = new ContextMenuCommandBuilder().setName(command.name).setType(command.type);
        if (command.contexts !== undefined && command.contexts !== null) menu.setContexts(command.contexts);
        if (command.integration_types !== undefined) menu.setIntegrationTypes(command.integration_types);
        menu.toJSON();
        if ("description" in command || "options" in command) throw new RangeError("a menu with a description");
        continue;
      }
      const { name, description, options = [], contexts, integration_types: types } = command;
      const builder = new SlashCommandBuilder().setName(name).setDescription(description);
      builder.setDefaultMemberPermissions(command.default_member_permissions);
      if (contexts !== undefined && contexts !== null) builder.setContexts(contexts);
      if (types !== undefined) builder.setIntegrationTypes(types);
      builder.toJSON();
      checkOptions(options);
      const characters = [...JSON.stringify(command).matchAll(/"(?:name|description|value)":"((?:[^"\\]|\\.)*)"/gu)]
        .map(([, text = ""]) => text.length)
        .reduce((total, length) => total + length, 0);
      if (characters > 8000) throw new RangeError(`${characters} characters`);
    } catch (error) {
      found.push(`/${command.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found;
}

type Menu = RESTPostAPIContextMenuApplicationCommandsJSONBody;
type Registered = RESTPostAPIChatInputApplicationCommandsJSONBody | Menu;

function isMenu(command: Registered): command is Menu {
  return command.type === ApplicationCommandType.Message || command.type === ApplicationCommandType.User;
}

function checkOptions(options: readonly APIApplicationCommandOption[]): void {
  SlashCommandAssertions.validateMaxOptionsLength(options);
  if (hasTwice(options)) throw new RangeError("an option twice");
  const optional = options.findIndex(({ required }) => required !== true);
  if (optional !== -1 && options.slice(optional).some(({ required }) => required === true)) {
    throw new RangeError("a required option after one that is not");
  }
  const subcommands = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length > 0 && subcommands.length < options.length) throw new RangeError("options beside subcommands");
  for (const option of options) checkOption(option);
}

function checkOption(option: APIApplicationCommandOption): void {
  switch (option.type) {
    case ApplicationCommandOptionType.Subcommand:
      SlashCommandAssertions.validateRequiredParameters(option.name, option.description, []);
      checkOptions(option.options ?? []);
      return;
    case ApplicationCommandOptionType.String: {
      const built = named(new SlashCommandStringOption(), option);
      if (option.choices !== undefined) built.setChoices(option.choices);
      if (option.autocomplete === true) built.setAutocomplete(true);
      if (option.max_length !== undefined) built.setMaxLength(option.max_length);
      built.toJSON();
      return;
    }
    case ApplicationCommandOptionType.Integer: {
      const built = named(new SlashCommandIntegerOption(), option);
      if (option.min_value !== undefined) built.setMinValue(option.min_value);
      if (option.max_value !== undefined) built.setMaxValue(option.max_value);
      built.toJSON();
      return;
    }
    case ApplicationCommandOptionType.Attachment:
      named(new SlashCommandAttachmentOption(), option).toJSON();
      break;
    case ApplicationCommandOptionType.Mentionable:
      named(new SlashCommandMentionableOption(), option).toJSON();
      return;
    case ApplicationCommandOptionType.Boolean:
      named(new SlashCommandBooleanOption(), option).toJSON();
      return;
    default:
      throw new TypeError(`an option of type ${option.type}`);
  }
}

function named<T extends ApplicationCommandOptionBase>(built: T, given: APIApplicationCommandOption): T {
  return built
    .setName(given.name)
    .setDescription(given.description)
    .setRequired(given.required ?? false);
}

function hasTwice(all: readonly { readonly name: string }[]): boolean {
  return new Set(all.map(({ name }) => name)).size !== all.length;
}
