import type { ParsedBody } from "./parse-body.ts";
import type { State } from "./state.ts";

/** What a request is answered from. */
export interface Context {
  readonly state: State;
  readonly body: ParsedBody;
  readonly origin: string;
  readonly gatewayUrl: string;
  readonly shards: number;
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Whether it takes the bot's token; the others must not carry it. */
  readonly auth: boolean;
  /** Answers with a body, or with nothing (204); throws a Refusal. `parts` are what the path names. */
  readonly handle: (context: Context, ...parts: string[]) => unknown;
}
