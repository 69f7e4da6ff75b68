import type { APIApplicationCommand } from "discord-api-types/v10";

import { checkMessage, type SentMessage } from "./check-message.ts";
import type { ParsedBody } from "./parse-body.ts";
import { Refusal } from "./refusal.ts";
import type { Channel, State, StoredInteraction, StoredMessage } from "./state.ts";

export interface Context {
  readonly state: State;
  readonly body: ParsedBody;
  readonly origin: string;
  readonly gatewayUrl: string;
  readonly shards: number;
}

/** What is answered: a body, or nothing (204). */
type Handler = (context: Context, ...parts: string[]) => unknown;

const TOKEN_MILLIS = 15 * 60 * 1000;
const FIRST_ANSWER_MILLIS = 3000;
const SLOW_MILLIS = 1000;
const NONCE_MILLIS = 5 * 60 * 1000;
const CHANNEL_FILE_BYTES = 10 * 1024 * 1024;

/** The part of Discord's REST interface that a bot like this one needs; anything else is a violation. */
export const ROUTES: readonly { method: string; path: RegExp; auth: boolean; handle: Handler }[] = [
  {
    method: "GET",
    path: /^\/gateway\/bot$/u,
    auth: true,
    handle: ({ gatewayUrl, shards }) => ({
      url: gatewayUrl,
      shards,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
    }),
  },
  {
    method: "GET",
    path: /^\/applications\/@me$/u,
    auth: true,
    handle: ({ state }) => ({ id: state.applicationId, ...state.application }),
  },
  {
    method: "GET",
    path: /^\/users\/@me$/u,
    auth: true,
    handle: ({ state }) => ({ id: state.applicationId, username: "Bellwether", bot: true }),
  },
  { method: "GET", path: /^\/guilds\/(\d+)$/u, auth: true, handle: getGuild },
  {
    method: "GET",
    path: /^\/channels\/(\d+)$/u,
    auth: true,
    handle: ({ state }, id = "") => ({ id: reachable(state, id).id }),
  },
  {
    method: "GET",
    path: COMMANDS(),
    auth: true,
    handle: ({ state }, _app, guild) => state.commands.get(guild ?? "") ?? [],
  },
  { method: "PUT", path: COMMANDS(), auth: true, handle: putCommands },
  { method: "POST", path: /^\/interactions\/(\d+)\/([^/]+)\/callback$/u, auth: false, handle: callback },
  { method: "POST", path: /^\/webhooks\/\d+\/([^/]+)$/u, auth: false, handle: followUp },
  { method: "PATCH", path: /^\/webhooks\/\d+\/([^/]+)\/messages\/@original$/u, auth: false, handle: editOriginal },
  { method: "DELETE", path: /^\/webhooks\/\d+\/([^/]+)\/messages\/@original$/u, auth: false, handle: deleteOriginal },
  { method: "POST", path: /^\/users\/@me\/channels$/u, auth: true, handle: openDirectMessages },
  { method: "POST", path: /^\/channels\/(\d+)\/messages$/u, auth: true, handle: postMessage },
  { method: "PATCH", path: /^\/channels\/(\d+)\/messages\/(\d+)$/u, auth: true, handle: patchMessage },
  { method: "POST", path: /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/u, auth: true, handle: startThread },
];

function COMMANDS(): RegExp {
  return /^\/applications\/(\d+)(?:\/guilds\/(\d+))?\/commands$/u;
}

function getGuild({ state }: Context, id = ""): unknown {
  const known = [...state.channels.values()].some(({ guild }) => guild === id);
  if (!known) throw new Refusal(404, 10_004, "Unknown Guild");
  return { id, name: "a server" };
}

function putCommands({ state, body }: Context, applicationId: string, guild?: string): unknown {
  const list = body.json as unknown as APIApplicationCommand[];
  const stored = list.map((command) => ({
    ...command,
    id: state.snowflake(),
    version: state.snowflake(),
    application_id: applicationId,
    default_member_permissions: command.default_member_permissions ?? null,
    nsfw: false,
    name_localizations: null,
    description_localizations: null,
  }));
  state.commands.set(guild ?? "", stored);
  return stored;
}

