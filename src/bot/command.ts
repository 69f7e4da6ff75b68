import type { Platforms } from "../alerts/destination.ts";
import type { Receipt } from "../alerts/sender.ts";
import type { ReadPast } from "../chart/thin.ts";
import type { UserError } from "../errors.ts";
import type { Block, Field } from "../reply/block.ts";
import type { Ask, Reply } from "../reply/reply.ts";
import type { Text } from "../reply/text.ts";
import type { Nanoseconds } from "../units/time.ts";
import type { AudienceSettings } from "./audience-settings.ts";
import type { Visibility } from "./invocation.ts";
import {
  MAX_DESCRIPTION_LENGTH,
  type Option,
  type Options,
  type OptionValues,
  type SuggestContext,
} from "./options/options.ts";
import type { OwnParties } from "./options/saved-parties.ts";

export interface CommandContext<S extends Options> extends Omit<SuggestContext, "options" | "parties" | "commands"> {
  readonly options: OptionValues<S>;
  /** Whether `private:yes` was given: buttons of the answer then ask privately, too. */
  readonly askedPrivately: boolean;
  /** Who sees the answer. */
  readonly audience: Visibility;
  /** The network asked about, whose client is `api`. */
  readonly network: string;
  /** All networks, the default one first. */
  readonly networks: readonly string[];
  /** The caller's saved parties. */
  readonly parties: OwnParties;
  /** Audiences that servers and workspaces chose. */
  readonly chosen: AudienceSettings;
  /** All commands, for `help`. */
  readonly commands: readonly AnyCommand[];
  /** Kept looks of a range. */
  readonly past: ReadPast;
  now(): Nanoseconds;
  /** The channels that the caller may manage, as far as they are known beside the one here. */
  managed(): Promise<ReadonlySet<string>>;
  /** Everybody in the channel sees the answer, and nobody knows what the caller manages. */
  readonly openly?: true;
  /** Where the answer takes the place of an offer that all see: it tells them of a change, which is not announced there. */
  tellHere?(): void;
  /** The caller's time zone: the chosen one, else the platform's, else UTC. */
  zone(): Promise<string>;
  /** Whether a form was sent: one that changes nothing says so. */
  readonly isForm: boolean;
  /** The alert's message whose button was pressed. */
  readonly pressed?: Receipt;
  /** The mistake in a line that was no command, and may be a question. */
  readonly slip?: UserError;
  progress(reply: Reply): void;
  /** Runs another command for the same asker. Never rejects. */
  run(ask: Ask): Promise<Reply>;
}

/** What is known of a caller before they ask. */
export type Beginnings = Pick<CommandContext<Options>, "here" | "chosen" | "platforms" | "zone">;

/** Words of a line, from one index to before another, and what they say. */
export interface Gathered {
  readonly from: number;
  readonly to: number;
  readonly options: Readonly<Record<string, string>>;
}

