import type { ParsedBody } from "./parse-body.ts";
import type { State } from "./state.ts";

export interface Context {
  readonly state: State;
  readonly body: ParsedBody;
  readonly origin: string;
  readonly gatewayUrl: string;
  readonly shards: number;
  readonly concurrency: number;
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Whether it requires the bot's token; other routes must not carry it. */
  readonly auth: boolean;
  /** Returns a body, or nothing (204); throws an ErrorResponse. `parts` are the parameters of the path. */
  readonly handle: (context: Context, ...parts: string[]) => unknown;
}
