import { readFileSync } from "node:fs";

import type { slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { OAuth } from "./oauth.ts";

/** A channel, or the app's direct messages with somebody. */
export interface Channel {
  readonly id: string;
  /** Whose direct messages; undefined for a channel. */
  readonly person: string | undefined;
  /** The workspace that it belongs to. */
  readonly team: string;
  /** Whether the app was invited. */
  member: boolean;
  archived: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  /** What it shows, for those who do not see it. */
  readonly alt: string | undefined;
  bytes: Buffer | undefined;
}

export interface StoredMessage {
  readonly ts: string;
  readonly channel: string;
  readonly thread: string | undefined;
  /** Its `client_msg_id`. */
  readonly clientId: string | undefined;
  /** An answer in a thread that its channel shows, too. */
  readonly broadcast: boolean;
  /** Who alone sees it. */
  readonly onlyFor: string | undefined;
  /** The text as it was posted, before any edit. */
  readonly postedAs: string;
  /** Its blocks, before any edit. */
  readonly postedBlocks: readonly Block[];
  text: string;
  blocks: readonly Block[];
  readonly metadata: unknown;
  readonly files: readonly StoredFile[];
  edits: number;
  gone: boolean;
  readonly at: number;
}

export interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly Element[];
  readonly element?: Element;
  readonly accessory?: Element;
  /** Of an input: a choice is told at once. */
  readonly dispatch_action?: boolean;
  readonly label?: { readonly text: string };
}

export interface Element {
  readonly type: string;
  readonly action_id?: string;
  readonly value?: string;
  readonly url?: string;
  readonly style?: string;
  readonly text?: { readonly text: string };
  readonly options?: readonly {
    readonly text: { readonly text: string };
    readonly description?: { readonly text: string };
    readonly value: string;
  }[];
  readonly placeholder?: { readonly text: string };
  readonly option_groups?: readonly {
    readonly options: readonly {
      readonly text: { readonly text: string };
      readonly description?: { readonly text: string };
      readonly value: string;
    }[];
  }[];
  readonly initial_option?: { readonly value: string };
  readonly initial_options?: readonly { readonly value: string }[];
  readonly initial_date?: string;
  readonly initial_date_time?: number;
  readonly initial_user?: string;
  readonly selected_option?: {
    readonly text: { readonly text: string };
    readonly description?: { readonly text: string };
    readonly value: string;
  };
  readonly initial_value?: string;
  readonly filter?: { readonly include?: readonly string[] };
  readonly confirm?: unknown;
}

/** What the fields of a form hold, by block and action. */
export type Held = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface View {
  readonly id: string;
  readonly type: "modal" | "home";
  readonly callback_id?: string;
  readonly private_metadata: string;
  readonly title?: { readonly text: string };
  readonly submit?: { readonly text: string };
  readonly blocks: readonly Block[];
  readonly user: string;
  /** What was filled in before an update: it stays in the fields that the update shows again. */
  readonly held?: Held;
}

/** A user as returned by users.info: https://docs.slack.dev/reference/objects/user-object. */
export interface Profile {
  readonly is_bot?: boolean;
  readonly is_workflow_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly deleted?: boolean;
  readonly tz?: string;
  readonly team_id?: string;
  readonly enterprise_user?: { readonly enterprise_id?: string; readonly teams: readonly string[] };
}

/** A response_url. */
export interface ResponseEntry {
  readonly channel: string;
  readonly user: string;
  readonly since: number;
  used: number;
  /** The message that `replace_original` is about. */
  original: string | undefined;
  /** What came of it, by ts. */
  readonly produced: string[];
}

/** All that a workspace holds. */
export class State {
  readonly team = "T01";
  /** The organisation of an Enterprise Grid that the workspace belongs to. */
  enterprise: string | undefined;
  /** Whether the app is installed for the whole organisation. */
  orgWide = false;
  botToken = "xoxb-fake-token";
  readonly appToken = "xapp-fake-token";
  readonly signingSecret = "8f742231b10e8888abcd99ccc22285a5";
  readonly botUserId = "UBOT1";
  readonly channels = new Map<string, Channel>();
  readonly messages: StoredMessage[] = [];
  readonly files = new Map<string, StoredFile>();
  /** Where each file stands, and how many more looks do not see it yet. */
  readonly shared = new Map<string, { readonly channel: string; unseen: number }>();
  /** How the next uploads are shared, though Slack says at once that each was. */
  readonly sharings: ("late" | "never")[] = [];
  readonly views = new Map<string, View>();
  readonly homes = new Map<string, View>();
  readonly triggers = new Map<string, { readonly user: string; readonly at: number; used: boolean }>();
  /** By user id; an empty profile is a full member. */
  readonly profiles = new Map<string, Profile>();
  /** By id: https://docs.slack.dev/reference/objects/usergroup-object. */
  readonly userGroups = new Map<
    string,
    { readonly name: string; readonly handle: string; readonly members: readonly string[] }
  >();
  /** The workspaces of people who belong to another one than `team`. */
  readonly teams = new Map<string, string>();
  /** Installations in many workspaces. */
  readonly oauth = new OAuth(this);
  readonly responses = new Map<string, ResponseEntry>();
  /** Everything that Slack would have refused, unless a test expects it. */
  readonly violations: string[] = [];
  manifest = JSON.parse(readFileSync(new URL("../../../slack-manifest.json", import.meta.url), "utf8")) as ReturnType<
    typeof slackManifest
  >;
  /** Taken from the manifest, so that a permission that is missing there is missing here. */
  readonly scopes = new Set<string>(this.manifest.oauth_config.scopes.bot);
  /** Moves Slack's clock. */
  advanceMillis = 0;
  #count = 0;

  now(): number {
    return Date.now() + this.advanceMillis;
  }

  id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${String(this.#count).padStart(8, "0")}`;
  }

  ts(): string {
    this.#count += 1;
    return `${Math.trunc(this.now() / 1000)}.${String(this.#count).padStart(6, "0")}`;
  }

  trigger(user: string): string {
    const id = this.id("trigger.");
    this.triggers.set(id, { user, at: this.now(), used: false });
    return id;
  }

  message(ts: string | undefined): StoredMessage | undefined {
    return this.messages.find((one) => one.ts === ts && !one.gone);
  }

  direct(person: string): Channel {
    const known = [...this.channels.values()].find((one) => one.person === person);
    if (known !== undefined) return known;
    const team = this.teams.get(person) ?? this.team;
    const channel = { id: this.id("D"), person, team, member: true, archived: false };
    this.channels.set(channel.id, channel);
    return channel;
  }

  post(given: Pick<StoredMessage, "channel" | "text"> & Partial<StoredMessage>): StoredMessage {
    const message: StoredMessage = {
      ts: this.ts(),
      thread: undefined,
      clientId: undefined,
      broadcast: false,
      onlyFor: undefined,
      blocks: [],
      metadata: undefined,
      files: [],
      edits: 0,
      gone: false,
      at: performance.now(),
      postedAs: given.text,
      postedBlocks: given.blocks ?? [],
      ...given,
    };
    this.messages.push(message);
    return message;
  }
}
