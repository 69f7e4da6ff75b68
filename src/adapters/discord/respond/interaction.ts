import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIAttachment,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIPingInteraction,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
  MessageFlags,
  PermissionFlagsBits,
} from "discord-api-types/v10";

import type { GivenFile } from "../../../bot/options/options.ts";
import type { Caller, Target } from "../../../bot/invocation.ts";
import { messageOf, UserError } from "../../../errors.ts";
import type { DiscordContext } from "../context.ts";
import { ANSWER_WITHIN_MILLIS, MAX_FILE_BYTES, MAX_TOTAL_FILE_BYTES } from "../limits.ts";
import { discordPlatform } from "../platform.ts";
import { mentionOf } from "../render/modal.ts";
import type { InteractionApi } from "./interaction-api.ts";

/** An interaction of a person: all but a ping. */
export type UserInteraction = Exclude<APIInteraction, APIPingInteraction>;

/** The context of one interaction. */
export interface InteractionContext<I = UserInteraction> extends DiscordContext {
  readonly interaction: I;
  readonly api: InteractionApi;
}

type CommandInteraction = APIChatInputApplicationCommandInteraction | APIApplicationCommandAutocompleteInteraction;
type DataOption = NonNullable<CommandInteraction["data"]["options"]>[number];

/** A typed command: its name in the bot's words, its raw values, and in autocompletion the option being typed. */
export function typedCommand({ name, options: typed = [], resolved }: CommandInteraction["data"]) {
  const words = [name];
  let given: readonly DataOption[] = typed;
  const { Subcommand, SubcommandGroup } = ApplicationCommandOptionType;
  for (let [only] = given; only?.type === Subcommand || only?.type === SubcommandGroup; [only] = given) {
    words.push(only.name);
    given = only.options ?? [];
  }
  const options: Record<string, string | number | boolean> = {};
  let focused: { readonly option: string; readonly typed: string } | undefined;
  for (const option of given) {
    if (!("value" in option)) continue;
    if ("focused" in option && option.focused) focused = { option: option.name, typed: String(option.value) };
    else {
      const isMention = option.type === ApplicationCommandOptionType.Mentionable;
      options[option.name] = isMention ? mentionOf(option.value, resolved) : option.value;
    }
  }
  return { ask: { command: words.join(" "), options }, focused };
}

/** The time limit for reading a file that somebody attached. */
const GIVEN_FILE_MILLIS = 600_000;

/**
 * A file given with an option, by the attachment's id, or one of the message whose button was pressed, by the name that it
 * was sent under; undefined where there is none.
 */
export function givenFile({ data: sent, message }: UserInteraction, id: string): GivenFile | undefined {
  const data = sent as { readonly resolved?: { readonly attachments?: Record<string, APIAttachment> } };
  const found = data.resolved?.attachments?.[id] ?? message?.attachments.find(({ filename }) => filename.includes(id));
  if (found === undefined) return undefined;
  return {
    name: found.filename,
    async open(signal) {
      const refused = (why: string, cause?: unknown): UserError => {
        const remedy = "Attach it again.";
        return new UserError(`Discord does not give ${found.filename} (${why}).`, { option: "file", remedy, cause });
      };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(GIVEN_FILE_MILLIS)]);
      const answer = await fetch(found.url, { signal: limit }).catch((thrown: unknown) => {
        signal.throwIfAborted();
        throw refused(messageOf(thrown), thrown);
      });
      if (!answer.ok || answer.body === null) throw refused(`HTTP ${answer.status}`);
      return answer.body;
    },
  };
}

export function callerOf(interaction: UserInteraction): Caller {
  const { member } = interaction;
  const user = member?.user ?? interaction.user;
  if (user === undefined) throw new TypeError("an interaction without a user");
  const manage = PermissionFlagsBits.ManageChannels | PermissionFlagsBits.Administrator;
  const held = member === undefined ? 0n : BigInt(member.permissions);
  // Only this permission holds in every channel, whatever the channel says.
  const isAdministrator = isBotThere(interaction) && (held & PermissionFlagsBits.Administrator) !== 0n;
  return {
    id: user.id,
    name: member?.nick ?? user.global_name ?? user.username,
    // In direct messages and under a user install, only the user is affected.
    ...(member === undefined ? {} : { groups: member.roles }),
    mayManageChannel: member === undefined || !isBotThere(interaction) || (held & manage) !== 0n,
    ...(isAdministrator ? { managesWorkspace: true } : {}),
  };
}

/**
 * False for a user install in a server without the bot: it can answer there, and post nothing
 * (https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-authorizing-integration-owners-object).
 */
function isBotThere({ authorizing_integration_owners: owners }: UserInteraction): boolean {
  const known = owners as UserInteraction["authorizing_integration_owners"] | undefined;
  return known === undefined || ApplicationIntegrationType.GuildInstall in known;
}

export function targetOf(interaction: UserInteraction): Target {
  const channel = interaction.channel?.id ?? ("channel_id" in interaction ? interaction.channel_id : undefined);
  return {
    platform: "discord",
    ...(interaction.guild_id === undefined || !isBotThere(interaction) ? {} : { workspace: interaction.guild_id }),
    ...(channel === undefined ? {} : { channel }),
    files: { ...discordPlatform.files, maxBytes: maxBytesOf(interaction) },
    answerWithin: ANSWER_WITHIN_MILLIS,
  };
}

/**
 * The size limit of a file here: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object.
 * Some servers allow more than the request that carries the file.
 */
export function maxBytesOf(interaction: UserInteraction): number {
  const limit: unknown = interaction.attachment_size_limit;
  const stated = typeof limit === "number" && limit > 0 ? limit : MAX_FILE_BYTES;
  return Math.min(stated, MAX_TOTAL_FILE_BYTES);
}

/** Whether the message of the pressed button is ephemeral. */
export function isEphemeral(interaction: UserInteraction): boolean {
  return ((interaction.message?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}

/** Whether the message of the pressed button has an embed and no components as content: no edit changes that. */
export function isEmbed(interaction: UserInteraction): boolean {
  return interaction.message !== undefined && ((interaction.message.flags ?? 0) & MessageFlags.IsComponentsV2) === 0;
}

/** Whether others could see a message there: false only in direct messages with the bot. */
export function isShared(interaction: UserInteraction): boolean {
  return interaction.context === undefined
    ? interaction.guild_id !== undefined
    : interaction.context !== InteractionContextType.BotDM;
}
