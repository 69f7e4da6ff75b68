import { GatewayCloseCodes } from "discord-api-types/v10";

/** What Discord says by closing the gateway for good, in words for whoever runs the bot. */
export interface FatalClose {
  readonly why: string;
  /** A new connection may do better: it asks Discord anew for what this one was refused for. */
  readonly mayRecover: boolean;
}

export const TOKEN_REFUSED =
  "Discord refuses the token: reset it on the page Bot of your app, set DISCORD_TOKEN and start again";

const SHARD_COUNT_REFUSED: FatalClose = {
  why: "Discord refuses this number of gateway connections: it is asked again in a while how many it wants",
  mayRecover: true,
};
const INTENTS_REFUSED: FatalClose = {
  why: "Discord refuses the gateway intents, of which there are none: update Bellwether",
  mayRecover: false,
};
const FATAL_CLOSES: ReadonlyMap<number, FatalClose> = new Map<number, FatalClose>([
  [GatewayCloseCodes.AuthenticationFailed, { why: TOKEN_REFUSED, mayRecover: false }],
  [GatewayCloseCodes.InvalidShard, SHARD_COUNT_REFUSED],
  [GatewayCloseCodes.ShardingRequired, SHARD_COUNT_REFUSED],
  [
    GatewayCloseCodes.InvalidAPIVersion,
    { why: "Discord no longer speaks this version of its gateway: update Bellwether", mayRecover: false },
  ],
  [GatewayCloseCodes.InvalidIntents, INTENTS_REFUSED],
  [GatewayCloseCodes.DisallowedIntents, INTENTS_REFUSED],
]);

/**
 * The close codes after which the same connection must not be tried again; undefined for all others, which are resumed
 * or begun anew: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
 */
export function fatalCloseOf(code: number): FatalClose | undefined {
  return FATAL_CLOSES.get(code);
}
