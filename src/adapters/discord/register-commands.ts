import { type APIApplication, type APIApplicationCommand, Routes } from "discord-api-types/v10";
import { DiscordAPIError, type REST } from "discord.js";

import type { AnyCommand } from "../../bot/command.ts";
import { messageOf } from "../../errors.ts";
import { compareCommands, hasChanges, registrationOf } from "./registration.ts";
import { closeRest, createRest, isTokenRefused } from "./transport/rest.ts";

export interface RegisterOptions {
  readonly rest: REST;
  /** Left out: read from Discord. */
  readonly applicationId?: string | undefined;
  /** Only for this server, at once; left out = everywhere. */
  readonly guildId?: string | undefined;
  readonly commands: readonly AnyCommand[];
  readonly networks: readonly string[];
  /** Reports changes without writing them. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Compares the commands with the registered ones and writes them only where they differ. Gives the changes, and all
 * commands as Discord knows them now. Rejects with Discord's error.
 */
export async function registerCommands(options: RegisterOptions) {
  const { rest, guildId, signal } = options;
  const wanted = registrationOf(options.commands, options.networks, guildId === undefined ? "global" : "guild");
  const applicationId =
    options.applicationId ?? ((await rest.get(Routes.currentApplication(), { signal })) as APIApplication).id;
  const route =
    guildId === undefined
      ? Routes.applicationCommands(applicationId)
      : Routes.applicationGuildCommands(applicationId, guildId);
  const registered = (await rest.get(route, { signal })) as APIApplicationCommand[];
  const changes = compareCommands(registered, wanted);
  if (options.dryRun === true || !hasChanges(changes)) return { changes, registered };
  const written = (await rest.put(route, { signal, body: wanted })) as APIApplicationCommand[];
  return { changes, registered: written };
}

export interface RegisterCommandOptions extends Omit<RegisterOptions, "rest" | "dryRun" | "signal"> {
  readonly token: string | undefined;
  readonly apiUrl?: string | undefined;
  print(line: string): void;
}

/** `discord:register [--dry-run]`: registers the commands and says what changed. Gives the exit code; never rejects. */
export async function discordRegister(args: readonly string[], options: RegisterCommandOptions): Promise<number> {
  const unknown = args.find((arg) => arg !== "--dry-run");
  if (unknown !== undefined) {
    options.print(`There is no option “${unknown}”. Use --dry-run to see what would change, or nothing to register.`);
    return 1;
  }
  if (options.token === undefined) {
    options.print(
      "DISCORD_TOKEN is not set. Set it to the bot token of your app: https://discord.com/developers/applications.",
    );
    return 1;
  }
  const dryRun = args.includes("--dry-run");
  const rest = createRest({ token: options.token, apiUrl: options.apiUrl });
  try {
    const { changes } = await registerCommands({ ...options, rest, dryRun, signal: AbortSignal.timeout(30_000) });
    for (const name of changes.added) options.print(`+ ${name}`);
    for (const name of changes.changed) options.print(`~ ${name}`);
    for (const name of changes.removed) options.print(`- ${name}`);
    const where = options.guildId === undefined ? "everywhere" : `in server ${options.guildId}`;
    const outcome = !hasChanges(changes) ? "Nothing differs" : dryRun ? "Nothing written (dry run)" : "Registered";
    options.print(`${outcome}, ${where}.`);
    return 0;
  } catch (error) {
    options.print(whyRegistrationFailed(error));
    return 2;
  } finally {
    closeRest(rest);
  }
}

function whyRegistrationFailed(error: unknown): string {
  if (isTokenRefused(error)) {
    return "Discord refuses the token. Copy it again from the page Bot of your app and set DISCORD_TOKEN.";
  }
  if (error instanceof DiscordAPIError && error.status === 403) {
    return "Discord refuses to write commands there: install the app in that server with the scope applications.commands.";
  }
  return `Discord did not take the commands: ${messageOf(error)}`;
}