function callback({ state, body }: Context, id: string, token: string): unknown {
  const interaction = state.interactions.get(id);
  if (interaction === undefined || interaction.token !== token) throw new Refusal(404, 10_062, "Unknown interaction");
  const waited = Date.now() - interaction.realCreatedAt;
  if (waited > FIRST_ANSWER_MILLIS) throw new Refusal(404, 10_062, "Unknown interaction");
  if (interaction.acknowledged) {
    const refusal = new Refusal(400, 40_060, "Interaction has already been acknowledged.");
    // Whoever heard nothing for so long could not know; on a busy machine that happens without a fault.
    refusal.forgiven = waited > SLOW_MILLIS;
    throw refusal;
  }
  const { type, data = {} } = body.json as { type: number; data?: Record<string, unknown> };
  const ephemeral = (Number(data["flags"] ?? 0) & 64) !== 0;
  const allowed = { command: [4, 5], press: [4, 5, 6, 7], complete: [8] }[interaction.kind];
  if (!allowed.includes(type)) throw new Refusal(400, 50_035, `type ${type} does not answer a ${interaction.kind}`);
  if (type === 4) interaction.original = create(state, interaction, sent(data, body, interaction), ephemeral).id;
  if (type === 5) interaction.original = create(state, interaction, undefined, ephemeral).id;
  if (type === 7) change(state, originalOf(state, interaction), checkMessage(data, body, interaction.maxBytes, true));
  if (type === 8) interaction.choices = choices(data["choices"]);
  interaction.acknowledged = true;
  interaction.acknowledgedAfter = waited;
  return undefined;
}

function choices(given: unknown): { name: string; value: string }[] {
  const list = given as { name: string; value: string }[];
  const fits = (text: string): boolean => text.length >= 1 && text.length <= 100;
  if (!Array.isArray(list) || list.length > 25 || !list.every(({ name, value }) => fits(name) && fits(value))) {
    throw new Refusal(400, 50_035, "Invalid Form Body: choices");
  }
  return list;
}

function followUp({ state, body }: Context, token: string): unknown {
  const interaction = alive(state, token);
  const ephemeral = (Number(body.json["flags"] ?? 0) & 64) !== 0;
  const message = sent(body.json, body, interaction);
  const original = interaction.original === undefined ? undefined : state.messages.get(interaction.original);
  if (original?.thinking === true) {
    // The first follow-up takes the place of what was deferred, whatever it says about who may see it.
    change(state, original, message);
    return shown(state, original);
  }
  return shown(state, create(state, interaction, message, ephemeral));
}

function editOriginal({ state, body }: Context, token: string): unknown {
  const interaction = alive(state, token);
  const original = originalOf(state, interaction);
  change(state, original, checkMessage(body.json, body, interaction.maxBytes, true));
  return shown(state, original);
}

function deleteOriginal({ state }: Context, token: string): unknown {
  const original = originalOf(state, alive(state, token));
  state.messages.delete(original.id);
  return undefined;
}

function openDirectMessages({ state, body }: Context): unknown {
  const recipient = String(body.json["recipient_id"]);
  const known = [...state.channels.values()].find((channel) => channel.recipient === recipient);
  const channel = known ?? { id: state.snowflake(), guild: undefined, recipient, gone: undefined };
  state.channels.set(channel.id, channel);
  return { id: channel.id, type: 1, recipients: [{ id: recipient }] };
}

function postMessage({ state, body }: Context, channelId: string): unknown {
  const channel = reachable(state, channelId);
  const nonce = body.json["nonce"] as string | undefined;
  if (nonce !== undefined && nonce.length > 25) throw new Refusal(400, 50_035, "Invalid Form Body: nonce");
  const known = state.nonces.get(`${channelId} ${nonce}`);
  if (body.json["enforce_nonce"] === true && known !== undefined && state.now() - known.at < NONCE_MILLIS) {
    const first = state.messages.get(known.message);
    if (first !== undefined) return shown(state, first);
  }
  const message = store(
    state,
    channel.id,
    checkMessage(body.json, body, CHANNEL_FILE_BYTES, false),
    undefined,
    undefined,
    nonce,
  );
  if (nonce !== undefined) state.nonces.set(`${channelId} ${nonce}`, { message: message.id, at: state.now() });
  return shown(state, message);
}

function patchMessage({ state, body }: Context, channelId: string, id: string): unknown {
  reachable(state, channelId);
  const message = state.messages.get(id);
  if (message === undefined) throw new Refusal(404, 10_008, "Unknown Message");
  change(state, message, checkMessage(body.json, body, CHANNEL_FILE_BYTES, true));
  return shown(state, message);
}

