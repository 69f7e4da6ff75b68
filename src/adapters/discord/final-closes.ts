import { GatewayCloseCodes } from "discord-api-types/v10";

/** What Discord says by closing the gateway for good, in words for whoever runs the bot. */
export interface FinalClose {
  readonly why: string;
  /** A new connection may do better: it asks Discord anew for what this one was refused for. */
  readonly mayPass: boolean;
}

export const TOKEN_REFUSED =
  "Discord refuses the token: reset it on the page Bot of your app, set DISCORD_TOKEN and start again";

const SHARDS: FinalClose = {
  why: "Discord refuses this number of gateway connections: it is asked again in a while how many it wants",
  mayPass: true,
};
const INTENTS: FinalClose = {
  why: "Discord refuses the gateway intents, of which there are none: update Bellwether",
  mayPass: false,
};
const FINAL: ReadonlyMap<number, FinalClose> = new Map<number, FinalClose>([
  [GatewayCloseCodes.AuthenticationFailed, { why: TOKEN_REFUSED, mayPass: false }],
  [GatewayCloseCodes.InvalidShard, SHARDS],
  [GatewayCloseCodes.ShardingRequired, SHARDS],
  [
    GatewayCloseCodes.InvalidAPIVersion,
    { why: "Discord no longer speaks this version of its gateway: update Bellwether", mayPass: false },
  ],
  [GatewayCloseCodes.InvalidIntents, INTENTS],
  [GatewayCloseCodes.DisallowedIntents, INTENTS],
]);

/**
 * The close codes after which the same connection must not be tried again; undefined for all others, which are resumed
 * or begun anew: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
 */
export function finalClose(code: number): FinalClose | undefined {
  return FINAL.get(code);
}
