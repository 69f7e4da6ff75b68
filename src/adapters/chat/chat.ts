// Code that chat platforms share; here the record of a platform, for start, settings and doctor. Read next:
// press.ts and button-plan.ts (buttons), form.ts, open-answers.ts (answers that a crash breaks off) and key-ring.ts (which
// seals them), supervision.ts and refused-token.ts (the connection), notices.ts.
import type { ChatPlatform, Platforms } from "../../alerts/destination.ts";
import type { SharedToken } from "../../alerts/sender.ts";
import type { AnyCommand } from "../../bot/command.ts";
import type { Log } from "../../log.ts";
import type { PlatformSettings } from "../../config/settings.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { ButtonPayloads, InstallationRow, InstallationTables } from "../../store/store.ts";
import type { Payloads, Preview, SendingAdapter } from "../adapter.ts";
import type { Finding } from "../finding.ts";
import type { HomeData } from "./home-data.ts";
import type { OpenAnswers } from "./open-answers.ts";
import type { Webhook } from "../webhook.ts";

export type { InstallationRow } from "../../store/store.ts";

/**
 * All that the rest of the program asks of a chat platform: its settings, and what they make of it. It loads no library:
 * `open` and the checks do.
 */
export interface PlatformRecord extends PlatformSettings<ConfiguredPlatform> {
  /** Its words, and how its ids are read. */
  readonly platform: ChatPlatform;
}

/** A platform by its settings, whether or not it is set up. */
export interface ConfiguredPlatform {
  /** As this process serves it. */
  readonly platform: ChatPlatform;
  /** The folder of the scripts that draw its previews in a browser. */
  readonly page: URL;
  /** How the console shows a reply as this platform will; loads its renderer. */
  readonly preview: (commands: readonly AnyCommand[]) => Preview;
  /** Subcommands of the program, by name. */
  readonly subcommands: Readonly<Record<string, PlatformSubcommand>>;
  /** Undefined where it is not set up. */
  readonly service: PlatformService | undefined;
}

/** A platform that is set up. */
export interface PlatformService {
  /** The platform's own address, at which the bot's requests are counted. */
  readonly url: string;
  /** Where the platform posts requests (a signature is asked for), or sends browsers; by the name of its check. */
  readonly endpoints: readonly { readonly name: string; readonly url: string; readonly method?: "GET" }[];
  /** Checks that the platform is set up as the bot needs it, without its libraries; changes nothing. Never rejects. */
  examine(context: ExaminationContext): Promise<readonly Finding[]>;
  /** Loads the adapter. Rejects with UserError. */
  open(dependencies: PlatformDependencies): Promise<OpenPlatform>;
}

/** The context of a check of the doctor. */
export interface ExaminationContext {
  /** Without the options that all commands have. */
  readonly commands: readonly AnyCommand[];
  readonly platforms: Platforms;
  /** The default network first. */
  readonly networks: readonly string[];
  /** Channels that must be reachable, and the setting that names each. */
  readonly channels: readonly { readonly id: string; readonly setting: string }[];
  /** The installations that the database has; undefined where it cannot be read. */
  readonly installations: () => Promise<readonly InstallationRow[] | undefined>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The parts of the process that an adapter uses. */
export interface PlatformDependencies {
  readonly payloads: Payloads;
  readonly shared: SharedToken;
  readonly installations: PlatformInstallations;
  readonly isFirst: IsFirst;
  readonly legacy: Legacy;
  readonly openAnswers: OpenAnswers;
  readonly home: HomeData;
  readonly log: Log;
}

/**
 * Notes that something of a platform was met. False where a process, this one or another or an earlier one, has met it
 * within its time; true where the database does not say, since two answers are better than none. Never rejects.
 */
export type IsFirst = (what: string, within: Milliseconds) => Promise<boolean>;

/** What a connection leaves to the one that comes after it, in this process or another: JSON. */
export interface Legacy {
  get(): Promise<string | undefined>;
  put(value: string): Promise<void>;
}

/** The installations of an app in many workspaces. */
export interface PlatformInstallations extends InstallationTables, Pick<ButtonPayloads, "useOnce"> {
  /** Deletes an installation that was removed, and all that belongs to its workspace, unless it has changed since. */
  forget(row: InstallationRow): Promise<boolean>;
}

/** The installations of an app, counted by their state. */
export interface InstallationCounts {
  readonly installed: number;
  /** Uninstalled, and not deleted yet. */
  readonly removed: number;
  /** Among those: none of the keys opens their tokens. */
  readonly unreadable: number;
}

/** The adapter of a platform, before it starts. */
export interface OpenPlatform {
  readonly adapter: SendingAdapter;
  /** Where the platform sends browsers. */
  readonly pages?: readonly Webhook[];
  /** Of an app in many workspaces. */
  installations?(): Promise<InstallationCounts>;
}

/** A subcommand of the program that serves one platform. */
export interface PlatformSubcommand {
  /** One line of help. */
  readonly about: string;
  /** Resolves with the exit code. Rejects with UserError. */
  run(args: readonly string[], context: SubcommandContext): Promise<number>;
}

/** The context of a platform's subcommand. */
export interface SubcommandContext extends Pick<ExaminationContext, "commands" | "platforms" | "networks"> {
  readonly print: (line: string) => void;
  /** To standard error. */
  readonly note: (line: string) => void;
}
