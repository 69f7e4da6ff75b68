import type { Reply } from "../reply/reply.ts";
import type { AnyCommand } from "./command.ts";
import type { Invocation, Prepared, Target, Visibility } from "./invocation.ts";
import type { Choice } from "./option.ts";

/** A completion request: the values typed so far and the option being typed. */
export type SuggestRequest = Omit<Invocation, "progress"> & { readonly option: string; readonly typed: string };

/** What adapters talk to. */
export interface Bot {
  readonly commands: readonly AnyCommand[];
  /** The networks there are, the default one first. */
  readonly networks: readonly string[];
  /**
   * Who sees a command's answer because it announces a change, or because the server or workspace chose so; undefined
   * where the command's own default, or the platform's, holds. What a question says by `private` comes before it.
   */
  audience(command: string, here: Target): Visibility | undefined;
  /** Parses and checks without asking the network; never throws. */
  prepare(invocation: Invocation): Prepared;
  /** Prepares and runs. Never rejects: every error is a Reply. */
  run(invocation: Invocation): Promise<Reply>;
  /** The same for a typed line (`market show BTC/USDT network:testnet`). Never rejects. */
  runLine(line: string, invocation: Omit<Invocation, "command" | "options">): Promise<Reply>;
  /** Never rejects; an empty list where there is nothing to offer. */
  suggest(request: SuggestRequest): Promise<readonly Choice[]>;
  /** Completion of a typed line: whole lines to offer, best first. Never rejects. */
  completeLine(line: string, invocation: Omit<Invocation, "command" | "options">): Promise<readonly string[]>;
}
