import type { Platforms } from "../alerts/destination.ts";
import type { Receipt } from "../alerts/sender.ts";
import type { UserError } from "../errors.ts";
import type { Ask, FileLimits, Reply } from "../reply/reply.ts";
import type { Milliseconds } from "../units/time.ts";
import type { GivenFile } from "./options/options.ts";

/** The target of an answer, and its limits for files. */
export interface Target {
  readonly platform: string;
  /** The server or workspace; absent in direct messages, terminal and console. */
  readonly workspace?: string;
  readonly channel?: string;
  readonly files: FileLimits;
  /** The asker does not take the files of an answer along, so an export keeps its file for later. */
  readonly leavesFiles?: true;
  /** How long an answer can be given here, from the question on; left out = for as long as it takes. */
  readonly answerWithin?: Milliseconds;
}

export interface Caller {
  /** Unique within the platform. */
  readonly id: string;
  readonly name: string;
  readonly mayManageChannel: boolean;
  /** They manage every channel of the server or workspace. */
  readonly managesWorkspace?: true;
  /** Why not and what to do, in a sentence or two, if the platform knows. */
  readonly mayNotManage?: string;
  /** The platform's own ids of the roles or user groups that they are in, as mentions name them; left out = not known. */
  readonly groups?: readonly string[];
}

/** What to do for somebody who may not manage the channel. */
export function managerRemedy({ here, caller }: Pick<Invocation, "here" | "caller">, platforms: Platforms): string {
  return caller.mayNotManage ?? `Ask one of them, or a ${platforms.workspaceNoun(here.platform)} administrator.`;
}

/** Input from any platform: a command's name and its raw values. */
export interface Invocation extends Ask {
  readonly here: Target;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Asks again what was asked before (Refresh, a page): refused for a command that changes something. */
  readonly again?: true;
  /** Sent as a form, which names what it changes: nothing else is asked. */
  readonly form?: true;
  /**
   * Everybody in the channel sees the answer, and nobody knows what the asker may change: what is not for everybody is
   * offered as one press, which says who presses.
   */
  readonly openly?: true;
  /** Who sees the answer of which this one is a part. */
  readonly within?: Visibility;
  /** Its answer takes the place of an offer that the bot posted for everybody in the channel. */
  readonly taken?: true;
  /** The line was no command: this mistake is the answer, unless the question is plain. */
  readonly slip?: UserError;
  /** The alert's message whose button was pressed. */
  readonly pressed?: Receipt;
  /** The channels of the server or workspace that the asker may manage, by their ids, where that is known of each. */
  readonly managed?: () => Promise<ReadonlySet<string>>;
  /** The asker's time zone by its name in the tz database, where the platform knows it. */
  readonly zone?: () => Promise<string | undefined>;
  /** The file that a value of an option stands for; left out where no file can be given. */
  readonly openFile?: (given: string) => GivenFile | undefined;
  /** Shows the progress of a long job; may be called often, adapters throttle it. */
  readonly progress?: (reply: Reply) => void;
}

export type Visibility = "caller" | "channel";

/** The result of `prepare`: the audience of the answer, or that of a mistake, which is the caller. */
export type Prepared =
  | { readonly ok: true; readonly visibility: Visibility; readonly run: () => Promise<Reply> }
  /** The caller's mistake; `option` is the option at fault, so that a form can mark its field. `run` gives the reply to it. */
  | { readonly ok: false; readonly option?: string; readonly run: () => Promise<Reply> };

/** A wrong value of a form, in the words of its fields; without an option where no single field is at fault. */
export interface Fault {
  readonly option?: string | undefined;
  readonly sentence: string;
}

/** The result of `submit`: every fault of a form that is known at once, or the audience of the answer. */
export type Submitted =
  | { readonly ok: false; readonly faults: readonly Fault[] }
  | { readonly ok: true; readonly visibility: Visibility; readonly run: () => Promise<FormOutcome> };

/** The answer to a form. Where it has faults, nothing was done, and `reply` says so as it would say it of a typed line. */
export interface FormOutcome {
  readonly reply: Reply;
  readonly faults: readonly Fault[];
}

/** The outcome of one invocation, for metrics. */
export interface InvocationOutcome {
  readonly command: string;
  readonly platform: string;
  readonly outcome: "answered" | "caller" | "network" | "bug";
  readonly millis: number;
}

/** Which buttons every platform may add to an answer. */
export interface CommonButtons {
  /** Refresh, and every other button that runs the command again. False where the command changes something. */
  readonly refresh: boolean;
  /** Posts the answer as it was shown. False where the answer is for the caller alone. */
  readonly share: boolean;
}
