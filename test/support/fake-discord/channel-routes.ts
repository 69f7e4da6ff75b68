import { MessageFlags } from "discord-api-types/v10";

import { checkMessage } from "./check-message.ts";
import { change, edited, shown, store } from "./messages.ts";
import { ErrorResponse } from "./error-response.ts";
import type { Context, Route } from "./route.ts";
import type { Channel, State } from "./state.ts";

const NONCE_MILLIS = 5 * 60 * 1000;
const CHANNEL_FILE_BYTES = 10 * 1024 * 1024;

/** What the bot does in its own name: messages, threads and direct messages. */
export const CHANNEL_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: /^\/channels\/(\d+)$/u,
    auth: true,
    handle({ state }, channelId = "") {
      const { id, guild } = reachable(state, channelId);
      return { id, ...(guild === undefined ? {} : { guild_id: guild }) };
    },
  },
  {
    method: "GET",
    path: /^\/guilds\/(\d+)\/roles$/u,
    auth: true,
    handle: ({ state }, guild = "") =>
      [[guild, 1024n] as const, ...state.roles].map(([id, bits]) => ({ id, permissions: String(bits) })),
  },
  {
    method: "GET",
    path: /^\/guilds\/(\d+)\/channels$/u,
    auth: true,
    handle: ({ state }, guild = "") =>
      [...state.channels.values()].filter((one) => one.guild === guild).map(({ id }) => ({ id, type: 0 })),
  },
  { method: "PATCH", path: /^\/channels\/(\d+)$/u, auth: true, handle: renameThread },
  { method: "POST", path: /^\/users\/@me\/channels$/u, auth: true, handle: openDirectMessages },
  { method: "POST", path: /^\/channels\/(\d+)\/messages$/u, auth: true, handle: postMessage },
  { method: "PATCH", path: /^\/channels\/(\d+)\/messages\/(\d+)$/u, auth: true, handle: patchMessage },
  { method: "POST", path: /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/u, auth: true, handle: startThread },
];

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
  if (nonce !== undefined && nonce.length > 25) throw new ErrorResponse(400, 50_035, "Invalid Form Body: nonce");
  const known = state.nonces.get(`${channelId} ${nonce}`);
  if (body.json["enforce_nonce"] === true && known !== undefined && state.now() - known.at < NONCE_MILLIS) {
    const first = state.messages.get(known.message);
    if (first !== undefined) return shown(state, first);
  }
  const { message_reference: reference, ...json } = body.json;
  const repliesTo = reference === undefined ? undefined : repliedTo(state, channel, reference as Reference);
  const sent = checkMessage(json, body, CHANNEL_FILE_BYTES);
  const message = store(state, { channel: channel.id, nonce, repliesTo }, sent);
  // https://github.com/discord/discord-api-docs/issues/7854
  const isReply = reference !== undefined || channel.noHistory === true;
  const notifiesNobody = isReply && (sent.flags & MessageFlags.SuppressNotifications) !== 0;
  if (message.content.trim() === "" && !notifiesNobody) state.violations.push("a message whose notification is blank");
  if (nonce !== undefined) state.nonces.set(`${channelId} ${nonce}`, { message: message.id, at: state.now() });
  return shown(state, message);
}

interface Reference {
  readonly message_id: string;
  readonly fail_if_not_exists?: boolean;
}

/** The message that is replied to; none where it is gone, and need not be there. */
function repliedTo(state: State, channel: Channel, { message_id: id, ...more }: Reference): string | undefined {
  if (channel.noHistory === true)
    throw new ErrorResponse(400, 160_002, "Cannot reply without permission to read message history");
  if (state.written.get(id) === channel.id) return id;
  if (more.fail_if_not_exists === false) return undefined;
  throw new ErrorResponse(400, 50_035, "Invalid Form Body: message_reference: Unknown message");
}

function patchMessage({ state, body }: Context, channelId: string, id: string): unknown {
  reachable(state, channelId);
  const message = state.messages.get(id);
  if (message === undefined) throw new ErrorResponse(404, 10_008, "Unknown Message");
  change(state, message, checkMessage(body.json, body, CHANNEL_FILE_BYTES, edited(message)));
  const thread = state.channels.get(id);
  if (thread === undefined || thread.gone === "deleted") return shown(state, message);
  return {
    ...shown(state, message),
    thread: { id, type: 11, name: thread.name, parent_id: channelId, owner_id: thread.owner ?? state.applicationId },
  };
}

function renameThread({ state, body }: Context, id: string): unknown {
  const channel = reachable(state, id);
  const name = body.json["name"];
  if (typeof name !== "string" || name.length < 1 || name.length > 100) throw new ErrorResponse(400, 50_035, "name");
  if (channel.name === undefined) throw new ErrorResponse(403, 50_013, "Missing Permissions");
  channel.name = name;
  channel.renamed = (channel.renamed ?? 0) + 1;
  return { id, type: 11, name };
}

function startThread({ state, body }: Context, channelId: string, id: string): unknown {
  const parent = reachable(state, channelId);
  const name = body.json["name"];
  if (typeof name !== "string" || name.length < 1 || name.length > 100) throw new ErrorResponse(400, 50_035, "name");
  if (!state.messages.has(id)) throw new ErrorResponse(404, 10_008, "Unknown Message");
  if (parent.guild === undefined) throw new ErrorResponse(400, 50_024, "Cannot execute action on this channel type");
  if (state.channels.has(id))
    throw new ErrorResponse(400, 160_004, "A thread has already been created for this message");
  state.channels.set(id, { id, guild: parent.guild, recipient: undefined, name, gone: undefined });
  return { id, type: 11, name, parent_id: channelId };
}

function reachable(state: State, id: string): Channel {
  const channel = state.channels.get(id);
  if (channel === undefined || channel.gone === "deleted") throw new ErrorResponse(404, 10_003, "Unknown Channel");
  if (channel.gone === "no-access") {
    throw channel.recipient === undefined
      ? new ErrorResponse(403, 50_001, "Missing Access")
      : new ErrorResponse(403, 50_007, "Cannot send messages to this user");
  }
  return channel;
}
