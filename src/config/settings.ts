// What a chat platform declares of its settings, and the schemas of values that several parts of the settings share.
// Messages never repeat a value: it may be a secret.

import { z } from "zod";

export const text = z
  .string()
  .transform((value) => value.trim())
  .refine((value) => !/\p{Cc}/u.test(value), "must be one line of plain text");

export const secret = text.refine((value) => !/\s/u.test(value), "must not contain spaces");

/** Entries between commas. */
export const entries = text.transform((value) => value.split(",").map((part) => part.trim()));

/**
 * A check of a list: `words` says what each entry must be, and the wrong entries are named by their places. `more` adds
 * what is wrong with them.
 */
export const eachEntry =
  (isEntry: (entry: string) => boolean, words: string, more: (wrong: readonly string[]) => string = () => "") =>
  ({ value, issues }: z.core.ParsePayload<string[]>): void => {
    const wrong = value.filter((entry) => !isEntry(entry));
    if (wrong.length === 0) return;
    const places = value.flatMap((entry, index) => (isEntry(entry) ? [] : [`no. ${index + 1}`]));
    const message = `${words}; wrong: ${places.join(", ")}${more(wrong)}`;
    issues.push({ code: "custom", message, input: value, continue: true });
  };

export const areDistinct = (all: readonly string[]): boolean => new Set(all).size === all.length;

const isHttp = (value: string): boolean => /^https?:\/\//iu.test(value) && URL.canParse(value);

/** Whether a value would be an address with `https://` before it: a host with a dot, a port or a path. */
const lacksScheme = (value: string): boolean =>
  !/^[a-z][a-z\d+.-]*:\/\//iu.test(value) && /[.:/]/u.test(value) && isHttp(`https://${value}`);
const WRITE_SCHEME = "write https:// (or http://) before it";

/** The words of a fault; they name a missing scheme. */
const addressFault = (words: string) => (issue: { readonly input: unknown }) =>
  typeof issue.input === "string" && lacksScheme(issue.input) ? `${words}: ${WRITE_SCHEME}` : words;

/** An address for people or programs. */
export const url = text.refine(
  (value) => {
    if (!isHttp(value)) return false;
    const { username, password, search, hash } = new URL(value);
    return `${username}${password}${search}${hash}` === "";
  },
  { error: addressFault("must be an http:// or https:// address without a user name, query or fragment") },
);

/** An address that only this process requests; path, query and credentials are allowed. */
const isEndpoint = (value: string): boolean => isHttp(value) && new URL(value).hash === "";
const ENDPOINT_WORDS = "must be an http:// or https:// address without a fragment";
export const endpoint = text.refine(isEndpoint, { error: addressFault(ENDPOINT_WORDS) });

export const endpoints = entries.check(
  eachEntry(isEndpoint, `${ENDPOINT_WORDS}, or several separated by commas`, (wrong) =>
    wrong.some(lacksScheme) ? `: ${WRITE_SCHEME}` : "",
  ),
);

/**
 * Addresses of which this is equal lead to one node: neither case, default port, last slash, the dot at a host's end,
 * scheme nor credentials count.
 */
export function nodeOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { host, pathname, search } = new URL(address);
  return `${host.replace(/\.(?=:|$)/u, "")}${pathname.replace(/\/+$/u, "")}${search}`;
}

/** The settings as a rule sees them. */
export interface GivenSettings {
  readonly has: (name: string) => boolean;
  /** As written, without spaces around it; empty where it is not set. */
  readonly value: (name: string) => string;
}

/** A sentence without its full stop and without values; false where there is none. */
type Contradiction = string | false;

/** Finds settings that are valid alone and contradict each other, or a setting that lacks another. */
export interface SettingRule {
  /**
   * `refuse`: the bot does not start. `hint`: it starts and logs a warning. The doctor reports both. Only the doctor
   * reports a `fault` or a `warning`.
   */
  readonly severity: "refuse" | "hint" | "fault" | "warning";
  /** The setting that the doctor names; left out: `settings`. */
  readonly setting?: string;
  readonly find: (given: GivenSettings) => Contradiction | readonly Contradiction[];
  /** What to do about it, in a sentence; left out where the contradiction says it. */
  readonly remedy?: string;
}

