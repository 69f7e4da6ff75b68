import { z } from "zod";

import type { FileLimits } from "../reply/reply.ts";

/** A destination as it is stored. */
export const StoredDestination = z.object({
  platform: z.string(),
  workspace: z.string().exactOptional(),
  /** The platform's id of the channel; `user:` and a person's id for their direct messages. */
  channel: z.string(),
  /** A thread to post in. */
  thread: z.string().exactOptional(),
});
/** Where alerts go: a channel or a person's direct messages on a platform. */
export type Destination = Readonly<z.infer<typeof StoredDestination>>;

/** Names the scope of a token: the keys of all destinations there begin with it and a slash. */
export function tokenKey({ platform, workspace }: Pick<Destination, "platform" | "workspace">): string {
  return (workspace === undefined ? [platform] : [platform, workspace]).map(encodeURIComponent).join("/");
}

const keys = new WeakMap<Destination, string>();

/** Names a destination in the store: equal destinations have equal keys. */
export function destinationKey(destination: Destination): string {
  const known = keys.get(destination);
  if (known !== undefined) return known;
  const { platform, workspace, channel, thread } = destination;
  const key = [platform, workspace ?? "", channel, thread ?? ""].map(encodeURIComponent).join("/");
  keys.set(destination, key);
  return key;
}

/** Each of these destinations once. */
export function distinctDestinations(all: readonly Destination[]): Destination[] {
  return [...new Map(all.map((one) => [destinationKey(one), one])).values()];
}

/** The destination of a key. */
export function destinationFromKey(key: string): Destination {
  const [platform = "", workspace = "", channel = "", thread = ""] = key.split("/").map(decodeURIComponent);
  return {
    platform,
    channel,
    ...(workspace === "" ? {} : { workspace }),
    ...(thread === "" ? {} : { thread }),
  };
}

/** A platform as commands and alerts know it: its words, and how its ids are read. Its adapter declares it. */
export type Platform = ChatPlatform | OperatorPlatform;

interface PlatformBase {
  /** In destinations and metrics, and as people type it: `slack`. */
  readonly id: string;
  /** In sentences: `Slack`, `the console`. */
  readonly name: string;
}

/** Open to operators alone: no further permission is checked. */
export interface OperatorPlatform extends PlatformBase {
  readonly kind: "operators";
  /** The channel that is its only destination, and the word people type for it. */
  readonly channel?: string;
}

/** A platform with channels, direct messages and people of different rights. */
export interface ChatPlatform extends PlatformBase {
  readonly kind: "chat";
  /** What holds its channels: `server`, `workspace`. Sentences put "a" before it. */
  readonly workspace: string;
  /** Whether two workspaces may give different people the same id. */
  readonly peoplePerWorkspace: boolean;
  /** Many workspaces are served, each with a token of its own: a destination names its workspace. */
  readonly destinationsPerWorkspace?: true;
  /** Who may change a channel's alerts where the operator names nobody: `full members of this workspace`. */
  readonly managers: string;
  /** Whether those who may manage a channel keep that right in direct messages. */
  readonly managersInDirectMessages: boolean;
  /** The setting that holds the bot's token, and where to get a new one, as the platform's pages call it. */
  readonly token: { readonly setting: string; readonly source: string };
  /** Of a direct message. */
  readonly files: FileLimits;
  /** When the message of an alert can be given a picture: by any edit, or once, when the alert is over. */
  readonly pictures: "edited" | "over";
  /** Whoever presses a button brings the files of its message along, as the platform has them. */
  readonly returnsFiles?: true;
  /** A channel's id, for examples; behind its workspace's and a slash where destinations name that. */
  readonly exampleChannel: string;
  /** Whether a channel is the caller's direct messages. */
  isDirect(here: { readonly workspace?: string; readonly channel: string }): boolean;
  /** What an id names; undefined if it is no id of this platform. People's may look like channels': `user:` marks them. */
  kindOfId(id: string): "channel" | "person" | undefined;
  /**
   * The id to mention, from typed text or the platform's own syntax; `user:` before a person's. Undefined if it is none, or
   * means everyone in the workspace.
   */
  parseMention(typed: string, workspace: string | undefined): string | undefined;
  /** What to type where `parseMention` found nothing. */
  readonly mentionRemedy: string;
  /** What lets the bot send somebody direct messages, as a clause. */
  readonly directMessagesRemedy: string;
  /** What to type other than a role, as a clause: `on Slack a group's id (S0123ABCD)`. */
  readonly mentionHint?: string;
}

/** A workspace on a platform; undefined where it is not known, or the platform has none. */
export interface PlatformPlace {
  readonly platform: string;
  readonly workspace?: string | undefined;
}

/** The platforms of this program. */
export type Platforms = ReturnType<typeof createPlatforms>;

/** The platforms of a program, at least one of them with the operators' destination, and those that are set up. */
export function createPlatforms(
  all: readonly Platform[],
  chats: readonly ChatPlatform[] = all.filter((one) => one.kind === "chat"),
) {
  const byId = new Map(all.map((one) => [one.id, one]));
  const [shown] = all.flatMap((one) =>
    one.kind === "operators" && one.channel !== undefined ? [{ platform: one.id, channel: one.channel }] : [],
  );
  if (shown === undefined) throw new RangeError("operators need a destination");
  const console: Destination = shown;
  const chat = (id: string): ChatPlatform | undefined => {
    const found = byId.get(id);
    return found?.kind === "chat" ? found : undefined;
  };
  return {
    /** The platforms that are set up. Sentences name no other platform, except where stored data name one. */
    chats,
    /** The destination of operators: the console. */
    console,
    /** A destination; it names the workspace where the platform's do. */
    destination({ platform, workspace }: PlatformPlace, channel: string): Destination {
      const isNamed = workspace !== undefined && workspace !== "" && chat(platform)?.destinationsPerWorkspace === true;
      return { platform, ...(isNamed ? { workspace } : {}), channel };
    },
    /** Undefined for an operators' platform, and for one that only another version knows. */
    chat,
    /** What holds the channels of a platform, or of any chat platform where it is none: `server or workspace`. */
    workspaceNoun: (id: string) =>
      chat(id)?.workspace ?? (chats.map(({ workspace }) => workspace).join(" or ") || "workspace"),
    isOperators: (id: string) => byId.get(id)?.kind === "operators",
    /** In sentences; the id itself for a platform that only another version knows. */
    nameOf: (id: string) => byId.get(id)?.name ?? id,
  };
}