function startThread({ state, body }: Context, channelId: string, id: string): unknown {
  const parent = reachable(state, channelId);
  const name = body.json["name"];
  if (typeof name !== "string" || name.length < 1 || name.length > 100) throw new Refusal(400, 50_035, "name");
  if (!state.messages.has(id)) throw new Refusal(404, 10_008, "Unknown Message");
  if (parent.guild === undefined) throw new Refusal(400, 50_024, "Cannot execute action on this channel type");
  if (state.channels.has(id)) throw new Refusal(400, 160_004, "A thread has already been created for this message");
  state.channels.set(id, { id, guild: parent.guild, recipient: undefined, gone: undefined });
  return { id, type: 11, name, parent_id: channelId };
}

function reachable(state: State, id: string): Channel {
  const channel = state.channels.get(id);
  if (channel === undefined || channel.gone === "deleted") throw new Refusal(404, 10_003, "Unknown Channel");
  if (channel.gone === "no-access") {
    throw channel.recipient === undefined
      ? new Refusal(403, 50_001, "Missing Access")
      : new Refusal(403, 50_007, "Cannot send messages to this user");
  }
  return channel;
}

function alive(state: State, token: string): StoredInteraction {
  const interaction = [...state.interactions.values()].find((one) => one.token === token);
  if (interaction === undefined || !interaction.acknowledged) throw new Refusal(404, 10_015, "Unknown Webhook");
  if (state.now() - interaction.createdAt > TOKEN_MILLIS) throw new Refusal(401, 50_027, "Invalid Webhook Token");
  return interaction;
}

function originalOf(state: State, interaction: StoredInteraction): StoredMessage {
  const message = interaction.original === undefined ? undefined : state.messages.get(interaction.original);
  if (message === undefined) throw new Refusal(404, 10_008, "Unknown Message");
  return message;
}

function sent(data: Record<string, unknown>, body: ParsedBody, interaction: StoredInteraction): SentMessage {
  return checkMessage(data, body, interaction.maxBytes, false);
}

function create(
  state: State,
  interaction: StoredInteraction,
  message: SentMessage | undefined,
  ephemeral: boolean,
): StoredMessage {
  const stored = store(
    state,
    interaction.channel,
    message,
    ephemeral ? interaction.user : undefined,
    interaction.command,
    undefined,
  );
  interaction.produced.push(stored.id);
  return stored;
}

function store(
  state: State,
  channel: string,
  message: SentMessage | undefined,
  onlyFor: string | undefined,
  command: string | undefined,
  nonce: string | undefined,
): StoredMessage {
  const stored: StoredMessage = {
    id: state.snowflake(),
    channel,
    onlyFor,
    thinking: message === undefined,
    content: message?.content ?? "",
    embeds: message?.embeds ?? [],
    components: message?.components ?? [],
    files: message?.files ?? [],
    flags: (message?.flags ?? 0) | (onlyFor === undefined ? 0 : 64),
    edits: 0,
    nonce,
    pinged: message?.pinged ?? [],
    sentAt: state.now(),
    editedAt: undefined,
    command,
  };
  state.messages.set(stored.id, stored);
  return stored;
}

function change(state: State, stored: StoredMessage, message: SentMessage): void {
  stored.thinking = false;
  stored.edits += 1;
  stored.editedAt = state.now();
  if (message.content !== undefined) stored.content = message.content;
  if (message.embeds !== undefined) stored.embeds = message.embeds;
  if (message.components !== undefined) stored.components = message.components;
  if (message.files !== undefined) stored.files = message.files;
  stored.pinged.push(...message.pinged);
}

/** A message as Discord gives it, with pictures and files under addresses of its own. */
export function shown(state: State, message: StoredMessage, origin = ""): Record<string, unknown> {
  const address = (name: string): string => `${origin}/cdn/${message.id}/${name}`;
  return {
    id: message.id,
    channel_id: message.channel,
    type: message.command === undefined ? 0 : 20,
    author: { id: state.applicationId, username: "Bellwether", bot: true },
    content: message.content,
    embeds: message.embeds.map((embed) => ({
      type: "rich",
      ...embed,
      ...(embed.image === undefined
        ? {}
        : { image: { url: address(embed.image.url.replace("attachment://", "")), width: 1, height: 1 } }),
    })),
    components: message.components,
    attachments: message.files.map((file, index) => ({
      id: `${message.id}${index}`,
      filename: file.name,
      size: file.bytes.length,
      content_type: file.type,
      url: address(file.name),
      ...(file.description === undefined ? {} : { description: file.description }),
    })),
    flags: message.flags,
    timestamp: new Date(message.sentAt).toISOString(),
    edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
  };
}