/** What a rule found. */
export interface SettingFinding extends Pick<SettingRule, "severity" | "setting" | "remedy"> {
  readonly what: string;
}

/** Judges the settings by rules. */
export function judgeSettings(rules: readonly SettingRule[], given: GivenSettings): readonly SettingFinding[] {
  return rules.flatMap(({ find, ...named }) =>
    [find(given)].flat().flatMap((what) => (what === false ? [] : [{ ...named, what }])),
  );
}

/** A contradiction with which the bot does not start. */
export const refuse = (find: SettingRule["find"]): SettingRule => ({ severity: "refuse", find });

/** A contradiction that only the doctor reports. */
export const warning = (setting: string, find: SettingRule["find"], remedy: string): SettingRule => ({
  severity: "warning",
  setting,
  find,
  remedy,
});

/** The same, where the setting cannot do what it is meant for. */
export const fault: typeof warning = (...rule) => ({ ...warning(...rule), severity: "fault" });

/** The settings of all platforms together, as far as their values are valid. */
export interface SharedSettings {
  /** Where others reach this process. */
  readonly PUBLIC_URL?: string | undefined;
  /** 32 bytes each; the first seals secrets in the database, each of them opens. */
  readonly SECRET_KEY?: readonly Uint8Array[] | undefined;
}

type Shape = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;

/** The ids that a setting takes for a platform: `discord:112233445566778899`. */
interface IdForm {
  /** The whole of what follows the platform's id and a colon. */
  readonly pattern: RegExp;
  /** Each way to write it, for sentences: `slack:C…`. */
  readonly forms: readonly string[];
}

/** The part of the settings that belongs to one chat platform. `P` is what the platform makes of them. */
export interface PlatformSettings<P = unknown, S extends Shape = Shape> {
  readonly platform: {
    readonly id: string;
    readonly token: { readonly setting: string };
    readonly exampleChannel: string;
  };
  /** Its variables, in the order of `.env.example`. */
  readonly variables: S;
  /** The variables whose values appear in no output. */
  readonly secrets: readonly (keyof S & string)[];
  /** The variables that an operator sets to use this platform: with any of them, the bot needs data nodes. */
  readonly tokens: readonly (keyof S & string)[];
  /** Whether the bot connects to it. */
  isSetUp(given: Pick<GivenSettings, "has">): boolean;
  /** People in ALERT_MANAGERS, and roles or user groups. */
  readonly person: IdForm;
  /** A channel in OPERATOR_CHANNEL: its id, behind its workspace's and a slash where that may be named. */
  readonly channel: IdForm;
  readonly rules: readonly SettingRule[];
  /** `managers` are the ids of this platform in ALERT_MANAGERS, without its name: of people, roles or user groups. */
  read(values: SharedSettings & z.infer<z.ZodObject<S>>, managers: readonly string[]): P;
}

/** Finds a key that has no effect, since all tokens that it belongs to are missing. */
export function idleKey(key: string, ...tokens: readonly string[]): SettingRule {
  return {
    severity: "hint",
    find: ({ has }) =>
      has(key) &&
      !tokens.some(has) &&
      `${key} is set, but not ${tokens.join(" or ")}: nothing connects to that platform`,
    remedy: "Rename it, or take it away.",
  };
}

/** Finds a token without the form of its kind: people copy another value from the same page. */
export function tokenForm(setting: string, form: RegExp, what: string): SettingRule {
  return warning(
    setting,
    ({ has, value }) => has(setting) && !form.test(value(setting)) && `does not look like ${what}`,
    "Copy it again from its page; docs/ says from which.",
  );
}

/** Finds that a platform posts its requests to this process, which has no server or no public address. */
export function needsServer(
  applies: (given: GivenSettings) => boolean,
  { why, sends, instead }: { readonly why: string; readonly sends: string; readonly instead: string },
): SettingRule {
  const so = `${why}, so ${sends} over HTTP`;
  return refuse(
    (given) =>
      applies(given) && [
        given.value("WEB_PORT") === "0" && `${so}, but WEB_PORT=0 switches the server off: set a port, or ${instead}`,
        !given.has("PUBLIC_URL") && `${so}: set PUBLIC_URL to the address where this process is reached, or ${instead}`,
      ],
  );
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[], last = "and"): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(` ${last} `);
}
