import type { Ask, Reply } from "../reply/reply.ts";

/** Where an answer goes, and what may go there. */
export interface Target {
  readonly platform: "discord" | "slack" | "terminal" | "web";
  /** The server or workspace; absent in direct messages, terminal and console. */
  readonly workspace?: string;
  readonly channel?: string;
  /** What can be attached here. */
  readonly files: { readonly maxBytes: number; readonly maxCount: number };
}

export interface Caller {
  /** Unique within the platform. */
  readonly id: string;
  readonly name: string;
  readonly mayManageChannel: boolean;
  /** Why not, and what to do about it, where the platform can tell: one sentence or two. */
  readonly mayNotManage?: string;
}

/** Where people's input ends up, whatever the platform: a command's name and its raw values. */
export interface Invocation extends Ask {
  readonly here: Target;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Shows how far a long job is; may be called often, adapters thin it out. */
  readonly progress?: (reply: Reply) => void;
}

export type Visibility = "caller" | "channel";

/** What an adapter must know before the command runs: who will see the answer, or what is wrong with the question. */
export type Prepared =
  | { readonly ok: true; readonly visibility: Visibility; readonly run: () => Promise<Reply> }
  /** The caller's mistake; `option` names the one at fault where there is one, so that a form can show it at its field. */
  | { readonly ok: false; readonly reply: Reply; readonly option?: string };