/** A command: returns its answer and never posts. */
export interface Command<S extends Options> {
  /** One or two lower-case words: `time`, `market show`. */
  readonly name: string;
  /** Other words that people type for it: each runs it, or, where it changes something, is answered with it. */
  readonly alsoCalled?: readonly string[];
  /**
   * How people ask for it in plain words. Each entry has the words that a question must have, in any order and form:
   * `a|b` is either, `{name}` a value of that option, or of either of two; with `…` among them, all that follows belongs to
   * it. The more of them a question has, the surer it is.
   */
  readonly asked?: readonly string[];
  /** The command that a question means which says not to do this; left out = `shownBy`. */
  readonly opposite?: string;
  /** A question in plain words offers it and never runs it, though it changes nothing that is shared. */
  readonly askedFirst?: true;
  /** One line, at most 100 characters. */
  readonly summary: string;
  /** The label of the button that sends its form: `Subscribe`; at most 24 characters, left out = `Ask`. */
  readonly verb?: string;
  /** What is said of these values where only the asker may see the answer, and the press that begins it. */
  readonly shows?: (options: Ask["options"]) => { readonly says: string; readonly press: string };
  /** The heading of its form: `Export a ledger`; at most 24 characters, left out = the verb, where that names the thing. */
  readonly title?: string;
  /** Command lines worth trying, without the bot's own name. */
  readonly examples: readonly string[];
  readonly access: "everyone" | "channel-manager";
  /** The default audience; fixed before the command runs. */
  readonly audience: Visibility;
  /** Servers and workspaces may choose another audience: for answers without personal data. */
  readonly workspaceChooses?: true;
  /** Changes a shared setting: the answer always goes to the channel. */
  readonly announced?: true;
  /**
   * Changes something that is kept, or posts something. No button repeats it: its answer has no Refresh, and a press that
   * would run it again is refused. An action with it has the effect `reply`; where it
   * changes what the message of the action shows, it says so (`invalidates`).
   */
  readonly changes?: true;
  /** The command that shows what this one changed. */
  readonly shownBy?: string;
  /** Its answer is for the caller alone: no Share. */
  readonly personal?: true;
  /** Where everybody sees its answer (`openly`), it tells of that channel alone. */
  readonly readsHere?: true;
  /** It is the same on every network: a form does not ask for one. */
  readonly anyNetwork?: true;
  readonly options: S;
  /**
   * It changes the thing that `option` names. `values`: the present values of that thing, as its options would be typed;
   * a form begins with them. Undefined where the caller may see no such thing.
   */
  readonly edits?: {
    readonly option: string;
    values(id: string, context: SuggestContext): Promise<Ask["options"] | undefined>;
  };
  /** The caller's present values, as its options would be typed: a form begins with them. */
  begins?(own: Beginnings): Promise<Ask["options"]>;
  /** Of its own options, those that its form has where these values are known, the most needed first; left out = all. */
  fields?(known: Ask["options"]): readonly string[];
  /** Whether it lacks a value that no option alone requires: a form asks for it. */
  lacks?(given: Ask["options"]): boolean;
  /** Words behind it that make values together, where no option is named: which of them, and their values. */
  gathers?(words: readonly string[]): Gathered | undefined;
  /** For options of other commands that people type here: the `name:value` of this command with the same effect. */
  instead?(given: Readonly<Record<string, string>>): string | undefined;
  /**
   * What it would change with these values, for whoever is offered it; its answer where that stands already.
   * @throws UserError for values that it refuses.
   */
  offers?(context: CommandContext<S>): Promise<OfferedChange | Reply>;
  /** Throws UserError for the caller's mistakes; ApiError passes through. */
  run(context: CommandContext<S>): Promise<Reply>;
}

/** A change that a question offers: whether to make it, and where and of what it is. */
export interface OfferedChange {
  readonly question: Text;
  /** What its button says; left out = the command's title. */
  readonly label?: string;
  readonly facts: readonly Field[];
  /** What stands below the fold. */
  readonly details?: readonly Block[];
  /** Values that it takes beside those that were said. */
  readonly options?: Ask["options"];
}

/** A command without its options' types. */
export type AnyCommand = Omit<Command<Options>, "run" | "offers"> & {
  offers?(context: CommandContext<Options>): Promise<OfferedChange | Reply>;
  run(context: CommandContext<Options>): Promise<Reply>;
};

/** A declaration may leave out members with usual values; `access` only where the command changes nothing. */
type Declared<S extends Options> = Omit<
  Command<S>,
  "access" | "audience" | "examples" | "options" | "changes" | "shownBy"
> & {
  readonly options?: S;
  readonly audience?: Visibility;
  readonly examples?: readonly string[];
} & (
    | { readonly access?: Command<S>["access"]; readonly changes?: never; readonly shownBy?: never }
    | Pick<Required<Command<S>>, "access" | "changes" | "shownBy">
  );

/**
 * Declares a command; `withCommonOptions` adds `network` and `private`. Usually everybody may use it, only the caller
 * sees the answer, it has no options, and its name alone is the example.
 */
export function command<const S extends Options>(declared: Declared<S>): AnyCommand {
  const { name } = declared;
  return { access: "everyone", audience: "caller", options: {}, examples: [name], ...declared };
}

/** Heading of what every command takes. */
const section = "Network and who sees it";

/** The network of a command that takes a bare one before its other values. */
export const NETWORK_OPTION = { kind: "network", description: "The network to ask", hint: "", section } as const;

/** A command with the two options that every command takes; its options name the platforms that there are. */
export function withCommonOptions(command: AnyCommand, platforms: Platforms): AnyCommand {
  const hidden: Option = {
    kind: "flag",
    description: "Answer so that only you can see it",
    no: "Answer so that everyone here can see it",
    label: "Who sees the answer",
    hint: "",
    section,
    default: command.audience === "caller",
  };
  const own = Object.entries(command.options).map(([name, option]) => [name, wordOption(option, platforms)] as const);
  const declared = Object.fromEntries(own);
  const options: Options = { ...declared, network: declared["network"] ?? NETWORK_OPTION, private: hidden };
  return { ...command, options };
}

function wordOption(option: Option, platforms: Platforms): Option {
  const wording = option.kind === "text" ? option.wording?.(platforms) : undefined;
  return wording === undefined || wording.description.length > MAX_DESCRIPTION_LENGTH
    ? option
    : { ...option, ...wording };
}
