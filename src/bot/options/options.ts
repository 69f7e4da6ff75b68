// Options of a command as plain data: registration, forms, help, parsing and types all come from it.
// parse-options.ts checks raw values, time-span.ts reads times and durations, suggest-values.ts completes values,
// saved-parties.ts puts in what people saved for themselves, said.ts finds values in the words of a question.

import type { Platforms } from "../../alerts/destination.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { ExportJobs } from "../../export/jobs/jobs.ts";
import type { SavedParty, SeenIds } from "../../store/store.ts";
import type { Nanoseconds } from "../../units/time.ts";
import type { Caller, Target } from "../invocation.ts";

/** The length of a description that platforms show. */
export const MAX_DESCRIPTION_LENGTH = 100;

/** Discord's limit for a choice's name, and for its value. */
export const MAX_CHOICE_LENGTH = 100;

/** One value offered while typing; `value` is what will be sent. Neither is longer than MAX_CHOICE_LENGTH. */
export interface Choice {
  readonly label: string;
  readonly value: string;
  /** An equivalent for a typed line, where the value has no label; left out = the value. */
  readonly typed?: string;
  /** The values of the same option that it stands for. */
  readonly covers?: readonly string[];
}

/** Choices whose labels are their values. */
export function plainChoices(values: readonly string[]): Choice[] {
  return values.map((value) => ({ label: value, value }));
}

/** The context of completion: network, ids seen, and the options typed so far. */
export interface SuggestContext {
  readonly api: ApiClient;
  readonly seen: SeenIds;
  /** Subscriptions, episodes, silences and deliveries. */
  readonly alerts: AlertService;
  readonly exports: ExportJobs;
  readonly platforms: Platforms;
  readonly here: Target;
  readonly caller: Caller;
  /** The caller's saved parties, the default one first. */
  readonly parties: { list(): Promise<readonly SavedParty[]> };
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** All commands, for the completion of `help`. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly signal: AbortSignal;
}

/** A typed time span, half-open: a date is its 24 hours, `7d` a moment. */
export interface TimeSpan {
  readonly from: Nanoseconds;
  /** The first moment after it; equal to `from` for a moment. */
  readonly to: Nanoseconds;
  readonly typed: string;
}

/** A value that a question says, and the words that say it. */
export interface Said {
  readonly value: string;
  readonly words: readonly string[];
}

interface OptionBase {
  /** 1 to 100 characters: what platforms show beside the option. */
  readonly description: string;
  /** What is asked where it is missing: `Whose ledger?`; left out = a sentence with its name. */
  readonly question?: string;
  /** Its name in a form: `Critical after`; left out = the option's own name as words. */
  readonly label?: string;
  /** How a sentence says its value, with `…` in its place, or that its flag is set: `from …`; left out = the value alone. */
  readonly phrase?: string;
  /** The words below its field in a form, where they differ from the description; "" = none. */
  readonly hint?: string;
  /** The option that takes it as well, for chat platforms that allow a command few options: they leave it out. */
  readonly within?: string;
  /** Its heading in a long form. Options without a heading come first: they are needed most. */
  readonly section?: string;
}

/** Choices under a heading. */
export interface ChoiceGroup {
  readonly heading: string;
  /** Each can only be chosen by itself. */
  readonly apart?: true;
  readonly choices: readonly Choice[];
}

