import type { AlertService } from "../../alerts/service/service.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { SeenIds } from "../../store/store.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import type { Caller, Target } from "../invocation.ts";

/** What Discord takes as a choice's name, and as its value. */
export const MAX_CHOICE_LENGTH = 100;

/** One value offered while typing; `value` is what will be sent. Neither is longer than MAX_CHOICE_LENGTH. */
export interface Choice {
  readonly label: string;
  readonly value: string;
  /** What means the same on a line of text, where the value stands without its label; left out = the value. */
  readonly typed?: string;
}

/** What completion may look at: the network asked about, what the bot has seen, and the options typed so far. */
export interface SuggestContext {
  readonly api: ApiClient;
  readonly seen: SeenIds;
  readonly alerts: AlertService;
  readonly here: Target;
  readonly caller: Caller;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** All commands, for the completion of `help`. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly signal: AbortSignal;
}

/** A stretch of time as typed: a day is 24 hours, `7d` a moment; half-open. */
export interface TimeSpan {
  readonly from: Nanoseconds;
  /** The first moment after it; equal to `from` for a moment. */
  readonly to: Nanoseconds;
  readonly typed: string;
}

interface OptionBase {
  /** 1 to 100 characters: what platforms show beside the option. */
  readonly description: string;
}

export interface TextOption extends OptionBase {
  readonly kind: "text";
  readonly required?: true;
  /** An example of a right value, for help and for errors. */
  readonly example: string;
  readonly maxLength?: number;
  /** Takes all bare words that are left on a typed line, as one value; only for the last of the text options. */
  readonly rest?: true;
  /** What people saved for themselves comes first in completion, is the default, and may be typed by its name. */
  readonly saved?: "party";
  /** Completion, best first; called with what is typed so far, must answer within a second or with what it has. */
  readonly suggest?: (typed: string, context: SuggestContext) => Promise<readonly Choice[]>;
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
  /** What leaving it out means. */
  readonly default: boolean;
}

export interface TimeOption extends OptionBase {
  readonly kind: "time";
  readonly required?: true;
}

/** The network to ask; left out = the default network. */
export interface NetworkOption extends OptionBase {
  readonly kind: "network";
}

/** One option as plain data: platform registration, forms, help, parsing and types all come from it. */
export type Option = TextOption | IntegerOption | ChoiceOption | FlagOption | TimeOption | NetworkOption;

/** By name (`^[a-z][a-z-]{0,31}$`), in the order in which bare values are taken; required ones first. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { kind: "text" }
  ? string
  : O extends { kind: "choice" }
    ? string
    : O extends { kind: "integer" }
      ? number
      : O extends { kind: "flag" }
        ? boolean
        : O extends { kind: "time" }
          ? TimeSpan
          : string;

type AlwaysGiven<O extends Option> = O extends { required: true } | { kind: "flag" } ? true : false;

/** The parsed values of a command's options. */
export type OptionValues<S extends Options> = {
  readonly [K in keyof S as AlwaysGiven<S[K]> extends true ? K : never]: ValueOf<S[K]>;
} & {
  readonly [K in keyof S as AlwaysGiven<S[K]> extends true ? never : K]?: ValueOf<S[K]> | undefined;
};
