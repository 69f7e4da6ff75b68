import type {
  APIApplicationCommand,
  RESTPostAPIChatInputApplicationCommandsJSONBody as CommandBody,
} from "discord-api-types/v10";

import { commandRefusals } from "../../adapters/discord/judge-commands.ts";
import { CHANNEL_ROUTES } from "./channel-routes.ts";
import { INTERACTION_ROUTES } from "./interaction-routes.ts";
import { ErrorResponse } from "./error-response.ts";
import type { Context, Route } from "./route.ts";

const COMMANDS = /^\/applications\/(\d+)(?:\/guilds\/(\d+))?\/commands$/u;

/** The part of Discord's REST interface that a bot like this one needs; anything else is a violation. */
export const ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: /^\/gateway\/bot$/u,
    auth: true,
    handle: ({ gatewayUrl, shards, concurrency }) => ({
      url: gatewayUrl,
      shards,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: concurrency },
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
    path: COMMANDS,
    auth: true,
    handle: ({ state }, _app, guild) => state.commands.get(guild ?? "") ?? [],
  },
  { method: "PUT", path: COMMANDS, auth: true, handle: putCommands },
  ...INTERACTION_ROUTES,
  ...CHANNEL_ROUTES,
];

function getGuild({ state }: Context, id = ""): unknown {
  const known = [...state.channels.values()].some(({ guild }) => guild === id);
  if (!known) throw new ErrorResponse(404, 10_004, "Unknown Guild");
  return { id, name: "a server" };
}

function putCommands({ state, body }: Context, applicationId = "", guild?: string): unknown {
  const list = body.json as unknown as readonly CommandBody[];
  const refused = commandRefusals(list);
  if (refused.length > 0) throw new ErrorResponse(400, 50_035, `Invalid Form Body: ${refused.join("; ")}`);
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
  state.commands.set(guild ?? "", stored as unknown as APIApplicationCommand[]);
  return stored;
}