export interface TextOption extends OptionBase {
  readonly kind: "text";
  readonly required?: true;
  /** An example of a right value, for help and for errors. */
  readonly example: string;
  /** A value as a menu shows it: `1 h`; left out = as it is typed. */
  readonly shows?: (value: string) => string;
  /** Replaces description and example by those that name the platforms, if they are short enough. */
  readonly wording?: (platforms: Platforms) => { readonly description: string; readonly example: string };
  readonly maxLength?: number;
  /** Values that name an option, too: completion takes such a word for the value until something stands behind it. */
  readonly words?: readonly string[];
  /** Only terminal and console take it; no chat platform offers it. */
  readonly operatorsOnly?: true;
  /**
   * Takes several bare words of a typed line as one value: all that are left, for the last text option; or those before
   * the first that begins the value of the next one.
   */
  readonly rest?: true | ((typed: string) => boolean);
  /** Takes several values, separated by commas: these and no others, or what `suggest` offers. */
  readonly several?: readonly ChoiceGroup[] | "suggested";
  /** The fields of its form depend on it: where it is chosen, the form shows those that make a difference. */
  readonly decides?: true;
  /** A moment, which a form may offer to pick; typed ones may be relative. */
  readonly moment?: true;
  /** The value that removes a setting: a form sends it for a field that was filled in and is now empty. */
  readonly none?: string;
  /** It names a role, a group or a person. `picked`: its description where a platform offers them, and takes no words. */
  readonly mention?: { readonly picked: string };
  /** Uses the caller's saved parties: first in completion, as the default, and by name. */
  readonly saved?: "party";
  /** Its suggestions are everybody's: what the network names. */
  readonly isPublic?: true;
  /** Words for people: a question's are kept as they were written. */
  readonly asWritten?: true;
  /** Left out, it is everything: it is asked for where a question says words that nobody understands. */
  readonly narrows?: true;
  /** Must be given by a caller who has saved none. */
  readonly needed?: true;
  /** Nothing but what `suggest` offers is right: a form has a menu for it, where that is short enough. */
  readonly closed?: true;
  /** What `suggest` offers at first is nearly always enough: a form that completes nothing has a menu of it. */
  readonly usual?: true;
  /** Completion of the text typed so far, best first; answers within a second. */
  readonly suggest?: (typed: string, context: SuggestContext) => Promise<readonly Choice[]>;
  /** Its value as the words of a question say it; undefined where they say none. */
  readonly said?: (words: readonly string[], context: SuggestContext) => Promise<Said | undefined> | Said | undefined;
  /**
   * Reads the text as the command will. @throws UserError for text that is never right, whatever else is given. A form
   * names each such value; a line with one is not offered.
   */
  readonly reads?: (option: string, typed: string) => unknown;
  /**
   * Looks the text up as the command will. @throws UserError for the name of nothing. Asked only where another value is
   * wrong, so that one answer names both.
   */
  readonly finds?: (option: string, typed: string, context: SuggestContext) => Promise<unknown>;
  /**
   * Whether a line with this text may be offered: not where the command would refuse it. Left out = what `reads` takes,
   * else any text; where values are suggested, what has a digit, as ids do, or a suggestion.
   */
  readonly takes?: (typed: string, context: SuggestContext) => boolean | Promise<boolean>;
}

export interface IntegerOption extends OptionBase {
  readonly kind: "integer";
  readonly required?: true;
  readonly min: number;
  readonly max: number;
}

export interface ChoiceOption extends OptionBase {
  readonly kind: "choice";
  readonly required?: true;
  readonly choices: readonly Choice[];
}

export interface FlagOption extends OptionBase {
  readonly kind: "flag";
  /** What `no` does, in a few words; `description` says what `yes` does. */
  readonly no?: string;
  /** The value where it is left out. */
  readonly default: boolean;
  /** Whether a question says it, as `yes` or `no`. */
  readonly said?: (words: readonly string[]) => Said | undefined;
}

export interface TimeOption extends OptionBase {
  readonly kind: "time";
  readonly required?: true;
}

/** A file that somebody gives; its value is what the place calls it: an attachment's id, a path. */
export interface FileOption extends OptionBase {
  readonly kind: "file";
  /** The line that says how to give one, where none came. */
  readonly otherwise: string;
  readonly required?: true;
}

/** A file given with an option. */
export interface GivenFile {
  /** As people call it. */
  readonly name: string;
  /** Its bytes, once. Rejects with UserError where they cannot be read. */
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** The network to ask; left out = the default network, unless it `narrows`. */
export interface NetworkOption extends OptionBase {
  readonly kind: "network";
  /** It only narrows the question: left out = all networks. */
  readonly narrows?: true;
}

/** One option as plain data: platform registration, forms, help, parsing and types all come from it. */
export type Option = TextOption | IntegerOption | ChoiceOption | FlagOption | TimeOption | FileOption | NetworkOption;

/** By name (`^[a-z][a-z\d-]{0,31}$`), in the order in which bare values are taken; required ones first. */
export type Options = Readonly<Record<string, Option>>;

/** The parsed values, by the kind of their option. */
interface Parsed {
  text: string;
  integer: number;
  choice: string;
  flag: boolean;
  time: TimeSpan;
  file: GivenFile;
  network: string;
}

/** A parsed value of an option. */
export type OptionValue<O extends Option = Option> = Parsed[O["kind"]];

type AlwaysGiven<O extends Option> = O extends { required: true } | { needed: true } | { kind: "flag" } ? true : false;

/** The parsed values of a command's options. */
export type OptionValues<S extends Options> = {
  readonly [K in keyof S as AlwaysGiven<S[K]> extends true ? K : never]: OptionValue<S[K]>;
} & {
  readonly [K in keyof S as AlwaysGiven<S[K]> extends true ? never : K]?: OptionValue<S[K]> | undefined;
};
